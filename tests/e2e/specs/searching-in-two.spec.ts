import { expect } from '../harness.js';
import { test } from '../in-page.js';

// The wasm that searches comes in two files: what most searches need, and the code of rare options.

const REST = '/ibid/wasm/ibid_rest.wasm';
const QUERY = 'how is iron given in pregnancy';

test('searches as a search box makes them run without the second part', async ({ lib, requests }) => {
  await lib.evaluate(async (query) => {
    const { ibid } = window;
    const options = { groupBy: 'page', minRelevance: 0.5 } as const;
    const { pages } = await ibid.query(query, options);
    if (!pages?.length) throw new Error('Nothing is found.');
    await ibid.search(query, { limit: 20 });
  }, QUERY);
  const paths = requests.map(({ pathname }) => pathname);
  expect(paths).toContain('/ibid/wasm/ibid_bg.wasm');
  expect(paths).not.toContain(REST);
});

test('the search box of the demo, which has facets, fetches the second part once', async ({ demo, requests }) => {
  await demo.search('child tugging at the ear');
  await expect(demo.results.first()).toHaveAttribute('aria-label', /^Acute otitis media/);
  expect(requests.filter(({ pathname }) => pathname === REST)).toHaveLength(1);
});

test('each rare option of a search finds something after the second part has come, once', async ({ lib, requests }) => {
  const counts = await lib.evaluate(async (query) => {
    const { ibid } = window;
    const [hit] = await ibid.search(query);
    const searches = [
      { filter: { specialty: ['obstetrics'] } },
      { facets: ['specialty'] },
      { mmr: { lambda: 0.5 } },
      { nearDuplicates: {} },
      { group: 1 },
      { evidence: {} },
      { freshness: {} },
      { fusion: { kind: 'rrf' } },
      { rerank: async (_: string, texts: readonly string[]) => texts.map(({ length }) => length) },
      { explain: true },
    ] as const;
    const found = await Promise.all(searches.map(async (options) => (await ibid.query(query, options)).hits.length));
    const facets = await ibid.facets(['specialty'], { specialty: ['obstetrics'] });
    const suggested = await ibid.suggest('iro');
    return [...found, (await ibid.moreLikeThis(hit as { chunk: number })).length, facets.length, suggested.length];
  }, QUERY);
  expect(Math.min(...counts)).toBeGreaterThan(0);
  const paths = requests.filter(({ pathname }) => pathname === REST);
  expect(paths).toHaveLength(1);
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

test('where the second part is not there, rare options fail, and can be tried again', async ({ lib }) => {
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
  expect(await outcomes()).toEqual([true, 'wasm-load', true]);
  await lib.unroute(`**${REST}`);
  expect(await outcomes()).toEqual([true, true, true]);
});
