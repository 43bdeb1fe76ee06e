import assert from 'node:assert/strict';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { pathToFileURL } from 'node:url';
import { folderOf, scriptedIbid } from '../test-support.js';

async function inFolder(act: (folder: string) => Promise<void>): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'ibid-'));
  try {
    await act(folder);
  } finally {
    await rm(folder, { recursive: true });
  }
}

test('a file and a folder of parts are opened alike, by path and by address', async () => {
  await inFolder(async (folder) => {
    const { files, whole } = folderOf(3, 1);
    const [file, parts] = [join(folder, 'one.ibid'), join(folder, 'site.ibid')];
    await writeFile(file, whole);
    await mkdir(parts);
    for (const [name, bytes] of files) await writeFile(join(parts, name), bytes);
    for (const index of [
      file,
      pathToFileURL(file),
      parts,
      `${parts}/`,
      pathToFileURL(parts),
      String(pathToFileURL(parts)),
    ]) {
      const { ibid, script } = await scriptedIbid(undefined, { index });
      assert.equal(Buffer.compare(script.opened[0]?.[0] as Uint8Array, whole), 0, String(index));
      ibid.free();
    }
  });
});

test('what cannot be read is told with its path', async () => {
  await inFolder(async (folder) => {
    const { files } = folderOf(3, 1);
    const parts = join(folder, 'site.ibid');
    const load = (index: string) => scriptedIbid(undefined, { index });
    await assert.rejects(load(parts), { code: 'index-load', message: /site\.ibid could not be read: no such file/ });
    await mkdir(parts);
    await assert.rejects(load(parts), { code: 'index-load', message: /no such file.*head/ });
    for (const [name, bytes] of files) await writeFile(join(parts, name), bytes);
    const part = [...files.keys()].at(-1) as string;
    await writeFile(join(parts, part), 'x');
    await assert.rejects(load(parts), { code: 'index-load', message: new RegExp(`${part} has 1 bytes instead`) });
    await rm(join(parts, part));
    await assert.rejects(load(parts), { code: 'index-load', message: new RegExp(part) });
  });
});
