import type { Page } from '@playwright/test';
import type { AuditReport } from '../../../pkg/src/audit/index.js';
import type { Answer } from '../../../pkg/src/index.js';
import { modelOf } from '../asking.js';
import { commandAccepts } from '../audit-command.js';
import { expect } from '../harness.js';
import { test } from '../in-page.js';
import type { LlmDouble } from '../llm-double.js';
import * as replies from '../llm-replies.js';
import { expectNothingPrivate, NAME, PERSONAL, placeholder } from '../personal.js';

// The log that a page keeps of its questions.

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
