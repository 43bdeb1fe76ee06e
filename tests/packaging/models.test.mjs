/**
 * The packages of the models as `npm pack` makes them: both commands fetch them from a registry on the loopback, the one
 * for Node finds them in `node_modules`, and both write the same bytes.
 */
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { listen } from '../static-server.mjs';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const NATIVE = join(ROOT, 'target/release/ibid');
const NODE = join(ROOT, 'pkg/bin/ibid.mjs');
const MODELS = [
  ['ibid-model-en', 'minilm-distilled.ibidmodel', '# Tea\n\nGreen tea steeps at eighty degrees.\n'],
  ['ibid-model-multilingual', 'multilingual-e5-small.ibidmodel', '# Tee\n\nGrüner Tee zieht bei achtzig Grad.\n'],
];
const isThere = MODELS.every(([name, file]) => existsSync(join(ROOT, 'pkg/models', name, file)));
const skip = isThere || process.env.IBID_REQUIRE_MODEL ? false : 'a model is missing: run ./build.sh setup';

let folder;
let registry;
const run = promisify(execFile);
before(async () => {
  folder = mkdtempSync(join(tmpdir(), 'ibid-models-'));
  registry = await listen(folder);
});
after(() => {
  registry.server.closeAllConnections();
  registry.server.close();
  rmSync(folder, { recursive: true });
});

/** Builds an index on a machine that has no model, and returns its bytes and what was said. */
async function built(command, home, mirror, options = []) {
  const env = { PATH: process.env.PATH, HOME: home, IBID_MODEL_URL: mirror, NO_PROXY: '127.0.0.1' };
  const { stderr } = await run(command[0], [...command.slice(1), 'build', 'docs', '-o', 'site.ibid', ...options], {
    cwd: home,
    env,
  });
  return { index: readFileSync(join(home, 'site.ibid')), stderr };
}

function home(name, text) {
  const path = join(folder, name);
  mkdirSync(join(path, 'docs'), { recursive: true });
  writeFileSync(join(path, 'docs/tea.md'), text);
  return path;
}

for (const [name, file, text] of MODELS) {
  test(`${name} is packed with its licence, fetched by both commands, and found where it is installed`, {
    skip,
  }, async () => {
    const archives = join(folder, name, '-');
    mkdirSync(archives, { recursive: true });
    const packing = ['pack', '--json', '--pack-destination', archives];
    const { stdout } = await run('npm', packing, { cwd: join(ROOT, 'pkg/models', name) });
    const [{ filename, files }] = JSON.parse(stdout);
    assert.deepEqual(files.map(({ path }) => path).sort(), ['LICENSE', 'README.md', file, 'package.json'].sort());

    const node = await built([process.execPath, NODE], home(`${name}-node`, text), registry.url);
    assert.match(node.stderr, / is fetched once, \d+ MB from http:\/\/127\.0\.0\.1/);
    assert.doesNotMatch(node.stderr, /note: /);
    const native = await built([NATIVE], home(`${name}-native`, text), registry.url);
    assert.match(native.stderr, / is fetched once, \d+ MB from http:\/\/127\.0\.0\.1/);
    assert.deepEqual(node.index, native.index);

    const installed = home(`${name}-installed`, text);
    const place = join(installed, 'node_modules', name);
    mkdirSync(place, { recursive: true });
    await run('tar', ['-xzf', join(archives, filename), '--strip-components', '1', '-C', place]);
    const found = await built([process.execPath, NODE], installed, 'http://127.0.0.1:9');
    assert.doesNotMatch(found.stderr, /fetched/);
    assert.deepEqual(found.index, node.index);
  });
}

/** Short passages, of which so many make several groups of clusters. */
function sections(count) {
  const subjects = ['tea', 'ferry', 'violin', 'glacier', 'ledger', 'orchard', 'engine', 'harbour', 'falcon', 'senate'];
  const deeds = ['repaired', 'painted', 'measured', 'sold', 'forgotten', 'praised', 'carried', 'drawn', 'taxed'];
  const places = ['in Oslo', 'at night', 'by the sea', 'under snow', 'for the king', 'on Mondays', 'at school'];
  const one = (list, at) => list[at % list.length];
  return Array.from({ length: count }, (_, at) => {
    const subject = `The ${one(subjects, at)} is ${one(deeds, at)}`;
    return `# ${subject}\n\n${subject} ${one(places, at)}, number ${at}.\n`;
  }).join('\n');
}

test('both commands make the same graph over many clusters', async () => {
  const where = home('many', sections(4000));
  const node = await built([process.execPath, NODE], where, registry.url, ['--encoder', 'table']);
  const native = await built([NATIVE], where, registry.url, ['--encoder', 'table']);
  assert.equal(Buffer.compare(node.index, native.index), 0);
});
