import { QUESTION, RENAL } from '../asking.js';
import { expect, test } from '../harness.js';
import * as replies from '../llm-replies.js';

// How the page shows what was checked.

const TRUE = 'With an eGFR of 30 to 44, metformin goes up to 1000 mg daily [1].';
const FALSE = 'With an eGFR of 30 to 44, metformin goes up to 9000 mg daily [1].';
const EMERGENCY = 'I have crushing chest pain right now and my left arm is numb, what should I do?';

test('the demo shows an emergency above all else', async ({ demo, llm }) => {
  await demo.useModel(llm);
  await demo.ask(EMERGENCY);
  await expect(demo.emergency).toBeVisible();
  await expect(demo.emergency.getByRole('heading')).toHaveText('This may be an emergency');
  await expect(demo.answerNote).toHaveAttribute('data-kind', 'guard');
  await expect(demo.answer).toBeHidden();
  expect(llm.requests).toEqual([]);
  llm.script(replies.searches(RENAL), replies.answer(TRUE));
  await demo.ask(QUESTION);
  await demo.answered('model');
  await expect(demo.emergency).toBeHidden();
});

test('the demo marks claims, and leads from the mark to the words of the source', async ({ demo, llm, page }) => {
  await demo.useModel(llm);
  llm.script(replies.searches(RENAL), replies.answer(`${TRUE}\n\n${FALSE}`));
  await demo.ask(QUESTION);
  await demo.answered('model');
  await expect(demo.signs).toHaveCount(2);
  await expect(demo.signs.first()).toHaveAttribute('data-status', 'supported');
  await expect(demo.signs.last()).toHaveAttribute('data-status', 'unsupported');
  await expect(demo.signs.last()).toHaveAttribute('aria-label', /9000/);
  await expect(demo.answer.locator('mark.ibid-flag').filter({ hasText: '9000' }).first()).toBeVisible();
  await expect(demo.flags.filter({ hasText: '9000' }).first()).toBeVisible();
  await expect(demo.confidence).toContainText(/Confidence \d+ %/);
  await expect(demo.confidence.getByRole('meter')).toHaveCount(4);
  await demo.signs.first().focus();
  await page.keyboard.press('Enter');
  await expect(demo.passageText.locator('mark.evidence').first()).toBeVisible();
  await expect(demo.passage).toContainText('Supports');
  await page.keyboard.press('Escape');
  await demo.citation(1).first().click();
  await expect(demo.passageText.locator('mark.evidence').first()).toContainText('1000');
});
