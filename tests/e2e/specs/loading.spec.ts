import { siteFile } from '../documents.js';
import { expect, test } from '../harness.js';
import { held } from '../held.js';

const QUESTION = 'How much metformin a day with an eGFR of 35?';

test('fetches the page and the elements, and nothing else before they are used', async ({ demo, page, requests }) => {
  await page.waitForTimeout(300);
  const paths = requests.map(({ pathname }) => pathname);
  expect(paths.filter((path) => /site\.ibid|\.wasm|\.bin|ibid\/index\.js/.test(path))).toEqual([]);
  await demo.searchBox.focus();
  await expect.poll(() => requests.some(({ pathname }) => pathname.endsWith('.wasm'))).toBe(true);
});

test('asks nothing but its own server for files, each once but for those that it reads in parts', async ({
  demo,
  page,
  requests,
  site,
}) => {
  await demo.search(QUESTION);
  await expect(demo.results).not.toHaveCount(0);
  expect(requests.map(({ origin }) => origin)).toEqual(requests.map(() => new URL(site).origin));
  const paths = requests.map(({ pathname }) => pathname);
  for (const needed of ['/ibid/index.js', '/ibid/wasm/ibid_bg.wasm']) {
    expect(paths.filter((path) => path === needed)).toEqual([needed]);
  }
  const more = async () => {
    const before = requests.length;
    await page.waitForTimeout(500);
    return requests.length - before;
  };
  await expect.poll(more).toBe(0);
  const searching = requests.length;
  await demo.ask(QUESTION);
  await demo.answered('extractive');
  const after = requests.slice(searching).map(({ pathname }) => pathname);
  const asking = after.filter((path) => path.startsWith('/ibid/ask/'));
  expect(new Set(asking).size, 'each module of asking once').toBe(asking.length);
  expect(asking).toContain('/ibid/ask/start.js');
  await expect.poll(more).toBe(0);
  const all = requests.length;
  await demo.ask(QUESTION);
  await expect(demo.turns).toHaveCount(2);
  await demo.answered('extractive');
  expect(requests.slice(all).map(String)).toEqual([]);
});

test('index and query table that came whole are searched for the first time without a network', async ({
  demo,
  context,
  page,
}) => {
  for (const file of ['site.ibid', 'ibid/query-table.bin']) {
    await page.route(`**/${file}`, (route) => route.fulfill({ body: siteFile(file) }));
  }
  // The code of facets, which the demo's search box has, is the last to come.
  const code = page.waitForResponse('**/ibid_rest.wasm');
  await demo.searchBox.focus();
  await (await code).finished();
  await page.unrouteAll();
  await context.setOffline(true);
  await expect(page.evaluate(() => fetch('./site.ibid'))).rejects.toThrow('Failed to fetch');
  await demo.search(QUESTION);
  await expect(demo.results.first()).toHaveAttribute('aria-label', /^Type 2 diabetes/);
});

test('answers a search that was typed while the index was still on its way', async ({ demo, page }) => {
  const arrive = await held(page, 'site.ibid');
  await demo.search(QUESTION);
  await expect(demo.searchStatus).toHaveText('Loading the search …');
  arrive();
  await expect(demo.results.first()).toHaveAttribute('aria-label', /^Type 2 diabetes/);
});
