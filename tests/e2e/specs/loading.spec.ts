import { readdirSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { siteFile } from '../documents.js';
import { expect, test } from '../harness.js';

const QUESTION = 'How much metformin a day with an eGFR of 35?';

function documents(folder: string): number {
  const path = fileURLToPath(new URL(`../../../${folder}`, import.meta.url));
  return readdirSync(path, { recursive: true }).filter((name) => String(name).endsWith('.md')).length;
}

test('says what was loaded', async ({ demo, page }) => {
  const count = documents('docs') + documents('www/handbook');
  const size = `${Math.round(siteFile('site.ibid').length / 1000)} kB`;
  await expect(demo.loaded).toHaveText(
    new RegExp(`^${count} documents · [\\d,]{2,} passages · index of ${size} · ready in [\\d.]+ m?s$`),
  );
  await expect(demo.loaded).toHaveAttribute('title', /^all-MiniLM-L6-v2.*, 256 dimensions, format 1$/);
  await expect(demo.askButton).toBeEnabled();
  await expect(page.getByRole('progressbar', { name: 'Loading the index' })).toBeHidden();
  await expect(page.getByTestId('load-error')).toBeEmpty();
});

test('asks nothing but its own server for files, each once but for those that it reads in parts', async ({
  demo,
  page,
  requests,
  site,
}) => {
  expect(requests.map(({ origin }) => origin)).toEqual(requests.map(() => new URL(site).origin));
  const paths = requests.map(({ pathname }) => pathname);
  for (const needed of ['/ibid/index.js', '/ibid/query-table.bin', '/ibid/wasm/ibid_bg.wasm']) {
    expect(paths.filter((path) => path === needed)).toEqual([needed]);
  }
  expect(paths.filter((path) => path === '/site.ibid').length).toBeLessThanOrEqual(2);
  await demo.search(QUESTION);
  await expect(demo.results).not.toHaveCount(0);
  await demo.ask(QUESTION);
  await demo.answered('extractive');
  const after = requests.slice(paths.length).map(({ pathname }) => pathname);
  const [asking, later] = [true, false].map((own) => after.filter((path) => path.startsWith('/ibid/ask/') === own));
  expect(new Set(asking).size, 'each module of asking once').toBe(asking?.length);
  expect(asking).toContain('/ibid/ask/start.js');
  const parts = ['/site.ibid', '/ibid/query-table.bin', '/ibid/wasm/ibid_ask.js', '/ibid/wasm/ibid_ask_bg.wasm'];
  const rules = '/ibid/wasm/emergency_rules.js';
  expect(new Set(later), 'rows, text, what is fetched afterwards, and what answers').toEqual(
    new Set([...parts, rules]),
  );
  const more = async () => {
    const before = requests.length;
    await page.waitForTimeout(500);
    return requests.length - before;
  };
  await expect.poll(more).toBe(0);
  const all = requests.length;
  await demo.ask(QUESTION);
  await demo.answered('extractive');
  expect(requests.slice(all).map(String)).toEqual([]);
});

test('index and query table that came whole are searched for the first time without a network', async ({
  closedDemo: demo,
  context,
  page,
}) => {
  for (const file of ['site.ibid', 'ibid/query-table.bin']) {
    await page.route(`**/${file}`, (route) => route.fulfill({ body: siteFile(file) }));
  }
  await demo.open();
  await page.unrouteAll();
  await context.setOffline(true);
  await expect(page.evaluate(() => fetch('./site.ibid'))).rejects.toThrow('Failed to fetch');
  await demo.search(QUESTION);
  await expect(demo.results.first()).toContainText('Up to 1000 mg daily');
});

test('answers a search that was typed while the index was still on its way', async ({ closedDemo: demo, page }) => {
  let arrive = () => {};
  const arrived = new Promise<void>((resolve) => {
    arrive = resolve;
  });
  await page.route('**/site.ibid', async (route) => {
    await arrived;
    await route.continue();
  });
  await page.goto('./');
  await expect(demo.loaded).toHaveText('Loading the index…');
  await expect(demo.askButton).toBeDisabled();
  await demo.search(QUESTION);
  await expect(demo.searchStatus).toHaveText('The index is not loaded yet.');
  arrive();
  await expect(demo.searchStatus).toHaveText(/^\d+ passages? in /);
  await expect(demo.results.first()).toContainText('Type 2 diabetes');
});
