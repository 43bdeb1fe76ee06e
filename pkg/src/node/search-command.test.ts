import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { COMMAND, NATIVE, runIn, serving, skip } from './test-support.js';

const TEA = '---\nyear: 2020\n---\n# Tea\n\n## Green tea\n\nGreen tea – “sencha” – steeps at 80 degrees.\n';
const BIKES = '---\nyear: 2010\n---\n# Bicycles\n\n## Chains\n\nOil the chain of a bicycle every month.\n';

let folder = '';
const ibid = (...args: string[]) => runIn(folder, process.execPath, [COMMAND, ...args]);
const native = (...args: string[]) => runIn(folder, NATIVE, args);

before(async () => {
  folder = await mkdtemp(join(tmpdir(), 'ibid-search-'));
  await mkdir(join(folder, 'docs'));
  await writeFile(join(folder, 'docs/tea.md'), TEA);
  await writeFile(join(folder, 'docs/bikes.md'), BIKES);
  if (skip) return;
  const { code, stderr } = await ibid('build', 'docs', '--encoder', 'table');
  assert.equal(code, 0, stderr);
});
after(() => rm(folder, { recursive: true }));

test('what is built without a name is found by its name', { skip }, async () => {
  const { code, stdout, stderr } = await ibid('search', 'site.ibid', 'how hot for green tea');
  assert.deepEqual([code, stderr], [0, '']);
  assert.match(stdout, /^1\. Tea {2}\(\d\.\d{3}\)\n {3}tea\.md:6\n\n {3}## Green tea\n/);
  const nothing = await ibid('search', 'site.ibid', 'zyzzyva', '--mode', 'lexical');
  assert.deepEqual(
    [nothing.code, nothing.stdout],
    [0, 'No results for "zyzzyva". Check the spelling, or use fewer or other words.\n'],
  );
});

test('options narrow a search, and what is wrong with them is told', { skip }, async () => {
  const sources = async (...args: string[]) => {
    const { code, stdout, stderr } = await ibid(
      'search',
      'site.ibid',
      'tea',
      '--min-relevance',
      '0',
      '--json',
      ...args,
    );
    assert.equal(code, 0, stderr);
    return JSON.parse(stdout).map((hit: { source: string }) => hit.source);
  };
  assert.deepEqual(await sources('--mode', 'vector'), ['tea.md', 'bikes.md']);
  assert.deepEqual(await sources('--mode', 'vector', '--limit', '1'), ['tea.md']);
  assert.deepEqual(await sources('--mode', 'lexical'), ['tea.md']);
  assert.deepEqual(await sources('--mode', 'vector', '--filter', '{"year": {"lt": 2015}}'), ['bikes.md']);
  const unknown = await ibid('search', 'site.ibid', 'tea', '--filter', '{"age": 3}');
  assert.deepEqual([unknown.code, /\[filter-invalid\]\n {2}hint: /.test(unknown.stderr)], [1, true], unknown.stderr);
  const many = await ibid('search', 'site.ibid', 'tea', '-l', '51');
  assert.deepEqual([many.code, /\[invalid-option\]/.test(many.stderr)], [2, true], many.stderr);
  const missing = await ibid('search', 'missing.ibid', 'tea');
  assert.match(missing.stderr, /^error: `missing\.ibid` cannot be read: .* \[io\]\n {2}hint: .*`npx ibid build docs`/);
});

test('an index at an address is searched and inspected like a file', { skip }, async () => {
  const { url, end } = await serving(folder, 'site.ibid', '--port', '0');
  const there = await ibid('search', `${url}site.ibid`, 'green tea');
  assert.deepEqual(there, await ibid('search', 'site.ibid', 'green tea'));
  assert.deepEqual(await ibid('inspect', `${url}site.ibid`), await ibid('inspect', 'site.ibid'));
  await end();
});

test('an index tells what it holds', { skip }, async () => {
  const { code, stdout } = await ibid('inspect', 'site.ibid');
  assert.equal(code, 0);
  assert.match(stdout, /^2 documents, \d sections, 2 chunks; \d+ bytes, \d+ a chunk$/m);
  assert.match(stdout, /^Chunked to 180 tokens \(of four characters\), merged below 64, 0 sentences overlap, with/m);
  assert.match(stdout, /^year \(integer\): 2, 2, 2010 \(1\), 2020 \(1\)$/m);
  const { documents, bytes, chunking } = JSON.parse((await ibid('inspect', 'site.ibid', '--json')).stdout);
  assert.deepEqual([documents, bytes], [2, (await readFile(join(folder, 'site.ibid'))).length]);
  assert.deepEqual(chunking, { budget: 180, minSize: 64, overlap: 0, prefix: true, sizer: 'characters' });
});

test('chunks are lines from which the same index is built', { skip }, async () => {
  const { code, stdout } = await ibid('chunk', 'docs', '--meta', 'language=en');
  assert.equal(code, 0);
  const chunks = stdout.trimEnd().split('\n');
  const [bikes, tea] = chunks.map((line) => JSON.parse(line));
  assert.deepEqual([chunks.length, bikes.source, tea.section], [2, 'bikes.md', ['Tea']]);
  assert.deepEqual(tea.metadata, { language: 'en', year: 2020 });
  const written = await ibid('chunk', 'docs', '-o', 'chunks.jsonl', '--strict');
  assert.match(written.stderr, /^chunks\.jsonl: 2 documents, 2 chunks, 0 skipped$/m);
  const built = await ibid('build', 'chunks.jsonl', '-o', 'chunks.ibid', '--encoder', 'table');
  assert.equal(built.code, 0, built.stderr);
  const found = await ibid('search', 'chunks.ibid', 'green tea');
  assert.deepEqual(found, await ibid('search', 'site.ibid', 'green tea'));
});

test('hits, chunks and what an index holds are those of the native command', {
  skip: skip || (existsSync(NATIVE) ? false : `not there: ${NATIVE}`),
}, async () => {
  for (const args of [
    ['search', 'site.ibid', 'green tea or a chain', '--min-relevance', '0'],
    ['chunk', 'docs', '--budget', '64', '--overlap', '1', '--no-prefix'],
  ]) {
    assert.deepEqual(await ibid(...args), await native(...args));
  }
  const lines = (text: string) => text.split('\n').filter((line) => /^[A-Z].*|\(\w+\): /.test(line));
  const [here, there] = await Promise.all([ibid('inspect', 'site.ibid'), native('inspect', 'site.ibid')]);
  assert.deepEqual(
    lines(here.stdout),
    lines(there.stdout).filter((line) => !line.startsWith('Verified')),
  );
});
