import { expect, test } from '@playwright/test';
import { indexOfFiles } from '../documents.js';
import { elements } from '../elements-host.js';

// A site in several versions: the box searches the one that is open, until its reader lets that go.

const page = (version: string, minutes: string) => ({
  name: `docs/${version}brew.md`,
  text: `---\nurl: /docs/${version}brew.html\n---\n# Brewing\n\nThe pot of this release brews for ${minutes} minutes.\n`,
});
const SITE = [
  page('', 'nine'),
  page('1.0/', 'two'),
  page('2.0/', 'four'),
  { name: 'docs/pot.md', text: '# Pot\n\nIt is made of clay.\n' },
  { name: 'docs/1.0/pot.md', text: '# Pot\n\nIt is made of tin.\n' },
  { name: 'blog/brew.md', text: '# Why we brew\n\nBrewing for some minutes is what a pot is for.\n' },
];

const at = elements();
let index: Buffer;

test.beforeAll(() => {
  index = indexOfFiles(SITE);
});

test('the version of the page is searched, and all of them once its filter is off', async ({ page }) => {
  await page.route('**/site.ibid', (route) => route.fulfill({ body: index }));
  const { origin, pathname } = new URL(at.host.page('<ibid-search index="/site.ibid"></ibid-search>'));
  await page.route('**/docs/1.0/pot.html', async (route) =>
    route.fulfill({ response: await route.fetch({ url: origin + pathname }) }),
  );
  await page.goto(`${origin}/docs/1.0/pot.html`);
  await page.keyboard.press('/');
  await page.getByRole('combobox').fill('how many minutes does the pot brew');
  const results = page.getByRole('listbox');
  await expect(results).toContainText('two minutes');
  await expect(results).not.toContainText(/four|nine/);
  await expect(results, 'which is in no version').toContainText('Why we brew');
  const chosen = page.getByRole('button', { pressed: true });
  await expect(chosen).toHaveText(/^1\.0 \(\d\)$/);
  await chosen.click();
  await expect(results).toContainText('four minutes');
  await expect(results).toContainText('nine minutes');
});
