import { sourceText } from '../documents.js';
import { expect, test } from '../harness.js';

const METFORMIN = 'How much metformin a day with an eGFR of 35?';

const QUESTIONS: [query: string, title: string, path: string, says: string][] = [
  [METFORMIN, 'Type 2 diabetes', 'Special groups › Renal impairment', '30 to 44, Up to 1000 mg daily'],
  ['child tugging at the ear', 'Acute otitis media', 'When to suspect it', 'ear'],
  ['safe blood pressure tablets in pregnancy', 'Hypertension', 'Special groups › Pregnancy', 'pregnancy'],
  [
    'which antibiotic for pneumonia with penicillin allergy',
    'Community-acquired pneumonia',
    'First-line treatment',
    '',
  ],
  ['fever after a trip to the tropics', 'Uncomplicated malaria', 'When to suspect it', 'fever'],
  ['trouble breathing after a wasp sting', 'Anaphylaxis', 'Definition and scope', ''],
  ['what does a similarity score mean', 'Embeddings and similarity', 'What a score means', 'cosine'],
  ['how is an API key kept', 'Security and privacy', 'Keys', 'never stored'],
];

test('finds the passage that answers, for questions in words of their own', async ({ demo, page }) => {
  for (const [query, title, path, says] of QUESTIONS) {
    await test.step(query, async () => {
      await demo.search(query);
      // Words and meaning are ranked together, so another passage of the same chapter may come before it.
      const place = demo.results.filter({ has: page.getByRole('heading', { name: title, exact: true }) });
      const found = place.filter({ has: page.getByText(path, { exact: true }) }).filter({ hasText: says });
      await expect(found.first()).toBeVisible();
      await expect(demo.results.first().getByRole('heading')).toHaveText(title);
    });
  }
});

test('shows how relevant each passage is, and marks the words of the query', async ({ demo }) => {
  await demo.search(METFORMIN);
  await expect(demo.results).toHaveCount(5);
  await expect(demo.searchStatus).toHaveText(/^5 passages in [\d.]+ ms$/);
  const texts = await demo.results.locator('.score').allTextContents();
  const shown = texts.map((text) => Number(/^Relevance ([01]\.\d\d)$/.exec(text.trim())?.[1]));
  for (const relevance of shown) {
    expect(relevance).toBeGreaterThanOrEqual(0.5);
    expect(relevance).toBeLessThanOrEqual(1);
  }
  const marked = (await demo.results.locator('mark').allTextContents()).map((text) => text.toLowerCase());
  expect(marked).toEqual(expect.arrayContaining(['metformin', 'day', 'egfr']));
});

test('finds what is typed only in part, or wrongly, and offers headings', async ({ demo, page }) => {
  await demo.search('artemeth');
  await expect(demo.results.first().getByRole('heading')).toHaveText('Uncomplicated malaria');
  await demo.search('metfromin');
  await expect(demo.results.first().getByRole('heading')).toHaveText('Type 2 diabetes');
  await demo.searchBox.fill('hyper');
  await expect(page.locator('#completions option[value="Hypertension"]')).toHaveCount(1);
});

test('documents of one kind can be searched alone', async ({ demo, page }) => {
  await demo.search('fever');
  const kinds = page.getByRole('group', { name: 'Only documents about' });
  const kind = kinds.getByRole('button', { name: /^cardiology/i });
  await kind.click();
  await expect(kind).toHaveAttribute('aria-pressed', 'true');
  await demo.search('blood pressure tablets');
  await expect(demo.results.first().getByRole('heading')).toHaveText('Hypertension');
  for (const title of await demo.results.getByRole('heading').allTextContents()) {
    expect(['Hypertension', 'Atrial fibrillation', 'Heart failure']).toContain(title);
  }
  await kind.click();
  await expect(kind).toHaveAttribute('aria-pressed', 'false');
  await demo.search('fever after a trip to the tropics');
  await expect(demo.results.first().getByRole('heading')).toHaveText('Uncomplicated malaria');
});

test('says so where nothing matches well, and shows what comes nearest', async ({ demo }) => {
  for (const query of ['best pizza dough recipe', 'zzzzqqqq xkcdfoo', '🫁🫁🫁']) {
    await demo.search(METFORMIN);
    await expect(demo.searchStatus).toHaveText(/^5 passages in /);
    await demo.search(query);
    await expect(demo.searchStatus).toHaveText('Nothing in the documents matches well; this comes nearest.');
    await expect(demo.results).toHaveCount(5);
  }
});

test('searches while one types, and forgets the results with the query', async ({ demo, page }) => {
  await demo.searchBox.pressSequentially('metformin dose');
  await expect(demo.results.first()).toBeVisible();
  await demo.searchBox.press('Escape');
  await expect(demo.searchBox).toHaveValue('');
  await expect(demo.results).toHaveCount(0);
  await expect(demo.searchStatus).toBeEmpty();
  await page.getByRole('group', { name: 'Example searches' }).getByRole('button').first().click();
  await expect(demo.searchBox).toHaveValue('child tugging at the ear');
  await expect(demo.results.first().getByRole('heading')).toHaveText('Acute otitis media');
});

test('offers more results, and more of a long one', async ({ demo, page }) => {
  await demo.search('dose');
  await expect(demo.results).toHaveCount(5);
  await page.getByRole('button', { name: 'More results' }).click();
  await expect(demo.results).toHaveCount(10);
  await expect(page.getByRole('button', { name: 'More results' })).toBeHidden();
  await expect(demo.results.nth(5).getByRole('button').first(), 'the first new one').toBeFocused();
  const more = demo.results.getByRole('button', { name: 'Show more' });
  const cutOff = await more.count();
  const text = demo.results.locator('.result-text:has(+ button)').first();
  const before = (await text.boundingBox())?.height ?? 0;
  await more.first().click();
  await expect(more).toHaveCount(cutOff - 1);
  await expect(demo.results.getByRole('button', { name: 'Show less' })).toHaveAttribute('aria-expanded', 'true');
  expect((await text.boundingBox())?.height).toBeGreaterThan(before);
});

test('the keyboard alone is enough', async ({ demo, page }) => {
  await page.keyboard.press('/');
  await expect(demo.searchBox).toBeFocused();
  await expect(demo.searchBox).toHaveValue('');
  await page.keyboard.type(METFORMIN);
  await page.keyboard.press('Enter');
  await expect(demo.results).toHaveCount(5);
  const titles = demo.results.locator('.result-title');
  await page.keyboard.press('ArrowDown');
  await expect(titles.nth(0)).toBeFocused();
  await page.keyboard.press('ArrowDown');
  await expect(titles.nth(1)).toBeFocused();
  await page.keyboard.press('ArrowUp');
  await expect(titles.nth(0)).toBeFocused();
  await page.keyboard.press('Enter');
  await expect(demo.passage).toBeVisible();
  await expect(demo.passage.getByRole('heading')).toHaveText('Type 2 diabetes');
  // The keys of the page do nothing while the dialog is open.
  await page.keyboard.press('/');
  await expect(demo.searchBox).not.toBeFocused();
  await page.keyboard.press('Escape');
  await expect(demo.passage).toBeHidden();
  await expect(titles.nth(0), 'back where one was').toBeFocused();
  await page.keyboard.press('ArrowUp');
  await expect(demo.searchBox).toBeFocused();
});

test('a passage stands in the dialog as it stands in the file', async ({ demo, page }) => {
  await demo.search(METFORMIN);
  await demo.results.first().getByRole('button', { name: 'Type 2 diabetes' }).click();
  await expect(demo.passage.locator('.path')).toHaveText('Special groups › Renal impairment');
  const shown = (await demo.passageText.textContent()) ?? '';
  const text = sourceText('handbook/type-2-diabetes.md');
  expect(text).toContain(shown);
  const line = text.slice(0, text.indexOf(shown)).split('\n').length;
  await expect(demo.passage.locator('dd').first()).toHaveText(`handbook/type-2-diabetes.md, line ${line}`);
  await expect(demo.passageText.locator('mark')).toHaveText(['eGFR', 'Metformin']);
  await demo.passage.getByRole('button', { name: 'Close' }).click();
  await expect(demo.passage).toBeHidden();
  // A click beside the dialog closes it; one inside does not.
  await demo.results.first().getByRole('button', { name: 'Type 2 diabetes' }).click();
  await demo.passageText.click();
  await expect(demo.passage).toBeVisible();
  await page.mouse.click(5, 5);
  await expect(demo.passage).toBeHidden();
});
