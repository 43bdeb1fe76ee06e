import assert from 'node:assert/strict';
import { after, beforeEach, test } from 'node:test';
import { FakeCaches, turnOfTheLoop, withServer } from '../test-support.js';
import { KeptFile } from './kept-file.js';

let fake = new FakeCaches();
beforeEach(() => {
  fake = new FakeCaches();
  Object.assign(globalThis, { caches: fake });
});
after(() => void Reflect.deleteProperty(globalThis, 'caches'));

const NEVER = new AbortController().signal;

interface Scene {
  headers: Record<string, string>;
  body: string;
  status: number;
  asked: string[];
}

/** Reads the file as a visit does: its text, and whether it was kept. */
async function visit(base: string): Promise<[string, boolean]> {
  const kept = await KeptFile.of(`${base}/model`, 'cache');
  assert.ok(kept);
  const { bytes, wasKept } = await kept.read(NEVER, undefined);
  for (let turn = 0; turn < 10; turn += 1) await turnOfTheLoop();
  return [new TextDecoder().decode(bytes), wasKept];
}

async function withFile(scene: Partial<Scene>, body: (base: string, scene: Scene) => Promise<void>): Promise<void> {
  const full: Scene = { headers: { etag: '"1"' }, body: 'one', status: 200, asked: [], ...scene };
  await withServer(
    (request, response) => {
      full.asked.push(request.method ?? '');
      response.writeHead(full.status, full.headers).end(full.body);
    },
    (base) => body(base, full),
  );
}

test('a file is fetched once, and again only when it has changed', async () => {
  await withFile({}, async (base, scene) => {
    assert.deepEqual(await visit(base), ['one', false]);
    assert.deepEqual(await visit(base), ['one', true]);
    scene.headers = { etag: '"2"' };
    scene.body = 'two!';
    assert.deepEqual(await visit(base), ['two!', false]);
    assert.deepEqual(await visit(base), ['two!', true]);
    assert.deepEqual(scene.asked, ['GET', 'HEAD', 'HEAD', 'GET', 'HEAD']);
  });
});

test('a date with a length tells versions apart too; a file with neither is never kept', async () => {
  const date = 'Mon, 05 Jan 2026 00:00:00 GMT';
  await withFile({ headers: { 'last-modified': date, 'content-length': '3' } }, async (base, scene) => {
    await visit(base);
    assert.deepEqual(await visit(base), ['one', true]);
    scene.headers = { 'last-modified': date, 'content-length': '4' };
    scene.body = 'four';
    assert.deepEqual(await visit(base), ['four', false]);
  });
  await withFile({ headers: {} }, async (base) => {
    await visit(base);
    assert.deepEqual(await visit(base), ['one', false]);
  });
});

test('without a network, what is kept is used; without room or without a store, nothing is', async () => {
  let gone = '';
  await withFile({}, async (base) => {
    gone = base;
    await visit(base);
  });
  assert.deepEqual(await visit(gone), ['one', true]);
  await (await KeptFile.of(`${gone}/model`, 'cache'))?.forget();
  await assert.rejects(visit(gone), { code: 'model-load' });

  fake.full = true;
  await withFile({}, async (base) => {
    await visit(base);
    assert.deepEqual(await visit(base), ['one', false]);
    assert.equal(fake.entries.size, 0);
  });
  assert.equal(await KeptFile.of(new Uint8Array(), 'cache'), undefined);
  assert.equal(await KeptFile.of(`${gone}/model`, undefined), undefined);
  assert.equal(await KeptFile.of(`${gone}/model`, 'opfs'), undefined, 'Node has none');
});

test('an error of the server is the caller’s to know, and what was kept is not taken for the answer', async () => {
  await withFile({}, async (base, scene) => {
    await visit(base);
    scene.status = 404;
    await assert.rejects(visit(base), { code: 'model-load' });
  });
});
