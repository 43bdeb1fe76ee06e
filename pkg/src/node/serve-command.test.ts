import assert from 'node:assert/strict';
import { mkdir, mkdtemp, rm, utimes, writeFile } from 'node:fs/promises';
import { request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { COMMAND, runIn, serving, skip } from './test-support.js';

const TEXT = '0123456789';

let folder = '';
const ibid = (...args: string[]) => runIn(folder, process.execPath, [COMMAND, ...args]);

before(async () => {
  folder = await mkdtemp(join(tmpdir(), 'ibid-serve-'));
  await mkdir(join(folder, 'site/deep'), { recursive: true });
  await mkdir(join(folder, 'site/.git'));
  for (const [name, text] of [
    ['secret.txt', 'secret'],
    ['site/index.html', '<!doctype html><title>.</title>'],
    ['site/deep/index.html', 'deep'],
    ['site/digits.txt', TEXT],
    ['site/a b é.js', 'export {}'],
    ['site/empty.css', ''],
    ['site/m.wasm', ''],
    ['site/.git/config', 'hidden'],
    ['site/.env', 'hidden'],
    ['tea.md', '# Tea\n\nGreen tea steeps at 80 degrees.\n'],
  ] as const) {
    await writeFile(join(folder, name), text);
  }
});
after(() => rm(folder, { recursive: true }));

/** Asks for a path exactly as it is written, which `fetch` would tidy. */
function raw(url: string, path: string, method = 'GET'): Promise<{ status: number; location: string; body: string }> {
  return new Promise((resolve, reject) => {
    const { hostname, port } = new URL(url);
    const asking = request({ hostname, port, path, method }, (response) => {
      let body = '';
      response.on('data', (text) => {
        body += text;
      });
      response.on('end', () => {
        resolve({ status: response.statusCode ?? 0, location: response.headers.location ?? '', body });
      });
    });
    asking.on('error', reject).end();
  });
}

test('a folder with a page is served as it is, and nothing outside or hidden', { skip }, async () => {
  const { url, end } = await serving(folder, 'site', '--port', '0');
  try {
    const page = await fetch(url);
    assert.equal(page.headers.get('content-type'), 'text/html; charset=utf-8');
    assert.equal(page.headers.get('cache-control'), 'no-cache');
    assert.equal(page.headers.get('content-security-policy'), null);
    for (const [path, status] of [
      ['/deep/', 200],
      ['/a%20b%20%C3%A9.js?v=1', 200],
      ['/empty.css', 200],
      ['/missing', 404],
      ['/digits.txt/', 404],
      ['/../secret.txt', 404],
      ['/deep/../../secret.txt', 404],
      ['/%2e%2e/secret.txt', 404],
      ['/..%2fsecret.txt', 404],
      ['/deep/..%5c..%5csecret.txt', 404],
      ['/%00', 404],
      ['/%ff', 404],
      ['/.env', 404],
      ['/.git/config', 404],
    ] as const) {
      const answer = await raw(url, path);
      assert.equal(answer.status, status, path);
      assert.doesNotMatch(answer.body, /secret|hidden/, path);
    }
    assert.deepEqual(await raw(url, '/deep?a=b').then(({ status, location }) => [status, location]), [
      301,
      '/deep/?a=b',
    ]);
    // A browser would take two slashes for another host.
    assert.equal((await raw(url, '//deep')).location, '/deep/');
    assert.equal((await raw(url, '/digits.txt', 'POST')).status, 405);
    assert.deepEqual(await raw(url, '/digits.txt', 'HEAD').then(({ status, body }) => [status, body]), [200, '']);
    assert.equal((await fetch(`${url}m.wasm`)).headers.get('content-type'), 'application/wasm');
  } finally {
    assert.equal(await end(), 0);
  }
});

test('parts of a file are served, and only of the version that is asked for', { skip }, async () => {
  const { url, end } = await serving(folder, 'site', '--port', '0');
  try {
    const get = async (headers: Record<string, string>) => {
      const response = await fetch(`${url}digits.txt`, { headers });
      return [response.status, response.headers.get('content-range'), await response.text()];
    };
    const whole = await fetch(`${url}digits.txt`);
    const etag = whole.headers.get('etag') ?? '';
    const changed = whole.headers.get('last-modified') ?? '';
    assert.match(etag, /^"/);
    assert.deepEqual(await get({ range: 'bytes=2-4' }), [206, 'bytes 2-4/10', '234']);
    assert.deepEqual(await get({ range: 'bytes=8-99' }), [206, 'bytes 8-9/10', '89']);
    assert.deepEqual(await get({ range: 'bytes=7-' }), [206, 'bytes 7-9/10', '789']);
    assert.deepEqual(await get({ range: 'bytes=-2' }), [206, 'bytes 8-9/10', '89']);
    assert.deepEqual((await get({ range: 'bytes=10-11' })).slice(0, 2), [416, 'bytes */10']);
    for (const range of ['bytes=4-2', 'bytes=0-1,4-5', 'bytes=-', 'lines=1-2']) {
      assert.deepEqual(await get({ range }), [200, null, TEXT], range);
    }
    assert.deepEqual(await get({ range: 'bytes=0-0', 'if-range': etag }), [206, 'bytes 0-0/10', '0']);
    assert.deepEqual(await get({ range: 'bytes=0-0', 'if-range': changed }), [206, 'bytes 0-0/10', '0']);
    assert.deepEqual(await get({ range: 'bytes=0-0', 'if-range': '"other"' }), [200, null, TEXT]);
    assert.equal((await get({ 'if-none-match': etag }))[0], 304);
    assert.equal((await get({ 'if-none-match': `"x", W/${etag}` }))[0], 304);
    assert.equal((await get({ 'if-none-match': '"x"', 'if-modified-since': changed }))[0], 200);
    assert.equal((await get({ 'if-modified-since': changed }))[0], 304);
    await utimes(join(folder, 'site/digits.txt'), 1, 1);
    assert.notEqual((await fetch(`${url}digits.txt`)).headers.get('etag'), etag);
  } finally {
    assert.equal(await end(), 0);
  }
});

test('two commands lead from documents to a page, whose policy allows nothing else', { skip }, async () => {
  assert.equal((await ibid('build', 'tea.md', '--encoder', 'table')).code, 0);
  const { url, end } = await serving(folder, '--port', '0');
  try {
    const page = await fetch(url);
    const policy = page.headers.get('content-security-policy') ?? '';
    assert.match(policy, /^default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; style-src 'sha256-[\w+/=]{44}';/);
    assert.doesNotMatch(policy, /unsafe-inline|'unsafe-eval'|https?:/);
    for (const path of [
      'ibid/ui/index.js',
      'ibid/index.js',
      'ibid/wasm/ibid_bg.wasm',
      'ibid/query-table.bin',
      'site.ibid',
    ]) {
      assert.equal((await fetch(url + path)).status, 200, path);
    }
    for (const path of [
      '/tea.md',
      '/package.json',
      '/ibid/../package.json',
      '/site.ibidx',
      '/site.ibid/head',
      '/page/',
    ]) {
      assert.equal((await raw(url, path)).status, 404, path);
    }
    const { port } = new URL(url);
    const taken = await ibid('serve', '--port', port);
    assert.equal(taken.code, 1);
    assert.match(taken.stderr, /^error: Port \d+ of 127\.0\.0\.1 cannot be used: .* \[io\]\n {2}hint: .*`--port 0`/);
  } finally {
    assert.equal(await end(), 0);
  }
});

test('what cannot be served is told with the next step', { skip }, async () => {
  await mkdir(join(folder, 'plain'));
  const plain = await ibid('serve', 'plain');
  assert.match(plain.stderr, /^error: `plain` has no `index\.html`, .* \[io\]\n {2}hint: .*`npx ibid build plain`/);
  const missing = await ibid('serve', 'missing.ibid');
  assert.match(missing.stderr, /\[io\]\n {2}hint: .*`npx ibid build docs`/);
  const foreign = await ibid('serve', 'tea.md');
  assert.match(foreign.stderr, /\[index-foreign\]/);
});
