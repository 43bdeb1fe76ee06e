import type { Page } from '@playwright/test';
import type { Answer, AuditReport } from '../../../pkg/src/index.js';
import { modelOf } from '../asking.js';
import { commandAccepts } from '../audit-command.js';
import { expect } from '../harness.js';
import { test } from '../in-page.js';
import type { LlmDouble } from '../llm-double.js';
import * as replies from '../llm-replies.js';
import { expectNothingPrivate, NAME, PERSONAL, placeholder, received } from '../personal.js';

// What the page says of personal data, and the log that it keeps.

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
  await demo.ask(PERSONAL);
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

/** Asks with a log, and exports it. */
async function logged(
  lib: Page,
  llm: LlmDouble,
): Promise<{ text: string; report: AuditReport; answer: Answer; tampered: AuditReport }> {
  const given = { llm: modelOf(llm), question: PERSONAL } as never;
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
  await demo.ask(PERSONAL);
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
