import assert from 'node:assert/strict';
import { test } from 'node:test';
import { IbidError } from '../error.js';
import { BYTES, scriptedIbid } from '../test-support.js';
import { embedTexts, spaceOf } from './embed-texts.js';
import type { Embedder } from './types.js';

const NEVER = new AbortController().signal;

function embedder(embed: Embedder['embed'], more: Partial<Embedder> = {}): Embedder {
  return { name: 'ours', dimensions: 2, embed, ...more };
}

test('queries are embedded by the callback, and no table is fetched', async () => {
  const asked: [string[], string][] = [];
  const queryEncoder = embedder(
    (texts, task) => {
      asked.push([texts, task]);
      return texts.map(() => [3, 4]);
    },
    { fingerprint: 'v1' },
  );
  // An address that nothing answers at: a fetch would fail.
  const { ibid, script } = await scriptedIbid(undefined, { queryEncoder, model: 'http://127.0.0.1:9/table' });
  assert.deepEqual(script.opened, [[BYTES.index, { name: 'ours', dimensions: 2, fingerprint: 'v1' }]]);
  assert.equal(ibid.info.queryEncoder, 'embedder');
  await ibid.search('fever');
  await ibid.search('fever', { limit: 3 });
  assert.deepEqual(script.vectors, [Float32Array.of(3, 4), Float32Array.of(3, 4)]);
  assert.deepEqual(asked, [[['fever'], 'query']], 'the vector of a query is kept');
});

test('what the callback throws is the cause of the error, and in no message', async () => {
  const thrown = new Error('401 for key sk-secret');
  const { ibid } = await scriptedIbid(undefined, { queryEncoder: embedder(() => Promise.reject(thrown)) });
  await assert.rejects(ibid.search('fever'), (error: IbidError) => {
    assert.equal(error.code, 'embedder-failed');
    assert.equal(error.retryable, true);
    assert.equal(error.cause, thrown);
    assert.doesNotMatch(error.message + error.hint, /secret/);
    return true;
  });
});

test('an error of ibid keeps its code', async () => {
  const thrown = new IbidError('provider-auth', 'OpenAI refused access.', { hint: 'Check the key.' });
  const { ibid } = await scriptedIbid(undefined, { queryEncoder: embedder(() => Promise.reject(thrown)) });
  await assert.rejects(ibid.search('fever'), {
    code: 'provider-auth',
    message: thrown.message,
    hint: 'Check the key.',
  });
});

test('a search that is given up tells the callback', async () => {
  const abort = new AbortController();
  let told: AbortSignal | undefined;
  const { ibid } = await scriptedIbid(undefined, {
    queryEncoder: embedder((_texts, _task, signal) => {
      told = signal;
      return new Promise(() => {});
    }),
  });
  const search = ibid.search('fever', { signal: abort.signal });
  setTimeout(() => abort.abort());
  await assert.rejects(search, { code: 'aborted' });
  assert.equal(told?.aborted, true);

  const freed = ibid.search('cough');
  setTimeout(() => ibid.free());
  await assert.rejects(freed, { code: 'disposed' });
});

test('what is no vector is refused', async () => {
  const wrong: [unknown, RegExp][] = [
    [undefined, /no array of vectors for 2 texts/],
    [[[1, 2]], /1 vectors for 2 texts/],
    [
      [
        [1, 2],
        [1, 2, 3],
      ],
      /3 components/,
    ],
    [[[1, 2], null], /no vector/],
    [['ab', 'cd'], /no vector/],
  ];
  for (const [vectors, message] of wrong) {
    const embedding = embedTexts(
      embedder(() => vectors as number[][]),
      ['a', 'b'],
      'document',
      NEVER,
    );
    await assert.rejects(embedding, { code: 'embedder-failed', message });
  }
});

test('texts go in batches, and nothing is asked for once the signal has said so', async () => {
  const sizes: number[] = [];
  const abort = new AbortController();
  const batches = embedder(
    (texts) => {
      sizes.push(texts.length);
      return texts.map((_, at) => Float32Array.of(at, 1));
    },
    { batchSize: 3 },
  );
  const texts = Array.from({ length: 7 }, String);
  assert.deepEqual([...(await embedTexts(batches, texts, 'document', abort.signal))].slice(6, 10), [0, 1, 1, 1]);
  assert.deepEqual(sizes, [3, 3, 1]);
  abort.abort();
  await assert.rejects(embedTexts(batches, texts, 'document', abort.signal), { code: 'aborted' });
  assert.equal(sizes.length, 3);
});

test('what is no embedder, and no encoder, is refused before anything is loaded', async () => {
  const good = embedder(() => []);
  for (const broken of [
    { dimensions: 0 },
    { dimensions: 1.5 },
    { name: 7 },
    { embed: 1 },
    { batchSize: 0 },
    { batchSize: 1.5 },
  ]) {
    assert.throws(() => spaceOf({ ...good, ...broken } as Embedder), { code: 'invalid-option' });
  }
  for (const queryEncoder of ['transformer', 'auto', 'best', {}]) {
    const loading = scriptedIbid(undefined, { queryEncoder: queryEncoder as 'auto', model: new Uint8Array([2]) });
    await assert.rejects(loading, { code: 'invalid-option' }, String(queryEncoder));
  }
});
