import { expect, test } from '@playwright/test';
import { indexOfFiles } from '../documents.js';
import { elements } from '../elements-host.js';

// Lists of pages without a word typed, and results in the order of a field.

const note = (name: string, fields: string, text: string) => ({
  name: `${name}.md`,
  text: `---\nurl: /${name}.html\n${fields}\n---\n# The ${name}\n\n${text}\n`,
});
const NOTES = [
  note('kettle', 'date: 2024-03-01\nkind: news', 'Water boils in the kettle, and the kettle rings.'),
  note('teapot', 'date: 2026-01-15\nkind: news', 'The teapot takes what the kettle has boiled.'),
  note('samovar', 'date: 2025-06-30\nkind: guide', 'A samovar is a kettle with a tap.'),
  note('orchard', 'kind: guide', 'Plums ripen in August.'),
];

const at = elements();
let index: Buffer;

test.beforeAll(() => {
  index = indexOfFiles(NOTES);
});

test.beforeEach(async ({ page }) => {
  await page.route('**/site.ibid', (route) => route.fulfill({ body: index }));
  await page.goto(at.host.page('<ibid-search index="/site.ibid" facets="kind" sort="date"></ibid-search>'));
  await page.keyboard.press('/');
});

test('results are sorted by a field, and by relevance again', async ({ page }) => {
  const pages = page.getByRole('listbox').locator('[part="page-title"]');
  await page.getByRole('combobox').fill('kettle');
  await expect(pages.first()).toHaveText('The kettle');
  const sort = page.getByRole('button', { name: 'Sort by date' });
  await sort.click();
  await expect(pages).toHaveText(['The teapot', 'The samovar', 'The kettle']);
  await expect(sort).toHaveAttribute('aria-pressed', 'true');
  await sort.click();
  await expect(pages.first()).toHaveText('The kettle');
});

test('without a query pages are listed by what was chosen', async ({ page }) => {
  const pages = page.getByRole('listbox').locator('[part="page-title"]');
  const news = page.getByRole('button', { name: /^news/ });
  await expect(news).toHaveText('news (2)');
  await expect(pages).toHaveCount(0);
  await news.click();
  await expect(pages).toHaveText(['The kettle', 'The teapot']);
  await expect(page.getByRole('status')).toHaveText('Results: 2');
  await page.getByRole('button', { name: 'Sort by date' }).click();
  await expect(pages).toHaveText(['The teapot', 'The kettle']);
  await news.click();
  await expect(pages).toHaveText(['The teapot', 'The samovar', 'The kettle', 'The orchard']);
  await page.keyboard.press('Tab');
  await page.getByRole('combobox').fill('plums');
  await expect(pages.first()).toHaveText('The orchard');
  await page.getByRole('combobox').fill('');
  await page.getByRole('button', { name: 'Sort by date' }).click();
  await expect(pages).toHaveCount(0);
  await expect(page.getByRole('status')).toHaveText('Type a few words or a question.');
});
