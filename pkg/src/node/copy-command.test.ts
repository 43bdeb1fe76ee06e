import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { COMMAND, runIn, skip } from './test-support.js';

let folder = '';
const copy = (...args: string[]) => runIn(folder, process.execPath, [COMMAND, 'copy', ...args]);

before(async () => {
  folder = await mkdtemp(join(tmpdir(), 'ibid-copy-'));
});
after(() => rm(folder, { recursive: true }));

test('what a page needs is copied, and nothing else', { skip }, async () => {
  const { code, stdout, stderr } = await copy('public/ibid');
  assert.equal(code, 0, stderr);
  assert.match(stdout, /^part +files +KB +KB gzip\nsearch +\d+ +\d+ +\d+\nui +\d+ +\d+ +\d+\nask /);
  const has = (file: string) => existsSync(join(folder, 'public/ibid', file));
  const needed = [
    'index.js',
    'ui/index.js',
    'ui/words/de.js',
    'wasm/ibid_bg.wasm',
    'wasm/ibid_rest.wasm',
    'wasm/ibid_ask_bg.wasm',
    'wasm/ibid_ask_rest.wasm',
    'wasm/stem_de_bg.wasm',
    'LICENSE-MIT',
  ];
  assert.deepEqual(
    needed.filter((file) => !has(file)),
    [],
  );
  for (const file of [
    'wasm/ibid_whole.wasm',
    'wasm/ibid_ask_whole.wasm',
    'wasm/ibid_build_bg.wasm',
    'node',
    'build',
    'index.js.map',
    'index.d.ts',
  ])
    assert.ok(!has(file), file);
  await copy('search-only', '--for', 'search');
  assert.ok(!(await readdir(join(folder, 'search-only'))).includes('ask'));
});

test('of tables and stemmers only those are copied that the indexes next to the folder need', { skip }, async () => {
  const has = async () => {
    const names = await readdir(join(folder, 'app/ibid'), { recursive: true });
    return names.filter((name) => /table|stem_/.test(name)).sort();
  };
  const build = async (text: string, output: string, model: string) => {
    await writeFile(join(folder, 'page.md'), text);
    const args = [COMMAND, 'build', 'page.md', '-o', output, '--encoder', 'table', '--no-cache'];
    const { code, stderr } = await runIn(folder, process.execPath, args, { IBID_MODEL: model });
    assert.equal(code, 0, stderr);
  };
  await copy('app/ibid');
  assert.ok((await has()).length > 15, 'all of them where there is no index');
  await writeFile(join(folder, 'app/ibid/mine-table.bin'), 'of somebody else');
  await build('# Tea\n\nGreen tea is steeped for two minutes.\n', 'app/site.ibid', 'minilm');
  for (const _ of ['once', 'twice']) {
    await copy('app/ibid');
    assert.deepEqual(await has(), ['mine-table.bin', 'query-table.bin']);
  }
  await build('# Tee\n\nGrüner Tee zieht zwei Minuten, und der schwarze vier.\n', 'app/de/site.ibid', 'e5');
  await copy('app/ibid');
  assert.deepEqual(await has(), [
    'mine-table.bin',
    'multilingual-table.bin',
    'query-table.bin',
    join('wasm', 'stem_de_bg.wasm'),
  ]);
  await copy('app/ibid', '--for', 'search,add');
  assert.ok((await has()).length > 15, 'an index that the page makes may need any of them');
  await writeFile(join(folder, 'app/broken.ibid'), 'no index');
  const broken = await copy('app/ibid');
  assert.match(broken.stderr, /all query tables and stemmers are copied, since `app\/broken\.ibid` does not tell/);
  assert.ok((await has()).length > 15);
});

test('what is wrong is told', { skip }, async () => {
  assert.equal((await copy()).code, 2);
  const unknown = await copy('a', '--for', 'serach');
  assert.deepEqual([unknown.code, unknown.stderr.split('\n', 1)[0]], [2, 'error: there is no part `serach`']);
  await writeFile(join(folder, 'file'), '');
  const blocked = await copy('file');
  assert.equal(blocked.code, 1);
  assert.match(blocked.stderr, /cannot be written.*\[io\]/);
});
