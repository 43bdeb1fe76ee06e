/** The packages of the models as `npm pack` makes them: found where they are installed, and fetched from a registry. */
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { listen } from '../static-server.mjs';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const COMMAND = join(ROOT, 'target/release/ibid');
const MODELS = [
  [
    'ibid-model-en',
    ['minilm-distilled.ibidmodel', 'query-table.bin', 'projection.bin'],
    '# Tea\n\nGreen tea steeps at eighty degrees.\n',
  ],
  [
    'ibid-model-multilingual',
    ['multilingual-e5-small.ibidmodel', 'multilingual-table.bin', 'multilingual-projection.bin'],
    '# Tee\n\nGrüner Tee zieht bei achtzig Grad.\n',
  ],
];
const isThere = MODELS.every(([name, [file]]) => existsSync(join(ROOT, 'pkg/models', name, file)));
const skip = isThere || process.env.IBID_REQUIRE_MODEL ? false : 'a model is missing: run ./build.sh setup';

let folder;
let registry;
const run = promisify(execFile);
before(async () => {
  folder = mkdtempSync(join(tmpdir(), 'ibid-models-'));
  registry = await listen(folder);
});
after(() => {
  registry.close();
  rmSync(folder, { recursive: true });
});

/** Builds an index on a machine that has no model, and returns its bytes and what was said. */
async function built(home, mirror) {
  const env = { PATH: process.env.PATH, HOME: home, IBID_MODEL_URL: mirror, NO_PROXY: '127.0.0.1' };
  const { stderr } = await run(COMMAND, ['build', 'docs', '-o', 'site.ibid'], { cwd: home, env });
  return { index: readFileSync(join(home, 'site.ibid')), stderr };
}

function home(name, text) {
  const path = join(folder, name);
  mkdirSync(join(path, 'docs'), { recursive: true });
  writeFileSync(join(path, 'docs/tea.md'), text);
  return path;
}

for (const [name, own, text] of MODELS) {
  test(`${name} is packed with its licence, fetched, and found where it is installed`, { skip }, async () => {
    const archives = join(folder, name, '-');
    mkdirSync(archives, { recursive: true });
    const packing = ['pack', '--json', '--pack-destination', archives];
    const { stdout } = await run('npm', packing, { cwd: join(ROOT, 'pkg/models', name) });
    const [{ filename, files }] = JSON.parse(stdout);
    assert.deepEqual(files.map(({ path }) => path).sort(), ['LICENSE', 'README.md', 'package.json', ...own].sort());

    const fetched = await built(home(`${name}-fetched`, text), registry.url);
    assert.match(fetched.stderr, /downloading .* once, \d+ MB from http:\/\/127\.0\.0\.1/);
    assert.doesNotMatch(fetched.stderr, /note: /);

    const installed = home(`${name}-installed`, text);
    const place = join(installed, 'node_modules', name);
    mkdirSync(place, { recursive: true });
    await run('tar', ['-xzf', join(archives, filename), '--strip-components', '1', '-C', place]);
    const found = await built(installed, 'http://127.0.0.1:9');
    assert.doesNotMatch(found.stderr, /fetched/);
    assert.deepEqual(found.index, fetched.index);

    await run(COMMAND, ['copy', 'ibid', '--for', 'transformer'], {
      cwd: installed,
      env: { ...process.env, HOME: installed },
    });
    assert.deepEqual(
      readdirSync(join(installed, 'ibid')).filter((file) => /bin$|ibidmodel$/.test(file)),
      [...own].sort(),
    );
  });
}
