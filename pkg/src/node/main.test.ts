import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, readdir, readFile, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { after, before, test } from 'node:test';
import { COMMAND, NATIVE, ROOT, runIn, skip } from './test-support.js';

const MODEL = join(ROOT, '../models/minilm-distilled.ibidmodel');

const TEA = '# Tea\n\nGreen tea steeps at 80 degrees.\n\n## Black tea\n\nBlack tea wants boiling water.\n';
const BIKES = '# Bicycles\n\n## Chains\n\nOil the chain of a bicycle every month.\n';

let folder = '';
before(async () => {
  folder = await mkdtemp(join(tmpdir(), 'ibid-node-'));
  await mkdir(join(folder, 'docs/deep'), { recursive: true });
  await mkdir(join(folder, 'docs/node_modules'));
  await writeFile(join(folder, 'docs/tea.md'), TEA);
  await writeFile(join(folder, 'docs/deep/bikes.MD'), BIKES);
  for (const passedOver of ['.hidden.md', 'node_modules/readme.md', 'picture.png', 'robots.txt']) {
    await writeFile(join(folder, 'docs', passedOver), '# Not this one\n\nNor this.\n');
  }
});
after(() => rm(folder, { recursive: true }));

const run = (program: string, args: string[], variables: Record<string, string> = {}) =>
  runIn(folder, program, args, variables);
const ibid = (...args: string[]) => run(process.execPath, [COMMAND, ...args]);

test('wrong usage is told from failure', { skip }, async () => {
  for (const [args, code] of [
    ['--help', 0],
    ['build --help', 0],
    ['model fetch --help', 0],
    ['', 2],
    ['polish', 2],
    ['chunk --help', 0],
    ['inspect --help', 0],
    ['search --help', 0],
    ['serve --help', 0],
    ['build', 2],
    ['build -o x.ibid', 2],
    ['chunk', 2],
    ['chunk docs --json', 2],
    ['inspect', 2],
    ['search x.ibid', 2],
    ['search x.ibid two words', 2],
    ['search x.ibid tea --mode magic', 2],
    ['search x.ibid tea --filter {', 2],
    ['serve --port high', 2],
    ['serve docs more', 2],
    ['build docs -o x.ibid --shiny', 2],
    ['build docs -o x.ibid --budget 3', 2],
    ['build docs -o x.ibid --encoder magic', 2],
    ['model export', 2],
    ['build nowhere -o x.ibid --encoder table', 1],
    ['build docs/missing.md -o x.ibid --encoder table', 1],
    ['chunk docs/missing.md', 1],
    ['inspect missing.ibid', 1],
    ['search docs/tea.md tea', 1],
    ['serve', 1],
    ['serve docs', 1],
    ['serve docs/tea.md', 1],
    ['model fetch nothing', 2],
  ] as const) {
    const outcome = await ibid(...args.split(' ').filter((word) => word !== ''));
    assert.equal(outcome.code, code, args);
    assert.match(code === 0 ? outcome.stdout : outcome.stderr, code === 0 ? /^Usage: /m : /^error: ./m, args);
    assert.equal(code === 0 ? outcome.stderr : outcome.stdout, '', args);
  }
  assert.match((await ibid('--version')).stdout, /^ibid \d+\.\d+\.\d+\n$/);
});

test('builds an index that opens and finds', { skip }, async () => {
  await writeFile(join(folder, 'docs/broken.md'), new Uint8Array([0x23, 0x20, 0xff, 0xfe, 0x0a]));
  const { code, stdout, stderr } = await ibid('build', './docs', '-o', 'new/site.ibid', '--encoder', 'table', '--json');
  await rm(join(folder, 'docs/broken.md'));
  assert.equal(code, 0, stderr);
  const { documents, chunks, bytes, skipped } = JSON.parse(stdout);
  assert.deepEqual([documents.length, chunks], [2, 2]);
  assert.deepEqual(
    skipped.map((one: { source: string }) => one.source),
    ['broken.md'],
  );
  assert.match(stderr, /^warning: cannot be read: .* \[invalid-document\]: `broken\.md`\nnot read: 1 \.png file$/m);
  assert.match(stderr, /^new\/site\.ibid: 2 documents, 2 chunks, 1 skipped, \d+ bytes, /m);

  const index = await readFile(join(folder, 'new/site.ibid'));
  assert.equal(index.length, bytes);
  assert.deepEqual(await readdir(join(folder, 'new')), ['site.ibid'], 'nothing is left next to it');
  const { Ibid } = await import(join(ROOT, 'dist/index.js'));
  const [model, wasm] = await Promise.all([
    readFile(join(ROOT, 'dist/query-table.bin')),
    readFile(join(ROOT, 'dist/wasm/ibid_bg.wasm')),
  ]);
  using opened = await Ibid.load({ index, model, wasm });
  const hits = await opened.search('how hot for green tea', { threshold: -1 });
  assert.deepEqual([hits[0].source, hits[0].line], ['tea.md', 3]);
  assert.equal(opened.info.encoder, 'table');

  const again = await ibid('build', 'docs', 'docs/tea.md', '-o', 'again.ibid', '--encoder', 'table');
  assert.equal(again.code, 0);
  assert.deepEqual(await readFile(join(folder, 'again.ibid')), index, 'the same input gives the same bytes');
});

test('the output is replaced whole or not at all, through a link too', { skip }, async () => {
  await writeFile(join(folder, 'old.ibid'), 'old', { mode: 0o640 });
  await symlink('old.ibid', join(folder, 'link.ibid'));
  assert.equal((await ibid('build', 'docs/missing.md', '-o', 'link.ibid', '--encoder', 'table')).code, 1);
  assert.equal(await readFile(join(folder, 'old.ibid'), 'utf8'), 'old');
  assert.equal((await ibid('build', 'docs', '-o', 'link.ibid', '--encoder', 'table')).code, 0);
  assert.ok((await stat(join(folder, 'old.ibid'))).size > 1000);
  assert.equal((await stat(join(folder, 'old.ibid'))).mode & 0o777, 0o640);
  const inFolder = await ibid('build', 'docs', '-o', 'docs', '--encoder', 'table');
  assert.deepEqual([inFolder.code, /it is a folder\. \[io\]/.test(inFolder.stderr)], [1, true]);
});

test('a folder stays a folder, whose files are those that the native command writes', { skip }, async () => {
  const built = async (...args: string[]) => {
    const { code, stderr } = await ibid('build', ...args, '-o', 'parts.ibid', '--encoder', 'table');
    assert.equal(code, 0, stderr);
    return { stderr, names: (await readdir(join(folder, 'parts.ibid'))).sort() };
  };
  await mkdir(join(folder, 'parts.ibid'));
  await writeFile(join(folder, 'parts.ibid/head'), '');
  await writeFile(join(folder, 'parts.ibid/0123456789abcdef.part'), 'of no version');
  await writeFile(join(folder, 'parts.ibid/notes.txt'), 'mine');
  const { stderr, names } = await built('docs');
  assert.match(stderr, /a folder of 1 parts; deploy all of parts\.ibid\//);
  assert.deepEqual(
    names.map((name) => name.replace(/^[0-9a-f]{16}\./, '*.')),
    ['*.part', 'head', 'notes.txt'],
  );
  const { names: updated } = await built('docs/tea.md');
  assert.equal(updated.length, 4, 'the part of the version before stays for one more build');

  const { Ibid } = await import(join(ROOT, 'dist/index.js'));
  using opened = await Ibid.load({ index: join(folder, 'parts.ibid') });
  assert.equal((await opened.search('green tea', { minRelevance: 0 }))[0].source, 'tea.md');
  if (!existsSync(NATIVE)) return;
  const args = ['build', 'docs/tea.md', '-o', 'native.parts', '--encoder', 'table', '--part-size', '1024'];
  assert.equal((await run(NATIVE, args)).code, 0);
  for (const name of await readdir(join(folder, 'native.parts'))) {
    const [ours, theirs] = ['parts.ibid', 'native.parts'].map((path) => readFile(join(folder, path, name)));
    assert.deepEqual(await ours, await theirs, name);
  }
});

test('where no model is to be had it says how to get it and goes on with the table', { skip }, async () => {
  const { code, stderr } = await ibid('build', 'docs', '-o', 'x.ibid');
  assert.equal(code, 0, stderr);
  assert.match(
    stderr,
    /^note: all-MiniLM-L6-v2 was not fetched\. The connection .* The query table .*\n {2}To get .*model fetch$/m,
  );
  await ibid('build', 'docs', '-o', 'table.ibid', '--encoder', 'table');
  assert.deepEqual(await readFile(join(folder, 'x.ibid')), await readFile(join(folder, 'table.ibid')));
  const asked = await ibid('build', 'docs', '-o', 'y.ibid', '--encoder', 'transformer');
  assert.equal(asked.code, 1);
  assert.match(
    asked.stderr,
    /^error: The connection to .* failed.* \[network\]\n {2}hint: .*model fetch.*--encoder table/m,
  );
  const broken = await run(process.execPath, [COMMAND, 'build', 'docs', '-o', 'x.ibid'], {
    IBID_MODEL: 'docs/tea.md',
  });
  assert.match(broken.stderr, /\[model-invalid\]/);
});

test('documents in German have the model for many languages, as by the native command', { skip }, async () => {
  await mkdir(join(folder, 'tee'));
  await writeFile(
    join(folder, 'tee/tee.md'),
    '# Tee\n\nGrüner Tee zieht zwei Minuten, und schwarzer Tee zieht vier.\n',
  );
  const { code, stderr } = await ibid('build', 'tee', '-o', 'tee.ibid');
  assert.equal(code, 0, stderr);
  assert.match(stderr, /^note: multilingual-e5-small was .*\n {2}To get the model: .*model fetch e5$/m);
  const english = await run(process.execPath, [COMMAND, 'build', 'tee', '-o', 'en.ibid'], {
    IBID_MODEL: 'minilm',
  });
  assert.match(english.stderr, /^note: all-MiniLM-L6-v2 was /m);
  if (!existsSync(NATIVE)) return;
  const native = await run(NATIVE, ['build', 'tee', '-o', 'native.ibid']);
  assert.equal(native.code, 0, native.stderr);
  assert.deepEqual(await readFile(join(folder, 'tee.ibid')), await readFile(join(folder, 'native.ibid')));
});

test('a page is in the language of its text, whatever its markup looks like', { skip }, async () => {
  await mkdir(join(folder, 'page'));
  const menu = '<li class="de la"><a data-e="da" data-o="em" href="/o">Kettle</a></li>'.repeat(200);
  const text = '<h1>Tea</h1><p>Green tea steeps for two minutes, and black tea for four.</p>';
  await writeFile(join(folder, 'page/tea.html'), `<html><body><nav>${menu}</nav><main>${text}</main></body></html>`);
  const { stderr } = await ibid('build', 'page', '-o', 'page.ibid');
  assert.match(stderr, /^note: all-MiniLM-L6-v2 was /m);
});

test('a site whose documents disagree is built, and each kind of thing is told in one line', { skip }, async () => {
  for (const [name, text] of [
    ['a/intro.md', '---\nid: intro\noutline: deep\nmenu: {a: 1}\n---\nOne.\n'],
    ['b/intro.md', '---\nid: intro\noutline: false\nmenu: {a: 1}\n---\nTwo.\n'],
    ['c.mdx', "---\ntitle: [\n---\nimport A from 'a';\n\n# Three\n\nThree.\n"],
    ['d.adoc', 'Four'],
  ] as const) {
    await mkdir(dirname(join(folder, 'site', name)), { recursive: true });
    await writeFile(join(folder, 'site', name), text);
  }
  const args = ['build', join(folder, 'site'), '-o', 's.ibid', '--encoder', 'table', '--json'];
  const { code, stdout, stderr } = await ibid(...args);
  assert.equal(code, 0, stderr);
  assert.deepEqual(JSON.parse(stdout).documents, ['a/intro', 'b/intro', 'c']);
  assert.equal(stderr.match(/^warning: /gm)?.length, 4, stderr);
  assert.match(stderr, /^not read: 1 \.adoc file$/m);
  assert.equal((await readFile(join(folder, 's.ibid'))).includes(folder), false, 'a path of this machine');
  const all = await ibid(...args, '--verbose');
  assert.ok((all.stderr.match(/^warning: /gm)?.length ?? 0) > 4, all.stderr);
});

test('links lead to the pages that a generator makes, as the native command has them', { skip }, async () => {
  const files = {
    '.git/HEAD': '',
    'docs/.vitepress/config.ts': "export default { \n  base: '/p/',\n}",
    'docs/guide/a.md': '# Server.open\n\nText of it.\n',
    'docs/index.md': '# Home\n\nWelcome.\n',
  };
  for (const [name, text] of Object.entries(files)) {
    await mkdir(dirname(join(folder, 'pages', name)), { recursive: true });
    await writeFile(join(folder, 'pages', name), text);
  }
  const args = ['build', 'pages/docs', '--encoder', 'table', '-o'];
  const here = await ibid(...args, 'pages.ibid');
  assert.match(here.stderr, /^site: vitepress, pages below \/p\/ \(pages\/docs\/\.vitepress\/config\.ts\)$/m);
  assert.match((await ibid(...args, 'pages.ibid', '--site', 'other')).stderr, /`--site` is one of vitepress/);
  const without = await ibid(...args, 'bare.ibid', '--site', 'none', '--strict');
  assert.equal(without.code, 0, without.stderr);
  assert.notDeepEqual(await readFile(join(folder, 'bare.ibid')), await readFile(join(folder, 'pages.ibid')));
  if (!existsSync(NATIVE)) return;
  const native = await run(NATIVE, [...args, 'native.ibid']);
  assert.equal(native.code, 0, native.stderr);
  assert.deepEqual(await readFile(join(folder, 'pages.ibid')), await readFile(join(folder, 'native.ibid')));
});

test('documents without a generator are linked below the address that is given, else a line says so', {
  skip,
}, async () => {
  const line = /^ {2}hits have no addresses: `--base-url URL` says where your pages are$/m;
  const args = ['build', 'docs/deep', '--encoder', 'table', '-o'];
  assert.match((await ibid(...args, 'unlinked.ibid')).stderr, line);
  assert.doesNotMatch((await ibid(...args, 'unlinked.ibid', '--site', 'none')).stderr, line);
  const { stderr } = await ibid(...args, 'linked.ibid', '--base-url', '/help');
  assert.doesNotMatch(stderr, line);
  const found = await ibid('search', 'linked.ibid', 'chain', '--json');
  assert.equal(JSON.parse(found.stdout)[0].url, '/help/bikes', found.stderr);
});

test('makes the same file as the native command', {
  skip: skip || (existsSync(NATIVE) ? false : `not there: ${NATIVE}`),
}, async () => {
  for (const encoder of [
    ['--model', MODEL],
    ['--encoder', 'table'],
  ]) {
    const args = ['build', 'docs/tea.md', 'docs/deep', 'site', '--budget', '64', ...encoder, '-o'];
    const here = await ibid(...args, 'here.ibid');
    const native = await run(NATIVE, [...args, 'native.ibid']);
    assert.deepEqual([here.code, native.code], [0, 0], `${here.stderr}${native.stderr}`);
    assert.deepEqual(await readFile(join(folder, 'here.ibid')), await readFile(join(folder, 'native.ibid')));
    const warnings = (text: string) => text.match(/^(warning|not read): .*$/gm);
    assert.deepEqual(warnings(here.stderr), warnings(native.stderr));
  }
});
