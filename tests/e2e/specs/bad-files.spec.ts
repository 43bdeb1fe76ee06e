import type { Page } from '@playwright/test';
import { indexOfAnotherModel, siteFile } from '../documents.js';
import { expect } from '../harness.js';
import { test } from '../in-page.js';

// Files that are not as they should be: what loading says of each, and that it works once they are mended.

interface Fault {
  name: string;
  /** The file that is not as it should be. */
  path: string;
  status?: number;
  contentType?: string;
  body: () => Buffer | string | Promise<Buffer>;
  code: string;
  message: string | RegExp;
}

const INDEX = 'site.ibid';
const TABLE = 'ibid/query-table.bin';
const WASM = 'ibid/wasm/ibid_bg.wasm';
const HTML = '<!doctype html><title>Not found</title><h1>Nothing here</h1>';

function cut(path: string, keep: number): () => Buffer {
  return () => siteFile(path).subarray(0, Math.floor(siteFile(path).length * keep));
}

const FAULTS: Fault[] = [
  {
    name: 'an index cut in half',
    path: INDEX,
    body: cut(INDEX, 0.5),
    code: 'index-truncated',
    message: /^This index is cut off: it has only \d+ of \d+ bytes\.$/,
  },
  {
    name: 'an error page with status 200 for the index',
    path: INDEX,
    contentType: 'text/html',
    body: () => HTML,
    code: 'index-foreign',
    message: 'it looks like an HTML page',
  },
  {
    name: 'no index',
    path: INDEX,
    status: 404,
    contentType: 'text/html',
    body: () => HTML,
    code: 'index-load',
    message: 'The index at ./site.ibid could not be fetched: HTTP 404.',
  },
  {
    name: 'an index made with another model',
    path: INDEX,
    body: () => indexOfAnotherModel(siteFile(INDEX)),
    code: 'model-mismatch',
    message: /was built with the model all-MiniLM-L6-v2.+, but queries would be embedded with all-MiniLM-L6-v2/,
  },
  {
    name: 'a query table cut in half',
    path: TABLE,
    body: cut(TABLE, 0.5),
    code: 'model-invalid',
    message: 'query table',
  },
  {
    name: 'no query table',
    path: TABLE,
    status: 404,
    body: () => 'Not Found',
    code: 'model-load',
    message: /The query table at .+query-table\.bin could not be fetched: HTTP 404\./,
  },
  {
    name: 'not a wasm module',
    path: WASM,
    status: 404,
    body: () => 'Not Found',
    code: 'wasm-load',
    message: /The wasm module at .+ibid_bg\.wasm could not be fetched: HTTP 404\./,
  },
  {
    name: 'a wasm module cut in half',
    path: WASM,
    contentType: 'application/wasm',
    body: cut(WASM, 0.5),
    code: 'wasm-load',
    message: 'The wasm module could not be started: ',
  },
  {
    name: 'an error page with status 200 for the wasm module',
    path: WASM,
    contentType: 'text/html',
    body: () => HTML,
    code: 'wasm-load',
    message: 'The wasm module could not be started: ',
  },
  {
    name: 'no glue around the wasm module',
    path: 'ibid/wasm/ibid.js',
    status: 404,
    body: () => 'Not Found',
    code: 'wasm-load',
    message: 'The module wasm/ibid.js could not be loaded.',
  },
];

const QUERY = 'How much metformin a day with an eGFR of 35?';

type Loaded = { title?: string; code?: string; message?: string; hint?: string };

/** Loads the library and the index in a page that has neither yet, and searches. */
async function load(page: Page): Promise<Loaded> {
  await page.goto('./blank');
  return await page.evaluate(async (query) => {
    const library: typeof import('../../../pkg/src/index.js') = await import('./ibid/index.js' as string);
    try {
      const ibid = await library.Ibid.load({ index: './site.ibid' });
      const [hit] = await ibid.search(query);
      return { title: hit?.title ?? '' };
    } catch (error) {
      const { code, message, hint } = error as Required<Loaded>;
      return { code, message, hint };
    }
  }, QUERY);
}

for (const path of [INDEX, TABLE, 'ibid/wasm/']) {
  test(`what is wrong with ${path} is told, and mended by the right file`, async ({ page }) => {
    // All loads are in a page that has nothing of its own.
    await page.route('**/blank', (route) => route.fulfill({ contentType: 'text/html', body: '<!doctype html>' }));
    for (const fault of FAULTS.filter((each) => each.path.startsWith(path))) {
      await test.step(fault.name, async () => {
        const { status = 200, contentType = 'application/octet-stream', code, message } = fault;
        const body = await fault.body();
        await page.route(`**/${fault.path}`, (route) => route.fulfill({ status, contentType, body }));
        const failed = await load(page);
        expect(failed.code).toBe(code);
        if (typeof message === 'string') expect(failed.message).toContain(message);
        else expect(failed.message).toMatch(message);
        expect(failed.hint).toMatch(/^[A-Z].{10,}\.$/);
        await page.unroute(`**/${fault.path}`);
        expect(await load(page)).toEqual({ title: 'Type 2 diabetes' });
      });
    }
  });
}

test('a connection that fails', async ({ page }) => {
  await page.route('**/blank', (route) => route.fulfill({ contentType: 'text/html', body: '<!doctype html>' }));
  await page.route('**/site.ibid', (route) => route.abort('connectionreset'));
  const failed = await load(page);
  expect(failed).toMatchObject({ code: 'index-load', message: 'The index at ./site.ibid could not be fetched.' });
});

test('the page says that it does not work, and works on the next try', async ({ page }) => {
  await page.goto('./');
  await page.route('**/site.ibid', (route) => route.fulfill({ status: 404 }));
  const search = page.locator('ibid-search');
  await search.getByRole('combobox').fill(QUERY);
  await expect(search.getByRole('status')).toHaveText('Search is not working right now.');
  await expect(search).toContainText('[index-load]');
  await page.unrouteAll();
  await search.getByRole('button', { name: 'Try again' }).click();
  await expect(search.getByRole('option').first()).toBeVisible();
});
