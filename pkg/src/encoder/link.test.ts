import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { EmbedQuery, Engine } from '../engine.js';
import { IbidError } from '../error.js';
import { gate, turnOfTheLoop } from '../test-support.js';
import type { IndexInfo } from '../types.js';
import { EncoderLink, type Linked } from './link.js';
import type { QueryEncoder } from './query-encoder.js';

const SPACE = { name: 'ours', dimensions: 2, fingerprint: 'v1' };

class FakeEncoder implements QueryEncoder {
  readonly remote = false;
  readonly kind = 'transformer';
  closed = false;
  failure: Error | undefined;

  constructor(readonly space = SPACE) {}

  async embed(): Promise<Float32Array> {
    if (this.failure !== undefined) throw this.failure;
    return Float32Array.of(1, 0);
  }

  build(): never {
    throw new Error('Nothing is built here.');
  }

  close(): void {
    this.closed = true;
  }
}

interface Scene extends Linked {
  abort: AbortController;
  embed: EmbedQuery | undefined;
  changes: number;
}

/** An engine as far as an encoder is linked to it. */
function linked(): Scene {
  const abort = new AbortController();
  const scene: Scene = {
    abort,
    embed: undefined,
    changes: 0,
    engine: {
      embedBy(embed?: EmbedQuery) {
        scene.embed = embed;
      },
      info: () => ({ model: 'ours', dimensions: 2, fingerprint: 'v1' }) as IndexInfo,
    } as Engine,
    signal: abort.signal,
    changed: () => {
      scene.changes += 1;
    },
  };
  return scene;
}

test('the table embeds until the transformer is there, and again once it has failed', async () => {
  const told: unknown[] = [];
  const onQueryEncoder = (...what: unknown[]) => void told.push(what);
  const encoder = new FakeEncoder();
  const link = new EncoderLink({ onQueryEncoder }, undefined, async () => encoder);
  const scene = linked();
  link.connect(scene);
  assert.equal(link.info.queryEncoder, 'table');
  assert.equal(typeof scene.embed, 'undefined');
  await turnOfTheLoop();
  assert.deepEqual(link.info, { queryEncoder: 'transformer' });
  assert.deepEqual(await scene.embed?.('fever'), Float32Array.of(1, 0));

  encoder.failure = new IbidError('embedder-failed', 'Out of memory.');
  assert.equal(await scene.embed?.('cough'), null, 'the table is to do it');
  assert.equal(scene.embed, undefined);
  assert.equal(encoder.closed, true);
  assert.equal(link.encoder, undefined);
  assert.deepEqual(link.info, { queryEncoder: 'table', queryEncoderFailure: encoder.failure });
  assert.deepEqual(told, [
    ['transformer', undefined],
    ['table', encoder.failure],
  ]);
  assert.equal(scene.changes, 2);
});

test('a transformer that cannot be loaded leaves the table, and says why', async () => {
  for (const [upgrade, code] of [
    [() => Promise.reject(new IbidError('model-load', 'HTTP 404.')), 'model-load'],
    [async () => new FakeEncoder({ ...SPACE, fingerprint: 'v2' }), 'model-mismatch'],
  ] as const) {
    const link = new EncoderLink({}, undefined, upgrade);
    const scene = linked();
    link.connect(scene);
    await turnOfTheLoop();
    assert.equal(link.info.queryEncoder, 'table');
    assert.equal(link.info.queryEncoderFailure?.code, code);
    assert.equal(scene.embed, undefined);
  }
});

test('without a table a failure is the search’s, and the next one tries again', async () => {
  const encoder = new FakeEncoder();
  const link = new EncoderLink({}, encoder);
  const scene = linked();
  link.connect(scene);
  encoder.failure = new IbidError('embedder-failed', 'Not now.', { cause: 'why' });
  await assert.rejects(scene.embed?.('fever') ?? Promise.resolve(), { code: 'embedder-failed' });
  const throughTheCore = new IbidError('embedder-failed', 'Not now.');
  assert.equal(link.original(throughTheCore).cause, 'why');
  encoder.failure = undefined;
  assert.deepEqual(await scene.embed?.('fever'), Float32Array.of(1, 0));
  assert.deepEqual(link.info, { queryEncoder: 'transformer' });
});

test('what arrives after all is over is closed', async () => {
  const encoder = new FakeEncoder();
  const arrival = gate<FakeEncoder>();
  const link = new EncoderLink({}, undefined, () => arrival.opened);
  const scene = linked();
  link.connect(scene);
  scene.abort.abort();
  arrival.open(encoder);
  await turnOfTheLoop();
  assert.equal(encoder.closed, true);
  assert.equal(scene.embed, undefined);
});
