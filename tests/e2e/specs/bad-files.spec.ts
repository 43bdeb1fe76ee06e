import type { Page } from '@playwright/test';
import type { Demo } from '../demo.js';
import { indexOfAnotherModel, siteFile } from '../documents.js';
import { expect, test } from '../harness.js';

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

function flipped(path: string, at: number): () => Buffer {
  return () => {
    const bytes = siteFile(path);
    const place = Math.floor((bytes.length - 1) * at);
    bytes.writeUInt8(bytes.readUInt8(place) ^ 1, place);
    return bytes;
  };
}

/** The version is looked at before the checksums, which a later version may make in another way. */
function newerIndex(): Buffer {
  const bytes = siteFile(INDEX);
  bytes.writeUInt32LE(4, 8);
  return bytes;
}

const FAULTS: Fault[] = [
  {
    name: 'an index cut in half',
    path: INDEX,
    body: cut(INDEX, 0.5),
    code: 'index-truncated',
    message: /^This index ends early: only \d+ of \d+ bytes are there\.$/,
  },
  { name: 'an index of no bytes', path: INDEX, body: () => '', code: 'index-foreign', message: 'it is empty' },
  ...[0.02, 0.5, 0.98].map((at) => ({
    name: `an index with one bit flipped at ${at * 100} %`,
    path: INDEX,
    body: flipped(INDEX, at),
    code: 'index-corrupt',
    message: 'This index is damaged: ',
  })),
  {
    name: 'an error page with status 200 for the index',
    path: INDEX,
    contentType: 'text/html',
    body: () => HTML,
    code: 'index-foreign',
    message: 'it looks like an HTML page',
  },
  {
    name: 'another file for the index',
    path: INDEX,
    body: () => siteFile(TABLE),
    code: 'index-foreign',
    message: 'its first bytes are not those of one',
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
    name: 'an index of a later version',
    path: INDEX,
    body: newerIndex,
    code: 'index-version',
    message: 'This index has format version 4',
  },
  {
    name: 'an index made with another model',
    path: INDEX,
    body: () => indexOfAnotherModel(siteFile(INDEX)),
    code: 'model-mismatch',
    message: /was built with the model all-MiniLM-L6-v2.+, but queries would be embedded with all-MiniLM-L6-v2/,
  },
  {
    name: 'a query table with one bit flipped',
    path: TABLE,
    body: flipped(TABLE, 0.7),
    code: 'model-invalid',
    message: /^The checksum of block \d+ of the query table does not hold\.$/,
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
    name: 'no wasm module',
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
    message: 'The module wasm/ibid.js could not be loaded: ',
  },
  {
    name: 'no library',
    path: 'ibid/index.js',
    status: 404,
    body: () => 'Not Found',
    code: 'wasm-load',
    message: 'The library ibid/index.js could not be loaded.',
  },
];

/** The page says plainly that it does not work, and does not pretend to. */
async function expectNotLoaded(demo: Demo, page: Page): Promise<void> {
  await expect(demo.loaded).toHaveText('Not loaded: search and ask do not work.');
  await expect(page.getByRole('progressbar', { name: 'Loading the index' })).toBeHidden();
  await expect(demo.askButton).toBeDisabled();
  await demo.search('metformin');
  await expect(demo.searchStatus).toHaveText('The index is not loaded yet.');
  await expect(demo.results).toHaveCount(0);
}

/** The faults of one file after one another, as if each try met the next one; then the file is as it should be. */
async function meetAll(demo: Demo, page: Page, path: string): Promise<void> {
  const faults = FAULTS.filter((fault) => fault.path === path);
  let opened = false;
  for (const { name, status = 200, contentType = 'application/octet-stream', body, code, message } of faults) {
    await test.step(name, async () => {
      const bytes = await body();
      await page.unroute(`**/${path}`);
      await page.route(`**/${path}`, (route) => route.fulfill({ status, contentType, body: bytes }));
      if (opened) await page.getByTestId('load-error').getByRole('button', { name: 'Try again' }).click();
      else await page.goto('./');
      opened = true;
      const problem = page.getByTestId('load-error').getByRole('alert');
      await expect(problem.locator('.problem-message')).toContainText(message);
      await demo.problem(code);
      await expectNotLoaded(demo, page);
    });
  }
  await test.step('mended', async () => {
    await page.unroute(`**/${path}`);
    await page.getByTestId('load-error').getByRole('button', { name: 'Try again' }).click();
    await demo.ready();
    await expect(page.getByTestId('load-error')).toBeEmpty();
    await expect(demo.results.first(), 'the search that was waiting').toContainText('Type 2 diabetes');
    await expect(demo.askButton).toBeEnabled();
  });
}

for (const path of new Set(FAULTS.map((fault) => fault.path))) {
  test(`${path}: says what is wrong with it, and works once it is mended`, async ({ closedDemo: demo, page }) => {
    await meetAll(demo, page, path);
  });
}

test('a connection that fails', async ({ closedDemo: demo, page }) => {
  await page.route('**/site.ibid', (route) => route.abort('connectionreset'));
  await page.goto('./');
  const problem = await demo.problem('index-load');
  await expect(problem).toContainText('The index at ./site.ibid could not be fetched.');
  await expectNotLoaded(demo, page);
});
