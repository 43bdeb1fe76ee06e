import assert from 'node:assert/strict';
import { test } from 'node:test';
import { abortedError, IbidError } from '../error.js';
import type { Hit, SearchOptions, SearchResponse } from '../search-types.js';
import type { LoadOptions } from '../types.js';
import { PATIENCE } from './member.js';
import { byField } from './order.js';
import { IbidSet } from './set.js';
import type { OpenIndex } from './types.js';

const hit = (id: string, relevance: number) => ({ id, documentId: id, url: `/${id}.html`, relevance, hits: [] });

/** An index with the relevance of its hits, in its own order; given a page each, if they are to stand by page. */
class FakeIndex implements Pick<OpenIndex, 'query' | 'free'> {
  freed = 0;
  asked: SearchOptions[] = [];

  constructor(
    readonly relevances: number[],
    readonly answer: (found: SearchResponse) => Promise<SearchResponse> = async (found) => found,
  ) {}

  async query(_: string, options: SearchOptions = {}): Promise<SearchResponse> {
    this.asked.push(options);
    const hits = this.relevances
      .slice(0, options.limit)
      .map((relevance, at) => hit(`d${at}`, relevance)) as unknown as Hit[];
    const pages = hits.map((one) => ({ documentId: one.documentId, title: '', url: one.url, hits: [one] }));
    const values = [{ value: 'hot', count: this.relevances.length }];
    const facets = [{ field: 'kind', fieldType: 'keyword' as const, documents: 1, values }];
    return this.answer({ hits, total: this.relevances.length, facets, ...(options.groupBy && { pages }) });
  }

  free() {
    this.freed += 1;
  }
}

/** A set of indexes by their names; one of an error cannot be opened while `isDown`. */
async function setOf(indexes: Record<string, FakeIndex | IbidError>, weights: Record<string, number> = {}) {
  const state = { isDown: true };
  const open = async ({ index }: LoadOptions) => {
    const found = indexes[String(index).replace(/^.*\/|\.ibid$/g, '')];
    if (found instanceof IbidError && state.isDown) throw found;
    return (found instanceof IbidError ? new FakeIndex([0.9]) : found) as unknown as OpenIndex;
  };
  const named = Object.keys(indexes).map((name) => ({
    index: `https://site.org/${name}.ibid`,
    weight: weights[name] ?? 1,
  }));
  return { set: await IbidSet.load({ indexes: named }, open), state };
}

const ids = (hits: readonly Hit[]) => hits.map(({ id }) => id);
const down = new IbidError('network', 'It is down.');

test('hits are merged by relevance, and no index changes its own order', async () => {
  // The second of `a` is more relevant than its first, which `a` ranks above it all the same.
  const { set } = await setOf({ a: new FakeIndex([0.5, 0.8, 0.1]), b: new FakeIndex([0.7, 0.6]) });
  const hits = await set.search('tea');
  assert.deepEqual(ids(hits), ['a/d0', 'a/d1', 'b/d0', 'b/d1', 'a/d2']);
  assert.deepEqual(hits[0]?.index, { name: 'a', url: 'https://site.org/a.ibid' });
  assert.equal(hits[0]?.url, 'https://site.org/d0.html');
});

test('a weight moves an index, and pages go on behind those that were seen', async () => {
  const { set } = await setOf({ a: new FakeIndex([0.9, 0.8]), b: new FakeIndex([0.7, 0.6]) }, { b: 2 });
  const first = await set.query('tea', { limit: 3, groupBy: 'page', facets: ['kind'] });
  assert.deepEqual(
    first.pages?.map(({ documentId }) => documentId),
    ['b/d0', 'b/d1', 'a/d0'],
  );
  assert.deepEqual([first.total, first.facets[0]?.values], [4, [{ value: 'hot', count: 4 }]]);
  const next = await set.query('tea', { limit: 3, offset: 3, groupBy: 'page' });
  assert.deepEqual(
    next.pages?.map(({ documentId }) => documentId),
    ['a/d1'],
  );
});

test('popular pages of all indexes are shown in their order, each once, with the host of their index', async () => {
  class Popular extends FakeIndex {
    readonly info: object;

    constructor(...urls: string[]) {
      super([]);
      this.info = { popular: urls.map((url) => ({ title: url, url, anchor: null, source: '' })) };
    }
  }
  const { set } = await setOf({
    a: new Popular('/a', 'https://tea.org/'),
    b: new Popular('https://tea.org/', '/b'),
    c: down,
  });
  const urls = (await set.popular()).map(({ url }) => url);
  assert.deepEqual(urls, ['https://site.org/a', 'https://tea.org/', 'https://site.org/b']);
});

test('an index without a name has that of its file, folder or host, and no two have the same', async () => {
  const open = async () => new FakeIndex([0.9]) as unknown as OpenIndex;
  const indexes = [
    '/a.ibid',
    '/login/site.ibid',
    'https://api.site.org/site.ibid',
    '/folder/',
    '/b/a.ibid',
    '/site.ibid',
  ];
  const hits = await (await IbidSet.load({ indexes }, open)).search('tea', { limit: 10 });
  assert.deepEqual(
    hits.map(({ index }) => index?.name),
    ['a', 'login', 'api.site.org', 'folder', 'a 2', 'site'],
  );
});

test('an index that fails is named and tried again, and the others answer', async () => {
  const { set, state } = await setOf({ a: down, b: new FakeIndex([0.7]) });
  const found = await set.query('tea');
  assert.deepEqual([ids(found.hits), found.silent], [['b/d0'], [{ name: 'a', error: down }]]);
  state.isDown = false;
  assert.deepEqual(ids(await set.search('tea')), ['a/d0', 'b/d0']);
  await assert.rejects(setOf({ a: down, b: new IbidError('index-load', 'So is this.') }), down);
  await assert.rejects(setOf({}), { code: 'invalid-option' });
});

test('a slow index keeps the others waiting once, and is there when it answers', async () => {
  PATIENCE.ms = 20;
  let answer = () => {};
  const slow = new FakeIndex(
    [0.9],
    (found) =>
      new Promise((done) => {
        answer = () => done(found);
      }),
  );
  const { set } = await setOf({ slow, quick: new FakeIndex([0.7]) });
  const found = await set.query('tea');
  assert.deepEqual([ids(found.hits), found.silent], [['quick/d0'], [{ name: 'slow', error: undefined }]]);
  PATIENCE.ms = 60_000;
  // Nothing waits for it now.
  assert.deepEqual(ids(await set.search('tea')), ['quick/d0']);
  answer();
  await new Promise(setImmediate);
  const both = set.search('tea');
  await new Promise(setImmediate);
  answer();
  assert.deepEqual(ids(await both), ['slow/d0', 'quick/d0']);
  PATIENCE.ms = 2000;
});

test('a search that is given up is no index that does not answer', async () => {
  const aborted = new FakeIndex([0.9], () => Promise.reject(abortedError()));
  const { set } = await setOf({ aborted, quick: new FakeIndex([0.7]) });
  await assert.rejects(set.search('tea'), { code: 'aborted' });
});

test('a question goes to the index that knows most about it', async () => {
  const [a, b] = [new FakeIndex([0.5]), new FakeIndex([0.9])];
  const { set } = await setOf({ a, b });
  const { ibid, locate } = await set.closest('How hot?');
  assert.equal(ibid, b);
  const index = { name: 'b', url: 'https://site.org/b.ibid' };
  assert.deepEqual(locate({ url: '/tea.html' }), { url: 'https://site.org/tea.html', index });
  set.free();
  assert.deepEqual([a.freed, b.freed, set.loaded.length], [1, 1, 2]);
});

/** An index of documents with these dates, as it sorts them. */
class Dated extends FakeIndex {
  readonly info = { fields: [{ name: 'date', type: 'date', values: 2 }] };

  constructor(dates: (string | undefined)[]) {
    super(
      dates.map((_, at) => 0.6 + at / 10),
      async (found) => {
        for (const [at, hit] of found.hits.entries()) hit.metadata = dates[at] === undefined ? {} : { date: dates[at] };
        return found;
      },
    );
  }
}

test('hits of all indexes are sorted by a field, as each index sorts its own', async () => {
  const { set } = await setOf({
    a: new Dated(['2026-01-15', '2024-03-01', undefined]),
    b: new Dated(['2025-12-01T10:00:00Z', '2023-12-01']),
  });
  const newest = await set.query('tea', { sort: 'date', groupBy: 'page', limit: 4 });
  const sorted = ['a/d0', 'b/d0', 'a/d1', 'b/d1', 'a/d2'];
  assert.deepEqual(ids(newest.hits), sorted.slice(0, 4));
  assert.deepEqual(ids(await set.search('tea', { sort: 'date', offset: 3 })), sorted.slice(3));
});

test('a field is compared by its type, from the side that an order names', () => {
  const sorted = (values: unknown[], ...by: Parameters<typeof byField>) => {
    const hits = values.map((value) => ({ metadata: value === undefined ? {} : { field: value } }) as unknown as Hit);
    return hits.sort(byField(...by)).map(({ metadata }) => Object.values(metadata)[0]);
  };
  const up = { field: 'field', order: 'ascending' } as const;
  assert.deepEqual(sorted([undefined, 'Zoe', 'émile', 'Eva'], 'field', 'keyword'), ['émile', 'Eva', 'Zoe', undefined]);
  assert.deepEqual(sorted([undefined, 9, 10, -1], 'field', 'integer'), [10, 9, -1, undefined]);
  assert.deepEqual(sorted([undefined, 9, 10, -1], up, 'float'), [-1, 9, 10, undefined]);
  assert.deepEqual(sorted([false, true], 'field', 'boolean'), [true, false]);
  assert.deepEqual(sorted([['m', 'z'], ['n', 'a'], ['b']], 'field', 'keywords'), [['n', 'a'], ['b'], ['m', 'z']]);
  assert.deepEqual(
    sorted(
      [
        ['m', 'z'],
        ['n', 'a'],
      ],
      { field: 'field', order: 'descending' },
      'keywords',
    ),
    [
      ['m', 'z'],
      ['n', 'a'],
    ],
  );
});
