import type { Demo } from '../demo.js';
import { sourceText } from '../documents.js';
import { expect, test } from '../harness.js';

interface Quote {
  number: number;
  /** Its paragraphs, items or cells, without the mark. */
  texts: string[];
}

/** The quotes in an answer: whatever stands before a citation, after the one before. */
async function quotesOf(demo: Demo): Promise<Quote[]> {
  const quotes: Quote[] = [];
  let texts: string[] = [];
  for (const text of await demo.answer.locator('p, li, th, td, pre').allTextContents()) {
    const [, quote = '', mark] = /^(.*?)(?: ?…)? *(?:\[(\d+)\])?$/s.exec(text) ?? [];
    if (quote.trim() !== '') texts.push(quote);
    if (mark === undefined) continue;
    expect(texts, `what stands before [${mark}]`).not.toEqual([]);
    quotes.push({ number: Number(mark), texts });
    texts = [];
  }
  expect(texts, 'quotes without a citation').toEqual([]);
  return quotes;
}

const words = (text: string) => text.replace(/\s+/g, ' ').trim();

test('without a model, a question is answered by quotes that can be checked', async ({ demo, page }) => {
  await expect(page.getByTestId('mode')).toContainText('No model: you get the best passages, verbatim.');
  await demo.ask('How much adrenaline does an adult with anaphylaxis get?');
  await demo.answered('extractive');
  await expect(demo.answerNote).toHaveText('No model configured: these are the best passages, verbatim.');
  await expect(demo.stepLabels).toHaveText(['Search', 'Passages']);
  await expect(demo.step('Search')).toContainText(/→ 10 passages \[1\] \[2\] .*\[10\], /);
  await expect(page.getByTestId('flags')).toBeHidden();
  await expect(demo.answer).toContainText(/adrenaline/i);
  await expect(demo.sources).toHaveCount(10);

  const quotes = await quotesOf(demo);
  expect(quotes.length).toBeGreaterThanOrEqual(1);
  await expect(demo.answer.getByRole('heading').first()).toHaveText('Anaphylaxis › Adrenaline by age');
  await expect(demo.answer.getByRole('row').last()).toContainText('0.5 mg');
  for (const { number, texts } of quotes) {
    await demo.citation(number).click();
    await expect(demo.passage.getByRole('heading')).toHaveText(`[${number}] Anaphylaxis`);
    const place = (await demo.passage.locator('dd').first().textContent()) ?? '';
    const [, file = '', line = ''] = /^(.+\.md), line (\d+)$/.exec(place) ?? [];
    expect(file).toBe('handbook/anaphylaxis.md');
    const shown = (await demo.passageText.textContent()) ?? '';
    for (const text of texts) expect(words(shown)).toContain(words(text));
    const source = sourceText(file);
    expect(source).toContain(shown);
    expect(source.split('\n')[Number(line) - 1]).toBe(shown.split('\n')[0]);
    await page.keyboard.press('Escape');
  }
  await page.getByRole('button', { name: /^Open source 2: / }).click();
  await expect(demo.passage.getByRole('heading')).toHaveText(/^\[2\] /);
});

test('a table is quoted as a table, with the heading of the column', async ({ demo }) => {
  await demo.ask('How much metformin a day with an eGFR of 35?');
  await demo.answered('extractive');
  const table = demo.answer.getByRole('table').first();
  await expect(table.getByRole('columnheader')).toHaveText(['eGFR (mL/min/1.73 m2)', 'Metformin', 'Sitagliptin']);
  await expect(table.getByRole('row', { name: '30 to 44' }).getByRole('cell')).toHaveText([
    '30 to 44',
    'Up to 1000 mg daily',
    '50 mg daily',
  ]);
  expect((await quotesOf(demo)).map(({ number }) => number)).toContain(1);
});

test('no quote contradicts the circumstances of the question', async ({ demo }) => {
  await demo.ask('Which antibiotic for a child with otitis media who is allergic to penicillin?');
  await demo.answered('extractive');
  await expect(demo.answer.getByRole('heading')).toHaveText('Acute otitis media › Choice and length of antibiotic');
  await expect(demo.answer.locator('p')).toHaveText('For true penicillin allergy use clarithromycin. [1]');
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

test('a question that is empty or too short is refused with a reason', async ({ demo }) => {
  for (const [text, message] of [
    ['', 'The question is empty.'],
    ['no', 'The question has 2 characters; it needs at least 3.'],
  ] as const) {
    await demo.ask(text);
    const problem = await demo.problem('question-length');
    await expect(problem).toContainText(message);
    await expect(problem.getByRole('button')).toHaveCount(0);
    await expect(demo.answer).toBeHidden();
  }
  await demo.ask('When must metformin be stopped because of the kidneys?');
  await demo.answered('extractive');
  await expect(demo.page.getByRole('alert').filter({ visible: true })).toHaveCount(0);
});

test('who asks makes no difference to the answer', async ({ demo }) => {
  const question = 'Which antibiotic for a child with otitis media who is allergic to penicillin?';
  await demo.ask(question);
  await demo.answered('extractive');
  const plain = await demo.answer.textContent();
  for (const opening of [
    'My name is Leila Haddad.',
    'I am Dr. Leila Haddad, born on 3 May 1961.',
    'You can reach me at leila.haddad@example.org or +44 20 7946 0958.',
  ]) {
    await demo.ask(`${opening} ${question}`);
    await demo.answered('extractive');
    expect(await demo.answer.textContent(), opening).toBe(plain);
  }
});
