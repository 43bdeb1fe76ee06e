import { expect, test } from '@playwright/test';
import { expectAccessible } from '../axe.js';
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
  index = indexOfFiles(NOTES, 'popular = ["/samovar.html", "/kettle.html"]');
});

test.beforeEach(async ({ page }) => {
  await page.route('**/site.ibid', (route) => route.fulfill({ body: index }));
  await page.goto(at.host.page('<ibid-search index="/site.ibid" facets="kind" sort="colour,date"></ibid-search>'));
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

test('another value of a field can be taken besides one, with the number of its pages', async ({ page }) => {
  const pages = page.getByRole('listbox').locator('[part="page-title"]');
  const news = page.getByRole('button', { name: /^news/ });
  const guide = page.getByRole('button', { name: /^guide/ });
  await page.getByRole('combobox').fill('kettle');
  await news.click();
  await expect(pages).toHaveText(['The kettle', 'The teapot']);
  await expect(guide).toHaveText('guide (1)');
  await guide.click();
  await expect(pages.filter({ hasText: /teapot|samovar/ })).toHaveCount(2);
  await news.click();
  await expect(pages.filter({ hasText: /teapot/ })).toHaveCount(0);
  await expect(pages.first()).toHaveText('The samovar');
  await expect(news).toHaveText('news (2)');
});

test('a field that no page has is not offered, and an open box without choices loads nothing for them', async ({
  page,
}) => {
  await expect(page.getByRole('button', { name: 'Sort by date' })).toBeVisible();
  await expect(page.getByRole('button', { name: 'Sort by colour' })).toHaveCount(0);
  expect(at.host.paths).toContain('/ibid/ui/choices.js');
  await page.unroute('**/site.ibid');
  at.host.paths.length = 0;
  await page.goto(at.host.page('<ibid-search index="/site.ibid"></ibid-search>'));
  await page.keyboard.press('/');
  await page.getByRole('combobox').fill('green tea');
  await expect(page.getByRole('option').first()).toBeVisible();
  expect(at.host.paths).not.toContain('/ibid/ui/choices.js');
});

test('choices are made by keys, and one that leaves nothing can be taken back', async ({ page }) => {
  const news = page.getByRole('button', { name: /^news/ });
  await news.focus();
  await page.keyboard.press('Space');
  await expect(news).toHaveAttribute('aria-pressed', 'true');
  await expect(news).toBeFocused();
  await page.getByRole('combobox').fill('qwrtzp');
  await expect(news).toHaveText('news (0)');
  await news.focus();
  await page.keyboard.press('Space');
  // The button is gone, since nothing is found with any kind.
  await expect(news).toHaveCount(0);
  await expect(page.getByRole('combobox')).toBeFocused();
});

test('taking the last choice back keeps the keyboard in its place', async ({ page }) => {
  const sort = page.getByRole('button', { name: 'Sort by date' });
  await sort.focus();
  await page.keyboard.press('Space');
  await expect(page.getByRole('option')).toHaveCount(4);
  await page.keyboard.press('Space');
  await expect(page.getByRole('option')).toHaveCount(0);
  await expect(sort).toBeFocused();
});

test('popular pages stay below pages that a visitor has opened, and are accessible', async ({ page }) => {
  const popular = page.getByRole('list', { name: 'Popular pages' }).getByRole('link');
  await expect(popular).toHaveText(['The samovar', 'The kettle']);
  await page.getByRole('combobox').fill('plums');
  await page.getByRole('option').first().click();
  await page.waitForURL(/orchard/);
  // There is no such page.
  at.complaints = [];
  await page.goto(at.host.page('<ibid-search index="/site.ibid" facets="kind" sort="date"></ibid-search>'));
  await page.keyboard.press('/');
  await expect(page.getByRole('list')).toHaveCount(3);
  await expect(page.getByRole('list').last()).toHaveAccessibleName('Popular pages');
  await expectAccessible(page, 'before the first letter');
  await page.getByRole('button', { name: /^Forget “The orchard/ }).click();
  await expect(popular).toHaveCount(2);
  await popular.first().click();
  await page.waitForURL(/samovar/);
  at.complaints = [];
});

test('pages of several indexes are in one order', async ({ page }) => {
  const more = [
    note('boiler', 'date: 2025-12-01', 'A boiler is a kettle of iron.'),
    note('pot', 'date: 2023-12-01', 'A pot with a lid is a kettle too: kettle, kettle.'),
  ];
  const other = indexOfFiles(more, 'popular = ["/pot.html"]');
  await page.route('**/other.ibid', (route) => route.fulfill({ body: other }));
  await page.goto(at.host.page('<ibid-search index="/site.ibid /other.ibid" sort="date"></ibid-search>'));
  await page.keyboard.press('/');
  const popular = page.getByRole('list', { name: 'Popular pages' }).getByRole('link');
  await expect(popular).toHaveText(['The samovar', 'The kettle', 'The pot']);
  await page.getByRole('button', { name: 'Sort by date' }).click();
  const pages = page.getByRole('listbox').locator('[part="page-title"]');
  const sorted = ['teapot', 'boiler', 'samovar', 'kettle', 'pot'].map((name) => new RegExp(`^The ${name}`));
  await expect(pages).toHaveText([...sorted, /^The orchard/]);
  await page.getByRole('combobox').fill('kettle');
  await expect(pages).toHaveText(sorted);
});

test('a new query shows its first results, however far the visitor had gone', async ({ page }) => {
  await page.unroute('**/site.ibid');
  await page.setViewportSize({ width: 800, height: 500 });
  await page.goto(at.host.page('<ibid-search index="/site.ibid"></ibid-search>'));
  await page.keyboard.press('/');
  await page.getByRole('combobox').fill('index');
  await expect(page.getByRole('option').first()).toBeVisible();
  await page.keyboard.press('ArrowUp');
  await expect(page.getByRole('option').first()).not.toBeInViewport();
  await page.getByRole('combobox').fill('search');
  const first = page.locator('[part="page-title"]').first();
  await expect(page.locator('[part="mark"]', { hasText: /search/i }).first()).toBeAttached();
  await expect(first).toBeInViewport();
});
