import assert from 'node:assert/strict';
import { after, beforeEach, test } from 'node:test';
import type { Ibid } from '../ibid.js';
import { RangeServer } from '../range-server.js';
import { assertBytes, FakeCaches, ScriptedModule, scriptedIbid, scriptedIndex, withServer } from '../test-support.js';

const NEEDED = 200_000;
const FILE = scriptedIndex(500_000, NEEDED);
const NEWER = scriptedIndex(501_000, NEEDED + 500, 2);

let fake = new FakeCaches();
beforeEach(() => {
  fake = new FakeCaches();
  Object.assign(globalThis, { caches: fake });
});
after(() => void Reflect.deleteProperty(globalThis, 'caches'));

interface Scene {
  server: RangeServer;
  script: ScriptedModule;
  visit(): Promise<Ibid>;
}

async function scene(act: (scene: Scene) => Promise<void>): Promise<void> {
  const server = new RangeServer(FILE);
  const script = new ScriptedModule();
  await withServer(server.listener, async (base) => {
    const index = `${base}/site.ibid`;
    const visit = async () => {
      const { ibid } = await scriptedIbid(script, { index, persist: 'cache' });
      await kept();
      return ibid;
    };
    await act({ server, script, visit });
  });
}

/** Writing goes on when nobody waits for it any more. */
const kept = () => new Promise((resolve) => setTimeout(resolve, 20));

test('a later visit asks only whether the file has changed', async () => {
  await scene(async ({ server, script, visit }) => {
    const first = await visit();
    await first.search('300000-310000');
    await kept();
    const { sent } = server;
    const later = await visit();
    await later.search('302000-309000');
    assert.equal(server.sent, sent);
    assert.deepEqual(server.asked.at(-1), { range: 'bytes=0-16383', condition: '"one"', status: 304, sent: 0 });
    assertBytes(script.pieces[1]?.pieces[0], FILE.subarray(0, NEEDED));
    assertBytes(script.reads[1]?.[0], FILE.subarray(302_000, 309_000));
  });
});

test('another version takes the place of the one that was kept', async () => {
  await scene(async ({ server, script, visit }) => {
    await visit();
    server.deploy(NEWER);
    await visit();
    assertBytes(script.pieces[1]?.pieces[0], NEWER.subarray(0, NEEDED + 500));
    const lengths = [...fake.entries.values()].map(({ length }) => length).filter((length) => length > 1000);
    assert.deepEqual(lengths, [16_384, NEEDED + 500 - 16_384]);
    const { sent } = server;
    await visit();
    assert.equal(server.sent, sent);
  });
});

test('without room, and with a store that was emptied or damaged, the network is left', async () => {
  await scene(async ({ server, script, visit }) => {
    fake.full = true;
    await visit();
    await visit();
    assert.equal(server.sent, 2 * NEEDED);
    fake.full = false;
    await visit();
    for (const [name, { length }] of [...fake.entries]) if (length > 1000) fake.entries.delete(name);
    await visit();
    for (const name of fake.entries.keys()) fake.entries.set(name, new Uint8Array([1]));
    await visit();
    assert.equal(script.pieces.length, 5);
    for (const { pieces } of script.pieces) assertBytes(pieces[0], FILE.subarray(0, NEEDED));
  });
});

test('a damaged piece is told by the core, and fetched anew', async () => {
  await scene(async ({ server, script, visit }) => {
    await visit();
    for (const [name, bytes] of fake.entries) {
      if (bytes.length > 16_384)
        fake.entries.set(
          name,
          bytes.map((byte, at) => (at < 64 ? byte : byte ^ 1)),
        );
    }
    script.refuses = (pieces) => Buffer.compare(pieces[0] as Uint8Array, FILE.subarray(0, NEEDED)) !== 0;
    await visit();
    assertBytes(script.pieces.at(-1)?.pieces[0], FILE.subarray(0, NEEDED));
    assert.equal(server.sent, 2 * NEEDED);
  });
});

test('without a Cache API and in a window that forbids it, nothing is kept', async () => {
  Reflect.deleteProperty(globalThis, 'caches');
  await scene(async ({ server, visit }) => {
    await visit();
    Object.assign(globalThis, { caches: { open: () => Promise.reject(new DOMException('No.', 'SecurityError')) } });
    await visit();
    assert.equal(server.sent, 2 * NEEDED);
  });
});
