import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { Collections } from '../ask/collections.js';
import type { Searched } from '../ask/searched.js';
import type { Ibid as IbidOfPackage } from '../ibid.js';
import { withServer } from '../test-support.js';
import type { LoadOptions } from '../types.js';
import { CollectionOpener } from './open.js';

// The package as it is built: compiled tests stand two folders below its root.
const ROOT = fileURLToPath(new URL('../../', import.meta.url));
const WASM = join(ROOT, 'dist/wasm/ibid_engines_bg.wasm');
const BUILT = existsSync(WASM) && existsSync(join(ROOT, 'dist/index.js'));
const KEY = 'key-0123456789';

/** The text that `ibid push` leaves in a collection about it. */
const DESCRIPTION = JSON.stringify({
  version: 1,
  generator: 'ibid 0.1.0',
  space: { name: 'letters', dimensions: 2, fingerprint: 'f' },
  calibration: { unrelated: 0, near: 0.4, separation: 0.9 },
  lexical: { language: 'en' },
  averageLength: 6,
  frequent: { terms: [], chunks: [], total: 2 },
  fields: { year: 'integer' },
  documents: 2,
  chunks: 2,
  copies: 0,
});

const own = (id: string, text: string) => ({
  ...{
    id,
    hash: '0',
    first: true,
    text,
    headingPath: ['Tea'],
    span: [0, text.length],
    line: 3,
    repeated: 0,
    chunkIndex: 0,
    totalChunks: 1,
  },
});
const POINTS = [
  { id: 1, score: 0.9, payload: { document_id: 'tea', title: 'Tea', source: 'tea.md', year: 2021 } },
  { id: 2, score: 0.05, payload: { document_id: 'mate', title: 'Mate', source: 'mate.md', year: 2019 } },
];
const TEXTS = ['Steep – green tea at 80 degrees.', 'Mate is drunk from a gourd.'];

/** Qdrant's REST API as far as a search needs it, and the requests that it got. */
async function withQdrant(body: (url: string, seen: Record<string, unknown>[]) => Promise<void>): Promise<void> {
  const seen: Record<string, unknown>[] = [];
  const found = POINTS.map((point, at) => ({
    ...point,
    version: 1,
    payload: { ...point.payload, ibid: own(`000000000000000${at + 1}`, TEXTS[at] ?? '') },
  }));
  const params = { vectors: { dense: { size: 2, distance: 'Cosine' } }, sparse_vectors: { bm25: { modifier: 'idf' } } };
  const answers: Record<string, unknown> = {
    'GET /collections/site': { status: 'green', points_count: 3, config: { params } },
    'GET /collections/site/points/69626964-0000-8000-8000-000000000000': {
      id: '69626964-0000-8000-8000-000000000000',
      payload: { ibid: { description: DESCRIPTION } },
    },
    'POST /collections/site/points/query/batch': [
      { points: found },
      { points: found.slice(0, 1).map(({ id }) => ({ id, version: 1, score: 2.5 })) },
    ],
  };
  await withServer(
    async (request, response) => {
      let text = '';
      for await (const piece of request) text += piece;
      if (text !== '') seen.push(JSON.parse(text));
      const result = answers[`${request.method} ${request.url}`];
      const status = request.headers['api-key'] !== KEY ? 401 : result === undefined ? 404 : 200;
      response.writeHead(status, { 'content-type': 'application/json' });
      response.end(JSON.stringify({ result, status: 'ok', time: 0.001 }));
    },
    (url) => body(url, seen),
  );
}

test('a page searches a collection of Qdrant as it searches an index', { skip: !BUILT }, async () => {
  const { Ibid }: { Ibid: typeof IbidOfPackage } = await import(join(ROOT, 'dist/index.js'));
  await withQdrant(async (url, seen) => {
    const load = (apiKey: string, more: Partial<LoadOptions> = {}) =>
      Ibid.load({
        index: { qdrant: { url, collection: 'site', apiKey } },
        enginesWasm: readFileSync(WASM),
        queryEncoder: { name: 'letters', dimensions: 2, fingerprint: 'f', embed: async () => [[1, 0]] },
        ...more,
      });
    const ibid = await load(KEY);
    const { engine, documents, chunks, model, fields, bytes } = ibid.info;
    assert.deepEqual(
      { engine, documents, chunks, model, bytes },
      { engine: 'qdrant', documents: 2, chunks: 2, model: 'letters', bytes: 0 },
    );
    assert.deepEqual(fields, [{ name: 'year', type: 'integer' }]);

    const [hit, ...more] = await ibid.search('green tea', { filter: { year: { gte: 2020 } } });
    assert.ok(
      more.every(({ relevance }) => relevance < 0.5),
      'the other one is not relevant',
    );
    assert.deepEqual([hit?.documentId, hit?.text, hit?.metadata], ['tea', TEXTS[0], { year: 2021 }]);
    const highlights = hit?.highlights.map(({ start, end }) => hit.text.slice(start, end));
    assert.deepEqual(highlights, ['green', 'tea'], 'offsets are those of JavaScript');
    const [asked] = seen as { searches: { prefetch: { using: string; filter: unknown; query: unknown }[] }[] }[];
    const prefetch = asked?.searches[0]?.prefetch;
    assert.deepEqual(
      prefetch?.map(({ using }) => using),
      ['dense', 'bm25'],
    );
    assert.deepEqual(prefetch?.[0]?.query, [1, 0]);
    assert.deepEqual(prefetch?.[0]?.filter, { must: [{ key: 'year', range: { gte: 2020 } }] });

    const cannot = { code: 'invalid-option' };
    await assert.rejects(ibid.facets(['year']), cannot);
    await assert.rejects(ibid.suggest('te'), cannot);
    await assert.rejects(ibid.remove('tea'), cannot);
    await assert.rejects(ibid.export(), cannot);
    await assert.rejects(ibid.add([]), cannot);
    await assert.rejects(ibid.search('tea', { mmr: { lambda: 0.5 } }), cannot);
    await assert.rejects(ibid.search('tea', { rerank: () => [] }), cannot);
    await assert.rejects(ibid.search('tea', { filter: { yaer: 2020 } }), { code: 'filter-invalid' });
    await assert.rejects(load('wrong-key-0000'), (error: Error & { code: string }) => {
      assert.equal(error.code, 'provider-auth');
      return !error.message.includes('wrong-key');
    });
    ibid.free();
  });
});

test('an address without an engine or a place is refused', () => {
  for (const source of [{ qdrant: {} }, { qdrant: { url: 'a' }, chroma: { url: 'b' } }]) {
    assert.throws(() => new CollectionOpener(source as never, {} as LoadOptions), { code: 'invalid-option' });
  }
});

test('a run opens a collection once, keeps no searches of it, and is told that they leave the page', async () => {
  const searched = (engine?: 'qdrant', found: string[] = []) =>
    ({
      info: { fields: [], ...(engine && { engine }) },
      version: 0,
      remote: engine !== undefined,
      find: async (query: string) => String(found.push(query)),
      facets: () => [],
      original: (error: unknown) => error,
    }) as unknown as Searched;
  const [index, found, opened] = [searched(), [] as string[], [] as unknown[]];
  const open = async (source: unknown) => {
    opened.push(source);
    return searched('qdrant', found);
  };
  for (let question = 0; question < 2; question += 1) {
    const archive = { index: { qdrant: { url: 'http://localhost:6333', collection: 'a' } }, description: 'Old.' };
    const collections = await Collections.of(index, { collections: { archive } }, open);
    assert.deepEqual(await collections.wire(true), [{ name: 'archive', description: 'Old.', remote: true }]);
    await collections.search('{"text":"tea"}', 'archive');
  }
  assert.deepEqual([opened.length, found.length], [1, 2]);
});
