// A visitor of a site that a plug-in has added search to: finds pages by questions, follows a result, asks.

import assert from 'node:assert/strict';
import { createRequire } from 'node:module';

const { chromium } = createRequire(new URL('../e2e/package.json', import.meta.url))('playwright-core');

/** Questions that were written before the search was tried, with the page that answers each. */
const QUESTIONS = [
  ['how do I install it on Debian', 'guide/install'],
  ['how much memory does a Raspberry Pi need', 'guide/install'],
  ['boil only on weekdays', 'guide/schedule'],
  ['skip a boil on holidays', 'guide/schedule'],
  ['which heaters are supported', 'guide/heaters'],
  ['heating an empty vessel', 'guide/heaters'],
  ['days until a log is removed', 'reference/options'],
  ['what does exit code 3 mean', 'reference/commands'],
  ['the water is hotter than it should be', 'troubleshooting'],
  ['boils are one hour late', 'troubleshooting'],
];
/** The least number of them that must be found among the first three pages. */
const ENOUGH = 9;

export async function openBrowser() {
  return await chromium.launch({
    executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium',
    chromiumSandbox: process.getuid?.() !== 0,
    args: ['--disable-gpu', '--disable-background-networking', '--disable-component-update', '--disable-dev-shm-usage'],
  });
}

/** Visits a site at its first page, and returns what was measured. */
export async function visit(browser, address) {
  const page = await browser.newPage({ viewport: { width: 1280, height: 800 } });
  const complaints = [];
  const sizes = [];
  page.on('pageerror', ({ message }) => complaints.push(message));
  // Pages of mdBook ask the playground of Rust which crates it has.
  await page.route(/^https:/, (route) =>
    route.fulfill({ json: { crates: [] }, headers: { 'access-control-allow-origin': '*' } }),
  );
  page.on('requestfinished', (request) => {
    if (/ibid/.test(request.url())) sizes.push(request.sizes());
  });
  try {
    await page.goto(address);
    await page.locator('ibid-search').waitFor({ state: 'attached' });
    await page.keyboard.press('Control+k');
    const box = page.locator('ibid-search [role="combobox"]');
    const options = page.locator('ibid-search [role="option"]');
    await box.fill('water');
    await options.first().waitFor();
    const untilFirst = (await Promise.all(sizes)).reduce((sum, { responseBodySize }) => sum + responseBodySize, 0);
    let found = 0;
    const missed = [];
    for (const [question, wanted] of QUESTIONS) {
      const pages = await pagesOf(page, box, question);
      if (pages.slice(0, 3).some((path) => path.includes(wanted))) found += 1;
      else missed.push(`${question}: ${pages}`);
    }
    assert.ok(found >= ENOUGH, `${found} of ${QUESTIONS.length} found; missed: ${missed.join('; ')}`);
    await pagesOf(page, box, 'heating an empty vessel');
    await options.first().click();
    await page.waitForURL(/guide\/heaters/);
    const marked = () => page.evaluate(() => [...(CSS.highlights.get('ibid-target') ?? [])].map(String).join(' '));
    await until(async () => /safety|vessel/i.test(await marked()));
    await page.keyboard.press('Control+k');
    await box.fill('What must never be heated?');
    await page.locator('ibid-search [part="ask"]').click();
    await page.locator('ibid-search article').getByText('Never heat an empty vessel').first().waitFor();
    assert.deepEqual(complaints, []);
    return { untilFirst, found };
  } finally {
    await page.close();
  }
}

/** The addresses of the results of a query, page by page. */
async function pagesOf(page, box, query) {
  const said = page.evaluate(
    (query) =>
      new Promise((resolve, reject) => {
        setTimeout(reject, 30_000, new Error(`No results came for ${query}`));
        // The event of a search that was meant: all its results have come.
        document.addEventListener('ibid-query', ({ detail }) => detail.query === query && resolve());
      }),
    query,
  );
  await box.fill(query);
  await said;
  const links = await page
    .locator('ibid-search [role="option"]')
    .evaluateAll((all) => all.map((link) => link.getAttribute('href') ?? ''));
  return [...new Set(links.map((href) => href.replace(/[?#].*/, '')))];
}

/** Returns the scheme of the search box, the width of a narrow screen's page, and the number of buttons with a name. */
export async function looks(browser, address, colorScheme, width) {
  const page = await browser.newPage({ viewport: { width, height: 800 }, colorScheme });
  try {
    await page.goto(address);
    await page.locator('ibid-search').waitFor({ state: 'attached' });
    const named = await page.locator('ibid-search').getByRole('button', { name: /\S/, includeHidden: true }).count();
    const seen = await page.evaluate(() => {
      const search = document.querySelector('ibid-search');
      return { theme: search.getAttribute('theme'), wide: document.documentElement.scrollWidth };
    });
    return { ...seen, named };
  } finally {
    await page.close();
  }
}

async function until(holds) {
  for (let tries = 0; tries < 60; tries += 1) {
    if (await holds()) return;
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  assert.fail('the words of the result are not highlighted');
}
