import { expect } from '../harness.js';
import { test } from '../in-page.js';

// The wasm that searches comes in two files: what most searches run, and the rest.

const REST = '/ibid/wasm/ibid_rest.wasm';
const QUERY = 'how is iron given in pregnancy';

test('searches as a search box makes them run without the second part', async ({ lib, requests }) => {
  await lib.evaluate(async (query) => {
    const { ibid } = window;
    const options = { groupBy: 'page', facets: ['specialty'], minRelevance: 0.5, prefix: true, typos: true } as const;
    const { pages } = await ibid.query(query, options);
    if (!pages?.length) throw new Error('Nothing is found.');
    await ibid.search(query, { limit: 20 });
  }, QUERY);
  const paths = requests.map(({ pathname }) => pathname);
  expect(paths).toContain('/ibid/wasm/ibid_bg.wasm');
  expect(paths).not.toContain(REST);
});

test('the search box of the demo shows hits without the second part', async ({ demo, requests }) => {
  await demo.search('child tugging at the ear');
  await expect(demo.results.first()).toHaveAttribute('aria-label', /^Acute otitis media/);
  expect(requests.map(({ pathname }) => pathname)).not.toContain(REST);
});

test('a search with a filter fetches the second part first, and does not have the page wait', async ({ lib }) => {
  const asked = lib.waitForRequest(`**${REST}`);
  const found = lib.evaluate(
    async (query) => (await window.ibid.search(query, { filter: { specialty: ['obstetrics'] } })).length,
    QUERY,
  );
  // A page that waits for its code asks by XMLHttpRequest.
  expect((await asked).resourceType()).toBe('fetch');
  expect(await found).toBeGreaterThan(0);
});

test('a change of the index fetches the second part first, once', async ({ lib, requests }) => {
  const left = await lib.evaluate(async (query) => {
    const [hit] = await window.ibid.search(query);
    const { documentId = '' } = hit ?? {};
    await Promise.all([window.ibid.remove(documentId), window.ibid.remove('none')]);
    return (await window.ibid.search(query)).filter((other) => other.documentId === documentId).length;
  }, QUERY);
  expect(left).toBe(0);
  expect(requests.filter(({ pathname }) => pathname === REST)).toHaveLength(1);
});

test('a search that nobody foresaw has the page wait for the second part, and tells where it is not there', async ({
  lib,
}) => {
  await lib.route(`**${REST}`, (route) => route.fulfill({ status: 404, body: 'Not Found' }));
  const outcomes = () =>
    lib.evaluate(async (query) => {
      const outcome = (run: Promise<unknown[]>) =>
        run.then(
          ({ length }) => length > 0,
          ({ code }) => code as string,
        );
      const { ibid } = window;
      return [
        await outcome(ibid.search(query)),
        await outcome(ibid.search(query, { explain: true })),
        await outcome(ibid.search(query)),
      ];
    }, QUERY);
  expect(await outcomes()).toEqual([true, 'network', true]);
  await lib.unroute(`**${REST}`);
  expect(await outcomes()).toEqual([true, true, true]);
  // It was torn off in the middle.
  const change = lib.evaluate(() => window.ibid.remove('none').catch(({ message }) => message as string));
  await expect(change).resolves.toMatch(/earlier search broke off/);
});
