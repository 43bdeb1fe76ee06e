import { sourceText } from '../documents.js';
import { expect, test } from '../harness.js';

test('without a model, a question is answered by quotes that can be checked', async ({ demo, page }) => {
  await expect(page.getByTestId('mode')).toContainText('No model: you get the best passages, verbatim.');
  await demo.ask('How much adrenaline does an adult with anaphylaxis get?');
  await demo.answered('extractive');
  await expect(demo.answerNote).toHaveText('No model configured: these are the best passages, verbatim.');
  await expect(demo.stepLabels).toHaveText(['Search', 'Passages']);
  await expect(demo.step('Search')).toContainText(/→ 5 passages \[1\] \[2\] \[3\] \[4\] \[5\], /);
  await expect(page.getByTestId('flags')).toBeHidden();
  await expect(demo.answer).toContainText(/adrenaline/i);
  await expect(demo.sources).toHaveCount(5);

  const citations = await demo.citations.all();
  expect(citations.length).toBeGreaterThanOrEqual(1);
  const quotes = (await demo.answer.innerText()).split(/\s*(?:…\s*)?\[\d\]\s*/).filter((quote) => quote.trim() !== '');
  expect(quotes).toHaveLength(citations.length);
  for (const [index, citation] of citations.entries()) {
    await citation.click();
    await expect(demo.passage.getByRole('heading')).toHaveText(/^\[\d\] Anaphylaxis$/);
    const place = (await demo.passage.locator('dd').first().textContent()) ?? '';
    const [, file = '', line = ''] = /^(.+\.md), line (\d+)$/.exec(place) ?? [];
    expect(file).toBe('www/handbook/anaphylaxis.md');
    const shown = (await demo.passageText.textContent()) ?? '';
    const words = (text: string) => text.replace(/\s+/g, ' ').trim();
    expect(words(shown)).toContain(words(quotes[index] ?? '?'));
    const text = sourceText(file);
    expect(text).toContain(shown);
    expect(text.split('\n')[Number(line) - 1]).toBe(shown.split('\n')[0]);
    await page.keyboard.press('Escape');
  }
  await page.getByRole('button', { name: /^Open source 2: / }).click();
  await expect(demo.passage.getByRole('heading')).toHaveText(/^\[2\] /);
});

test('a question about something else is answered by saying so', async ({ demo }) => {
  await demo.ask('What is the best pizza dough recipe?');
  await demo.answered('extractive');
  await expect(demo.answer).toHaveText('No passage in these documents answers this question.');
  await expect(demo.citations).toHaveCount(0);
  await expect(demo.sources).toHaveCount(0);
  await expect(demo.step('Search')).toContainText('→ nothing relevant');
});

test('the keyboard alone is enough: Enter asks, Shift+Enter does not', async ({ demo, page }) => {
  await demo.question.focus();
  await page.keyboard.type('How much adrenaline does an adult');
  await page.keyboard.press('Shift+Enter');
  await expect(demo.stepLabels).toHaveCount(0);
  await page.keyboard.type('with anaphylaxis get?');
  await page.keyboard.press('Enter');
  await demo.answered('extractive');
  await expect(page.getByTestId('ask-error')).toBeEmpty();
  await demo.citations.first().focus();
  await page.keyboard.press('Enter');
  await expect(demo.passage).toContainText('Anaphylaxis');
  await page.keyboard.press('Escape');
  await expect(demo.citations.first()).toBeFocused();
});

for (const [how, text, message] of [
  ['empty', '', 'The question is empty.'],
  ['too short', 'no', 'The question has 2 characters; it needs at least 3.'],
] as const) {
  test(`a question that is ${how} is refused with a reason`, async ({ demo }) => {
    await demo.ask(text);
    const problem = await demo.problem('question-length');
    await expect(problem).toContainText(message);
    await expect(problem.getByRole('button')).toHaveCount(0);
    await expect(demo.answer).toBeHidden();
    await demo.ask('When must metformin be stopped because of the kidneys?');
    await demo.answered('extractive');
    await expect(problem).toHaveCount(0);
  });
}
