import { expect, type Page, test } from '@playwright/test';
import { expectAccessible } from '../axe.js';
import { indexOfFiles } from '../documents.js';
import { elements } from '../elements-host.js';

// Several indexes in one search box: `index="/site.ibid /engines.ibid"`.

const ENGINES = [
  {
    name: 'oil.md',
    text: `---
title: Oil
url: /oil.html
---
# Oil

## Gearbox

The oil of the gearbox is changed every 60,000 kilometres, while it is warm. A green mark on the dipstick is enough.
`,
  },
  { name: 'belt.md', text: '# Belt\n\nThe timing belt is tensioned by a roller, and lasts for ten years.\n' },
];
const BOX = '<ibid-search index="/site.ibid /engines.ibid" names="Drinks, Engines"></ibid-search>';

const at = elements();
let engines: Buffer;

test.beforeAll(() => {
  engines = indexOfFiles(ENGINES);
});
test.beforeEach(async ({ page }) => {
  await page.route('**/engines.ibid', (route) => route.fulfill({ body: engines }));
});

async function search(page: Page, box: string, query: string): Promise<void> {
  await page.goto(at.host.page(box));
  await page.keyboard.press('/');
  await page.getByRole('combobox').fill(query);
  await expect(page.getByRole('option').first()).toBeVisible();
}

test('results of all indexes are ranked together, each with the name of its own', async ({ page }) => {
  await search(page, BOX, 'how hot is green tea');
  await expect(page.getByRole('group').first()).toHaveAccessibleName(/^Tea\s*Drinks$/);
  await page.getByRole('combobox').fill('when is the oil of the gearbox changed');
  await expect(page.getByRole('group').first()).toHaveAccessibleName(/^Oil\s*Engines$/);
  await page.getByRole('option').first().click();
  await page.waitForURL(/\/oil\.html#gearbox/);
  // It has no such page.
  at.complaints = [];
});

test('a weight and groups change what comes first', async ({ page }) => {
  await search(page, BOX.replace('names', 'answers weights="0.01, 1" grouped names'), 'green');
  const labels = page.locator('[part="index"]');
  await expect(labels).toHaveText(['Engines', 'Drinks']);
  await expect(page.getByRole('group').first()).toHaveAccessibleName('Oil');
  await expectAccessible(page, 'grouped');
});

test('an index that fails is named, and does not silence the other', async ({ page }) => {
  await page.route('**/engines.ibid', (route) => route.abort());
  await search(page, BOX, 'how hot is green tea');
  await expect(page.getByText('“Engines” does not answer at the moment.')).toBeVisible();
  await expect(page.getByRole('group').first()).toHaveAccessibleName(/^Tea/);
  await page.unroute('**/engines.ibid');
  await page.route('**/engines.ibid', (route) => route.fulfill({ body: engines }));
  await page.getByRole('combobox').fill('gearbox oil');
  await expect(page.getByRole('group').first()).toHaveAccessibleName(/^Oil/);
  await expect(page.getByText('does not answer')).toHaveCount(0);
  // The browser itself reports the requests that failed.
  at.complaints = at.complaints.filter((line) => !line.startsWith('Failed to load resource'));
});

test('a question is answered from the index that knows most', async ({ page }) => {
  await search(page, BOX.replace('names', 'answers names'), 'When is the oil of the gearbox changed?');
  await expectAccessible(page, 'several');
  await page.getByRole('combobox').focus();
  await page.keyboard.press('Shift+Enter');
  await expect(page.getByRole('article')).toContainText('60,000 kilometres');
  await page.getByRole('textbox', { name: 'Your question' }).fill('How hot is green tea?');
  await page.keyboard.press('Enter');
  await expect(page.getByRole('article').first()).toContainText('80 degrees');
});

test('a page of one index loads nothing for several', async ({ page }) => {
  await search(page, '<ibid-search index="/site.ibid"></ibid-search>', 'green tea');
  expect(at.host.paths.filter((path) => path.includes('several'))).toEqual([]);
  expect(
    await page.evaluate(() => document.querySelector('ibid-search')?.shadowRoot?.querySelector('[part=index]')),
  ).toBe(null);
});
