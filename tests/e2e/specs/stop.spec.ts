import { expect, test } from '../harness.js';
import * as replies from '../llm-replies.js';

const QUESTION = 'How much metformin may someone take whose eGFR is 35?';
const RENAL = 'metformin a day with an eGFR of 35';

test('Stop ends a stream, closes the connection, and one can ask again', async ({ demo, llm, page }) => {
  await demo.useModel(llm);
  llm.script(replies.searches(RENAL), replies.endless(' and so on'));
  await demo.ask(QUESTION);
  await expect(demo.answer).toContainText('and so on and so on');
  expect(llm.requests[1]?.abandoned).toBe(false);
  await demo.stopButton.click();
  await expect.poll(() => llm.requests[1]?.abandoned, 'the server sees the connection closed').toBe(true);
  await demo.answered('stopped');
  await expect(demo.answerNote).toHaveText('Stopped: this answer is not complete.');
  await expect(demo.stepLabels).toHaveText(['Turn 1', 'Search', 'Turn 2', 'Stopped']);
  await expect(demo.answer, 'what was written stays').toContainText('and so on and so on');
  await expect(page.getByTestId('ask-error'), 'to stop is no error').toBeEmpty();
  await expect(demo.askButton).toBeFocused();
  const length = (await demo.answer.textContent())?.length;

  await page.waitForTimeout(100);
  expect((await demo.answer.textContent())?.length, 'nothing is added afterwards').toBe(length);
  llm.script(replies.searches(RENAL), replies.answerFromSources(['Up to 1000 mg daily']));
  await demo.ask(QUESTION);
  await demo.answered('model');
  await expect(demo.answer).toHaveText('Up to 1000 mg daily [1]');
  await expect(demo.stepLabels).toHaveText(['Turn 1', 'Search', 'Turn 2', 'Answer']);
});

test('Escape stops too, even a server that never says a word', async ({ demo, llm, page }) => {
  await demo.useModel(llm);
  llm.script(replies.silence);
  await demo.ask(QUESTION);
  await expect.poll(() => llm.requests.length).toBe(1);
  await expect(demo.stepLabels).toHaveText(['Turn 1']);
  await page.keyboard.press('Escape');
  await expect.poll(() => llm.requests[0]?.abandoned).toBe(true);
  await demo.answered('stopped');
  await expect(demo.answer).toBeEmpty();
});

test('Stop during the wait before a retry cancels the retry', async ({ demo, llm, page }) => {
  await demo.useModel(llm);
  llm.script(replies.rateLimited(1));
  await demo.ask(QUESTION);
  await expect(demo.stepLabels).toHaveText(['Turn 1', 'Retry']);
  await demo.stopButton.click();
  await demo.answered('stopped');
  await page.waitForTimeout(1200);
  expect(llm.requests).toHaveLength(1);
});

test('one question at a time', async ({ demo, llm, page }) => {
  await demo.useModel(llm);
  llm.script(replies.endless(' and so on'));
  await demo.ask(QUESTION);
  await expect(demo.answer).toContainText('and so on');
  await demo.question.fill('Another question altogether?');
  await demo.question.press('Enter');
  await page.getByRole('group', { name: 'Example questions' }).getByRole('button').first().click();
  await expect(page.getByRole('heading', { name: QUESTION })).toBeVisible();
  await demo.stopButton.click();
  await demo.answered('stopped');
  expect(llm.requests).toHaveLength(1);
});
