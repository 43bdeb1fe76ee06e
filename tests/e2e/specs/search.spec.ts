import { expect, test } from '../harness.js';

// The search of the demo, as a visitor meets it.

const METFORMIN = 'How much metformin a day with an eGFR of 35?';

const QUESTIONS: [query: string, page: string, section: string][] = [
  [METFORMIN, 'Type 2 diabetes', 'Renal impairment'],
  ['child tugging at the ear', 'Acute otitis media', 'When to suspect it'],
  ['safe blood pressure tablets in pregnancy', '(Hypertension|Pre-eclampsia)', 'Pregnancy'],
  ['which antibiotic for pneumonia with penicillin allergy', 'Community-acquired pneumonia', 'First-line treatment'],
  ['fever after a trip to the tropics', 'Uncomplicated malaria', 'When to suspect it'],
  ['trouble breathing after a wasp sting', 'Anaphylaxis', 'Definition and scope'],
  ['what does the relevance of a hit mean', '(Searching|Measurements)', 'Relevance'],
  ['how is an API key kept', 'Privacy and safety', 'Keys'],
];

test('finds the passage that answers, for questions in words of their own', async ({ demo }) => {
  for (const [query, page, section] of QUESTIONS) {
    await test.step(query, async () => {
      await demo.search(query);
      // Words and meaning are ranked together, so another passage of the same page may come before it.
      await expect(demo.results.first()).toHaveAttribute('aria-label', new RegExp(`^${page}`));
      await expect(demo.results.filter({ hasText: section }).first()).toBeVisible();
    });
  }
});

test('finds what is typed only in part, or wrongly', async ({ demo }) => {
  await demo.search('artemeth');
  await expect(demo.results.first()).toHaveAttribute('aria-label', /^Uncomplicated malaria/);
  await demo.search('metfromin');
  await expect(demo.results.first()).toHaveAttribute('aria-label', /^Type 2 diabetes/);
});

test('documents of one kind can be searched alone', async ({ demo, page }) => {
  await demo.search('blood pressure tablets');
  const kind = page.getByRole('button', { name: /^cardiology/i });
  await kind.click();
  await expect(page.getByRole('button', { name: /^cardiology/i })).toHaveAttribute('aria-pressed', 'true');
  await expect(demo.results.first()).toHaveAttribute('aria-label', /^Hypertension/);
  for (const label of await demo.results.evaluateAll((all) => all.map((one) => one.getAttribute('aria-label')))) {
    expect(label).toMatch(/^(Hypertension|Atrial fibrillation|Heart failure)/);
  }
});

test('says so where nothing matches well, and shows what comes nearest', async ({ demo }) => {
  for (const query of ['best pizza dough recipe', 'zzzzqqqq xkcdfoo', '🫁🫁🫁']) {
    await demo.search(query);
    await expect(demo.searchStatus).toHaveText(/^(?:No good matches|No results)/);
  }
});

test('examples search, and Escape forgets the results with the query', async ({ demo, page }) => {
  await page.getByRole('group', { name: 'Example searches' }).getByRole('button').first().click();
  await expect(demo.searchBox).toHaveValue('child tugging at the ear');
  await expect(demo.results.first()).toHaveAttribute('aria-label', /^Acute otitis media/);
  await expect(demo.results.first(), 'where one looks').toBeInViewport();
  await demo.searchBox.press('Escape');
  await expect(demo.searchBox).toHaveValue('');
  await expect(demo.results).toHaveCount(0);
});

test('what is chosen stays so when the results of the last letters come', async ({ demo, page }) => {
  await demo.search('metformin in renal impairment');
  await expect(demo.results.first()).toBeVisible();
  await page.keyboard.insertText(', eGFR');
  await page.keyboard.press('ArrowDown');
  const chosen = page.locator('[role=option][aria-selected=true]');
  const label = await chosen.getAttribute('aria-label');
  await expect(page).toHaveURL(/eGFR/);
  await expect(page.locator('[role=option] mark', { hasText: 'eGFR' }).first()).toBeVisible();
  await expect(chosen).toHaveAttribute('aria-label', label ?? '');
  await page.keyboard.insertText('?');
  await expect(chosen).toHaveCount(0);
});

test('an answer that is asked for at once stays, whatever the last letters would have found', async ({
  demo,
  page,
}) => {
  const box = page.locator('ibid-search');
  await expect(demo.searchBox).toBeVisible();
  // As quick as a program types and clicks.
  await box.evaluate(async (search, question) => {
    search.setAttribute('answers', '');
    const inside = <T extends HTMLElement>(selector: string) => search.shadowRoot?.querySelector<T>(selector) as T;
    inside<HTMLInputElement>('input').value = question;
    inside('input').dispatchEvent(new InputEvent('input'));
    inside('.ask').click();
    await new Promise((resolve) => setTimeout(resolve, 500));
  }, METFORMIN);
  await expect(box.getByRole('article').locator('.ibid-cite').first()).toBeVisible();
});

test('a result leads to its page, at the heading, where its words are marked', async ({ demo, page }) => {
  await page.keyboard.press('/');
  await page.keyboard.insertText('metformin in renal impairment, eGFR 30 to 44');
  const result = demo.results.filter({ hasText: 'Renal impairment' }).first();
  await expect(result).toBeVisible();
  await page.keyboard.press('ArrowDown');
  for (let at = 0; at < 10 && (await result.getAttribute('aria-selected')) !== 'true'; at += 1) {
    await page.keyboard.press('ArrowDown');
  }
  await page.keyboard.press('Enter');
  await page.waitForURL(/\/handbook\/type-2-diabetes\.html#renal-impairment/);
  await expect(page.getByRole('cell', { name: 'Up to 1000 mg daily' })).toBeInViewport();
  const marked = () => page.evaluate(() => [...(CSS.highlights.get('ibid-target') ?? [])].map(String));
  await expect.poll(marked).toEqual(expect.arrayContaining(['eGFR']));
});

test('pages of the documentation search and answer too', async ({ page }) => {
  await page.goto('docs/start.html');
  // The script waits until the page is its own.
  await page.locator('ibid-search').waitFor();
  await page.keyboard.press('Control+k');
  await page.getByRole('combobox').fill('which header does a host need for ranges');
  await expect(page.getByRole('option').first()).toBeVisible();
  await page.getByRole('button', { name: /^Ask: / }).click();
  await expect(page.getByRole('article').locator('.ibid-cite').first()).toBeVisible();
});

test('a result on a page of the documentation leads to a page', async ({ page }) => {
  await page.goto('docs/start.html');
  // The script waits until the page is its own.
  await page.locator('ibid-search').waitFor();
  await page.keyboard.press('Control+k');
  await page.getByRole('combobox').fill('one line in the configuration of VitePress');
  await page.getByRole('option').first().click();
  await page.waitForURL(/\/docs\/[a-z-]+\.html#/);
  await expect(page.locator('h1')).toBeVisible();
});

test('going back from a result finds the box as it was left', async ({ page }) => {
  await page.goto('docs/start.html');
  await page.locator('ibid-search').waitFor();
  await page.keyboard.press('Control+k');
  const box = page.getByRole('combobox');
  const meant = page.evaluate(
    () => new Promise<void>((told) => document.addEventListener('ibid-query', () => told(), { once: true })),
  );
  await box.fill('which header does a host need for ranges');
  await meant;
  const elsewhere = page.locator('[role=option]:not([href*="start.html"])').last();
  const left = await elsewhere.getAttribute('aria-label');
  await elsewhere.click();
  await page.waitForURL(/docs\/(?!start)/);
  await expect(page.locator('dialog[open]')).toHaveCount(0);
  await page.goBack();
  await expect(box).toHaveValue('which header does a host need for ranges');
  const chosen = page.locator('[role=option][aria-selected=true]');
  await expect(chosen).toHaveAttribute('aria-label', left ?? '');
  await expect(chosen).toBeInViewport();
  await page.keyboard.press('Escape');
  await page.keyboard.press('Escape');
  await expect(page).toHaveURL(/start\.html$/);
});

test('a visitor who opens a result right behind the last letter comes back to the whole query', async ({ page }) => {
  await page.goto('docs/asking.html');
  await page.locator('ibid-search').waitFor();
  await page.keyboard.press('Control+k');
  const box = page.getByRole('combobox');
  await box.pressSequentially('header', { delay: 20 });
  await expect(page.getByRole('option').first()).toBeVisible();
  await page.keyboard.press('ArrowDown');
  await box.pressSequentially(' ranges', { delay: 5 });
  await page.keyboard.press('Enter');
  await page.waitForURL(/docs\/(?!asking)/);
  await page.goBack();
  await expect(box).toHaveValue('header ranges');
});
