import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { writeWhole } from './files.js';

test('what a killed command left is removed, and what a living one writes is not', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'ibid-files-'));
  // A process that has ended; the one that runs this test has not.
  const { pid: ended } = spawnSync(process.execPath, ['--version']);
  const kept = [
    `a.ibid.${process.ppid}.node.tmp`,
    'a.ibid.node.tmp',
    `a.ibid.${ended}.tmp`,
    `b.ibid.${ended}.node.tmp`,
  ];
  for (const name of [...kept, `a.ibid.${ended}.node.tmp`]) await writeFile(join(folder, name), 'half');
  await writeWhole(join(folder, 'a.ibid'), new Uint8Array(3));
  assert.deepEqual((await readdir(folder)).sort(), ['a.ibid', ...kept].sort());
  await rm(folder, { recursive: true });
});
