import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Rest } from './rest.js';
import { withServer } from './test-support.js';

/** Calls the function `f` that it imports of `first`: a type, that import, and the start. */
const REST = Uint8Array.of(
  ...[0, 0x61, 0x73, 0x6d, 1, 0, 0, 0],
  ...[1, 4, 1, 0x60, 0, 0],
  ...[2, 11, 1, 5, 0x66, 0x69, 0x72, 0x73, 0x74, 1, 0x66, 0, 0],
  ...[8, 1, 0],
);
const data = () => new URL(`data:application/wasm;base64,${Buffer.from(REST).toString('base64')}`);

/** A second part, the exports of its first, and what became of both. */
function inTwo(locate: () => URL) {
  const seen = { joined: 0, load: undefined as (() => void) | undefined };
  const rest = new Rest(locate);
  const restBy = (load?: () => void) => {
    seen.load = load;
  };
  const first = { 'rest-1': {}, f: () => (seen.joined += 1) } as unknown as WebAssembly.Exports;
  return { seen, rest, first, follow: (exports = first) => rest.follow(exports, restBy) };
}

/** Stands in for what a page has, which can read at once; it must not be needed here. */
async function inPage(work: (base: string) => Promise<void>, answer: () => number = () => 200) {
  Object.assign(globalThis, { XMLHttpRequest: class {} });
  try {
    await withServer((_, response) => response.writeHead(answer()).end(REST), work);
  } finally {
    Reflect.deleteProperty(globalThis, 'XMLHttpRequest');
  }
}

test('the second part comes when it is asked for, once', async () => {
  await inPage(async (base) => {
    const { seen, rest, follow } = inTwo(() => new URL(base));
    await follow();
    assert.equal(seen.joined, 0);
    assert.equal(typeof seen.load, 'function');
    await Promise.all([rest.join(), rest.join()]);
    await rest.join();
    assert.deepEqual(seen, { joined: 1, load: undefined });
  });
});

test('where nothing can be read at once, both parts come together', async () => {
  const { seen, follow } = inTwo(data);
  await follow();
  assert.deepEqual(seen, { joined: 1, load: undefined });
});

test('a whole module has no second part', async () => {
  const { seen, rest, follow } = inTwo(data);
  await follow({});
  await rest.join();
  assert.deepEqual(seen, { joined: 0, load: undefined });
});

test('parts of two versions are not joined', async () => {
  const { first, follow } = inTwo(data);
  await assert.rejects(follow({ ...first, f: undefined as unknown as () => void }), {
    code: 'network',
    message: /another version/,
    hint: /load the page again/,
  });
});

test('a second part that could not be fetched is tried again', async () => {
  let status = 503;
  await inPage(
    async (base) => {
      const { seen, rest, follow } = inTwo(() => new URL(base));
      await follow();
      await assert.rejects(rest.join(), { code: 'wasm-load', message: /HTTP 503/ });
      status = 200;
      await rest.join();
      assert.equal(seen.joined, 1);
    },
    () => status,
  );
});
