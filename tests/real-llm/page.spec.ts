import { expect, test } from '../e2e/harness.js';
import { askInPage, isGenerating, MAX_TOKENS, report, speed } from './model.js';

const QUESTION = 'How much metformin may someone take whose eGFR is 35?';

test.beforeEach(async ({ page }) => {
  await page.goto('./');
  await expect.poll(isGenerating, 'nothing is left of the test before').toBe(false);
});

test('text streams into the page, and the usage with it', async ({ page }) => {
  const outcome = await askInPage(page, QUESTION, { policy: 'classic' });
  expect(outcome.error).toBeUndefined();
  expect(outcome.deltas.length, 'it comes in pieces').toBeGreaterThan(1);
  const { answer } = outcome;
  expect(answer?.mode).toBe('model');
  expect(answer?.text.trim().length).toBeGreaterThan(0);
  expect(outcome.deltas.map(({ text }) => text).join('')).toContain(answer?.text.trim());
  expect(answer?.usage?.inputTokens).toBeGreaterThan(50);
  expect(answer?.usage?.outputTokens).toBeGreaterThan(1);
  expect(['stop', 'length']).toContain(answer?.finishReason);
  report(`page: ${speed(outcome)}, ${answer?.usage?.inputTokens} tokens read, ended by ${answer?.finishReason}`);
});

test('aborting stops the model', async ({ page }) => {
  const outcome = await askInPage(page, QUESTION, { policy: 'classic', abortAfter: 5, maxTokens: 20 * MAX_TOKENS });
  const aborted = Date.now();
  expect(outcome.error).toBe('aborted');
  expect(outcome.deltas.length).toBe(5);
  // At its usual speed it would write for the better part of a minute.
  await expect.poll(isGenerating, { timeout: 5000, intervals: [20] }).toBe(false);
  report(`page: aborted after 5 pieces; the model was idle ${Date.now() - aborted} ms later`);
  const again = await askInPage(page, QUESTION, { policy: 'classic', maxTokens: 10 });
  expect(again.answer?.mode, 'and it answers again').toBe('model');
});

test('a question that the documents do not answer is refused without a call', async ({ page }) => {
  const { answer, deltas } = await askInPage(page, 'What is the capital of Mongolia?', { policy: 'classic' });
  expect(answer?.answerable).toBe(false);
  expect(answer?.usage, 'the model is not asked').toBeNull();
  expect(deltas).toEqual([]);
});

test('a model that does not search is given the passages, and made-up doses are no supported claims', async ({
  page,
}) => {
  const { answer } = await askInPage(page, QUESTION);
  expect(answer?.policy).toBe('classic');
  expect(answer?.sources.length).toBeGreaterThan(0);
  const doses = answer?.claims.filter(({ text }) => /\d ?mg/.test(text)) ?? [];
  const statuses = doses.map(({ text, check }) => `${check?.status}: ${text}`);
  const texts = answer?.sources.map(({ text }) => text).join(' ') ?? '';
  for (const { text, check } of doses) {
    const made = (text.match(/\d+(?= ?mg)/g) ?? []).filter((dose) => !texts.includes(dose));
    if (made.length > 0) expect(check?.status, text).not.toBe('supported');
  }
  report(`page: ${answer?.text.length} characters; ${statuses.length > 0 ? statuses.join('; ') : 'no dose'}`);
});
