import { expectAccessible } from '../axe.js';
import type { Demo } from '../demo.js';
import { sourceText } from '../documents.js';
import { expect, test } from '../harness.js';

// Answers without a model: quotes of the best passages, word for word.

const words = (text: string) => text.replace(/\s+/g, ' ').trim();

/** The paragraphs, items and cells of the answer, without their marks. */
async function quotes(demo: Demo): Promise<string[]> {
  const texts = await demo.answer.locator('p, li, td, pre').allTextContents();
  return texts.map((text) => words(text.replace(/(?: ?…)? *\[\d+\]$/, ''))).filter((text) => text !== '');
}

test('a question is answered by quotes that can be checked', async ({ demo }) => {
  await demo.ask('How much adrenaline does an adult with anaphylaxis get?');
  await demo.answered('extractive');
  await expect(demo.answer.getByRole('heading').first()).toHaveText('Anaphylaxis › Adrenaline by age');
  await expect(demo.answer.getByRole('row').last()).toContainText('0.5 mg');
  const source = words(sourceText('handbook/anaphylaxis.md'));
  const found = await quotes(demo);
  expect(found).not.toEqual([]);
  for (const quote of found) expect(source).toContain(quote);
  await demo.citations.first().click();
  await expect(demo.passage).toContainText(/\[\d+\] Anaphylaxis › /);
  await expect(demo.passage).toBeFocused();
  // It is verbatim: nothing in it needs to be pointed out.
  await expect(demo.passage.locator('mark')).toHaveCount(0);
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
});

test('no quote contradicts the circumstances of the question', async ({ demo, page }) => {
  await page.getByRole('group', { name: 'Example questions' }).getByRole('button').first().click();
  await demo.answered('extractive');
  await expect(demo.answer.getByRole('heading')).toHaveText('Acute otitis media › Choice and length of antibiotic');
  await expect(demo.answer.locator('p')).toHaveText('For true penicillin allergy use clarithromycin. [1]');
});

test('where nothing answers, what comes nearest is shown as results, and the search is a tap away', async ({
  demo,
}) => {
  const question = 'What is the best pizza dough recipe?';
  await demo.ask(question);
  await expect(demo.answer).toHaveText('No good matches. Closest results:');
  await expect(demo.citations).toHaveCount(0);
  await expect(demo.sources).toHaveCount(0);
  const nearest = demo.turns.first().getByRole('link');
  await expect(nearest).toHaveCount(3);
  await expect(nearest.first()).toHaveAttribute('href', /^(?:https?:|\/)/);
  await expect(nearest.first().locator('[part="section"]')).not.toBeEmpty();
  await expect(nearest.first().locator('[part="excerpt"]')).not.toBeEmpty();
  await expectAccessible(demo.page, 'nearest');
  await demo.turns.first().getByRole('button', { name: 'Search' }).click();
  await expect(demo.searchBox).toHaveValue(question);
  await expect(demo.results).not.toHaveCount(0);
});

test('of a second question only what was found for it is shown', async ({ demo }) => {
  await demo.ask('How much adrenaline does an adult with anaphylaxis get?');
  await demo.answered('extractive');
  await demo.ask('What is the best pizza dough recipe?');
  const nearest = demo.turns.first().getByRole('link');
  await expect(nearest).toHaveCount(3);
  await expect(nearest.filter({ hasText: 'Anaphylaxis' })).toHaveCount(0);
});

test('the keyboard alone is enough: Enter asks, Shift+Enter does not', async ({ demo, page }) => {
  await demo.question.focus();
  await page.keyboard.type('How much adrenaline does an adult');
  await page.keyboard.press('Shift+Enter');
  await expect(demo.turns).toHaveCount(0);
  await page.keyboard.type('with anaphylaxis get?');
  await page.keyboard.press('Enter');
  await demo.answered('extractive');
  await demo.citations.first().focus();
  await page.keyboard.press('Enter');
  await expect(demo.passage).toContainText('Anaphylaxis');
});

test('a question that is too short is refused with a reason, and an empty one is none', async ({ demo }) => {
  await demo.ask('');
  await expect(demo.turns).toHaveCount(0);
  await demo.ask('no');
  const problem = await demo.problem('question-length');
  await expect(problem).toContainText('The question has 2 characters; it needs at least 3.');
});

test('who asks makes no difference to the answer', async ({ demo }) => {
  const question = 'Which antibiotic for a child with otitis media who is allergic to penicillin?';
  await demo.ask(question);
  await demo.answered('extractive');
  const plain = await demo.answer.textContent();
  let turns = 1;
  for (const opening of [
    'My name is Leila Haddad.',
    'I am Dr. Leila Haddad, born on 3 May 1961.',
    'You can reach me at leila.haddad@example.org or +44 20 7946 0958.',
  ]) {
    await demo.ask(`${opening} ${question}`);
    turns += 1;
    await expect(demo.turns).toHaveCount(turns);
    await demo.answered('extractive');
    expect(await demo.answer.textContent(), opening).toBe(plain);
  }
});

test('long quotes are folded behind some 80 words', async ({ demo }) => {
  await demo.ask('When should I refer a child with otitis media?');
  await demo.answered('extractive');
  const shown = words(await demo.answer.innerText());
  expect(shown.split(' ').length).toBeLessThan(100);
  await expect(demo.citations.first()).toBeVisible();
  const unfold = demo.turns.first().getByRole('button', { name: 'Show all' });
  await unfold.click();
  await expect(unfold).toHaveCount(0);
  const all = words(await demo.answer.innerText());
  expect(all.length).toBeGreaterThan(shown.length);
  expect(all.replace(/\W/g, '')).toBe(words((await demo.answer.textContent()) ?? '').replace(/\W/g, ''));
});
