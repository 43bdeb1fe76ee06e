import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { COMMAND, runIn, skip } from './test-support.js';

const page = (title: string, text: string) =>
  `<!doctype html><html><head><title>${title}</title></head><body><main><h1>${title}</h1><p>${text}</p></main></body></html>`;
const TEA = page('Tea', 'Green tea is steeped at 80 degrees for two minutes.');

let folder = '';
const site = (...args: string[]) => runIn(folder, process.execPath, [COMMAND, 'site', ...args]);
const read = (path: string) => readFile(join(folder, '_site', path), 'utf8');

before(async () => {
  folder = await mkdtemp(join(tmpdir(), 'ibid-site-'));
  await mkdir(join(folder, '_site/guide'), { recursive: true });
  await writeFile(join(folder, '_site/index.html'), page('Drinks', 'What is drunk hot and cold in this house.'));
  await writeFile(join(folder, '_site/guide/tea.html'), TEA);
  await writeFile(join(folder, '_site/404.html'), page('Not found', 'There is nothing here.'));
  await writeFile(join(folder, '_site/part.html'), '<p>A part of a page that another one fetches.</p>');
});
after(() => rm(folder, { recursive: true }));

test('a built site gets an index, the files, and the script in each page', { skip }, async () => {
  const { code, stderr } = await site('_site', '--answers', '--set', 'placeholder=Say "hi"');
  assert.equal(code, 0, stderr);
  assert.match(stderr, /the search box is in 2 pages/);
  for (const file of ['site.ibid', 'ibid/ui/site.js', 'ibid/index.js', 'ibid/ask/start.js'])
    assert.ok(existsSync(join(folder, '_site', file)), file);
  const models = await readdir(join(folder, '_site/ibid'), { recursive: true });
  assert.deepEqual(
    models.filter((file) => /table|stem_/.test(file)),
    ['query-table.bin'],
    'which is all that an English index needs',
  );
  const script = (path: string) =>
    `<script src="${path}" defer data-answers="" data-placeholder="Say &quot;hi&quot;"></script></head>`;
  assert.ok((await read('index.html')).includes(script('ibid/ui/site.js')));
  assert.ok((await read('guide/tea.html')).includes(script('../ibid/ui/site.js')));
  assert.ok(!(await read('404.html')).includes('site.js'), 'which is shown at any address');
});

test('a second time brings the site up to date, and leaves one script', { skip }, async () => {
  const { code } = await site('_site', '--facets', 'kind');
  assert.equal(code, 0);
  const text = await read('guide/tea.html');
  assert.deepEqual(text.match(/<script[^>]*>/g), ['<script src="../ibid/ui/site.js" defer data-facets="kind">']);
  assert.equal(text.replace(/\n?<script.*?<\/script>/, ''), TEA, 'all else is as it was');
});

test('what is wrong is told', { skip }, async () => {
  assert.equal((await site()).code, 2);
  assert.equal((await site('_site', '--set', 'Model')).code, 2);
  await mkdir(join(folder, 'empty'), { recursive: true });
  const empty = await site('empty');
  assert.equal(empty.code, 2);
  assert.match(empty.stderr, /There is no page in `empty`\. \[invalid-option\]\n {2}hint: Name the folder/);
  const missing = await site('nowhere');
  assert.equal(missing.code, 1);
  assert.match(missing.stderr, /`nowhere` cannot be read/);
});
