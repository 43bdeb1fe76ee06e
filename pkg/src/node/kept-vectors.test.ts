import assert from 'node:assert/strict';
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { KeptVectors } from './kept-vectors.js';

const SPACE = { name: 'tiny/pca2', dimensions: 2, fingerprint: '0123456789abcdef' };
const ENCODER = { space: () => SPACE, embed: () => new Float32Array(), free: () => {} };

let folder = '';
before(async () => {
  folder = await mkdtemp(join(tmpdir(), 'ibid-kept-'));
});
after(() => rm(folder, { recursive: true }));

async function opened(name: string): Promise<KeptVectors> {
  const options = { cache: join(folder, name), 'no-cache': false };
  const kept = await KeptVectors.open(options, Uint8Array.of(1, 2, 3), ENCODER);
  assert.ok(kept);
  return kept;
}

test('what was kept is there the next time, in the file of the native command', async () => {
  const kept = await opened('a');
  kept.add(['tea', 'coffee'], Float32Array.of(0.6, 0.8, 1, 0));
  await kept.finish();
  assert.deepEqual((await readdir(join(folder, 'a'))).sort(), ['.gitignore', FILE]);
  assert.equal((await readFile(join(folder, 'a', FILE))).toString('hex'), BYTES);
  const again = await opened('a');
  assert.deepEqual([...(again.get('coffee') ?? [])], [1, 0]);
  assert.equal(again.get('cocoa'), undefined);
});

test('a damaged vector is made again, and one that was cut off', async () => {
  const kept = await opened('b');
  kept.add(['tea', 'coffee'], Float32Array.of(0.6, 0.8, 1, 0));
  await kept.finish();
  const path = join(folder, 'b', FILE);
  const whole = await readFile(path);
  for (let length = 0; length < whole.length; length += 1) {
    await writeFile(path, whole.subarray(0, length));
    const cut = await opened('b');
    assert.equal(cut.get('tea') !== undefined, length >= whole.length - 32, `${length}`);
    assert.equal(cut.get('coffee'), undefined);
  }
  const damaged = Buffer.from(whole);
  damaged.writeUInt8(damaged.readUInt8(whole.length - 44) ^ 1, whole.length - 44);
  await writeFile(path, damaged);
  const mended = await opened('b');
  assert.equal(mended.get('tea'), undefined);
  mended.add(['tea'], Float32Array.of(0.6, 0.8));
  await mended.finish();
  assert.equal((await readFile(path)).length, whole.length);
  assert.equal((await opened('b')).get('tea')?.length, 2);
});

/** The name and the content of a file that the native command reads: `kept.rs` has a test with the same. */
const FILE = 'tiny-pca2-2-776b3d91dcfaeb29.vectors';
const BYTES =
  '6962696476656332020000001a00000074696e792f706361324066323730616166616435626666623264ceb4852b8247e217' +
  '99699c5871118cd79a99193fcdcc4c3f0c5eef45c52d75e499c981c87e464c9423cff119f6f106f80000803f0000000094dd' +
  '7e5fcbe578bc';
