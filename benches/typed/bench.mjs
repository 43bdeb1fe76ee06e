// Types ten queries into the search boxes of ibid and Pagefind over the same sites, as people do, on a slow phone: 120 ms a
// key with one correction, 150 ms and 200 KB/s, a processor slowed four times, nothing cached. Pastes them too.
//
//   ./build.sh setup && (cd benches/peers && npm ci) && node benches/typed/bench.mjs [--slow] [--h2] [--device] [--log] [SITE...]
//
// --slow is Chromium's Slow 3G; --h2 serves by HTTP/2; --device has 390 px and touch; --log prints every request. A site is one
// of QUERIES. Each row has medians over the queries: the time from the last key to hits of the whole query, and to the last
// change; bytes and requests from the focus on. Tasks, shifts and INP are the worst.

import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { createSecureServer } from 'node:http2';
import { extname, join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { gzipSync } from 'node:zlib';
import { launch } from '../chromium.mjs';
import { DATA } from '../command.mjs';
import { built } from '../peers/trees.mjs';

const QUERIES = {
  vite: ['rotate keys', 'env variables', 'library mode', 'worker import'],
  'rust-book': ['borrow checker', 'trait objects', 'spawn a thread'],
  hugo: ['front matter date', 'page bundles', 'multilingual menu'],
};
const KEY_MS = 120;
const QUIET_MS = 3000;
/** The boxes: the markup of a page, the input, and the test whether hits of the whole query are shown. */
const BOXES = {
  ibid: {
    markup: `<script type="module" src="/ibid/ui/index.js"></script><ibid-search inline index="/site.ibid"></ibid-search>`,
    input: 'ibid-search input',
    found: (query, input) =>
      input.value === query && input.getRootNode().querySelector('#results [role=option]') !== null,
  },
  Pagefind: {
    markup: `<link rel="stylesheet" href="/pagefind/pagefind-ui.css"><script src="/pagefind/pagefind-ui.js"></script>
      <div id="search"></div><script>new PagefindUI({ element: '#search', showImages: false })</script>`,
    input: '#search input',
    found: (query) =>
      document.querySelector('.pagefind-ui__message')?.textContent.includes(` for ${query}`) === true &&
      document.querySelector('.pagefind-ui__result-link') !== null,
  },
};
const TYPES = {
  '.js': 'text/javascript',
  '.wasm': 'application/wasm',
  '.css': 'text/css',
  '.html': 'text/html',
  '.json': 'application/json',
};
/** The bytes that are written at once, and roughly those of an answer's header. */
const PIECE = 4096;
const HEADER_BYTES = 250;

const { values, positionals } = parseArgs({
  options: Object.fromEntries(['slow', 'h2', 'device', 'log'].map((name) => [name, { type: 'boolean' }])),
  allowPositionals: true,
});
const [latency, bytesPerSecond] = values.slow ? [400, 50_000] : [150, 200_000];
const browser = await launch('--ignore-certificate-errors');
const median = (numbers) => numbers.toSorted((a, b) => a - b)[numbers.length >> 1];
console.log(
  '| search | way | after the last key, ms | settled, ms | KB | requests | longest task, ms | shifts | INP, ms |\n| --- | --- | --- | --- | --- | --- | --- | --- | --- |',
);
const visits = [];
try {
  for (const site of positionals.length > 0 ? positionals : Object.keys(QUERIES)) await visitSite(site);
} finally {
  await browser.close();
}
for (const name of Object.keys(BOXES)) {
  for (const way of ['pasted', 'typed']) {
    const those = visits.filter((visit) => visit.name === name && visit.way === way);
    const mid = (key) => Math.round(median(those.map((visit) => visit[key])));
    const most = (key) => Math.max(...those.map((visit) => visit[key]));
    const worst = [Math.round(most('longest')), most('shifts').toFixed(3), Math.round(most('inp'))];
    const row = [name, way, mid('last'), mid('settled'), Math.round(mid('bytes') / 1000), mid('requests'), ...worst];
    console.log(`| ${row.join(' | ')} |`);
  }
}

async function visitSite(name) {
  const { site } = built(join(DATA, `docs/${name}.tar.gz`));
  for (const [box, { markup }] of Object.entries(BOXES)) {
    const head =
      '<!doctype html><html lang="en"><meta name="viewport" content="width=device-width"><title>Bench</title>';
    writeFileSync(join(site, `${box}.html`), `${head}<link rel="icon" href="data:,">${markup}`);
  }
  const server = await serve(site);
  for (const query of QUERIES[name]) {
    for (const box of Object.keys(BOXES)) {
      for (const way of ['pasted', 'typed']) visits.push({ name: box, way, ...(await visit(server, box, query, way)) });
    }
  }
  server.close();
}

/** Serves the site as hosts do, over a slow line: all requests share what it brings, those of workers too. */
async function serve(folder) {
  const files = new Map();
  const line = { requests: 0, bytes: 0, underWay: 0, began: 0, quietSince: 0, free: 0 };
  const answer = async (request, response) => {
    const { pathname } = new URL(request.url, 'http://localhost');
    const came = performance.now();
    line.requests += 1;
    line.underWay += 1;
    await wait(latency);
    const type = TYPES[extname(pathname)];
    if (!files.has(pathname)) {
      const path = join(folder, pathname);
      const bytes = existsSync(path) ? readFileSync(path) : undefined;
      files.set(pathname, bytes && type ? gzipSync(bytes) : bytes);
    }
    const file = files.get(pathname);
    const [, start = '0', last = file?.length - 1] = /^bytes=(\d+)-(\d+)$/.exec(request.headers.range ?? '') ?? [];
    const end = Math.min(Number(last) + 1, file?.length ?? 0);
    const body = file?.subarray(Number(start), end) ?? Buffer.alloc(0);
    const isPart = request.headers.range !== undefined;
    response.writeHead(file === undefined ? 404 : isPart ? 206 : 200, {
      ...{
        'content-type': type ?? 'application/octet-stream',
        etag: `"${file?.length}"`,
        'content-length': body.length,
      },
      ...(type && { 'content-encoding': 'gzip' }),
      ...(isPart && { 'content-range': `bytes ${start}-${end - 1}/${file.length}` }),
    });
    // A piece at a time, so that answers side by side share the line.
    for (let at = 0; at < body.length; at += PIECE) {
      const piece = body.subarray(at, at + PIECE);
      line.free = Math.max(line.free, performance.now()) + (piece.length / bytesPerSecond) * 1000;
      await wait(line.free - performance.now());
      response.write(piece);
    }
    response.end();
    line.bytes += body.length + HEADER_BYTES;
    line.underWay -= 1;
    line.quietSince = performance.now();
    if (!values.log) return;
    const [from, until] = [came, line.quietSince].map((time) => Math.round(time - line.began));
    console.log(`${from} to ${until} ms: ${body.length} ${pathname} ${request.headers.range ?? ''}`);
  };
  let server;
  if (values.h2) {
    const [key, cert] = ['key.pem', 'cert.pem'].map((file) => join(folder, '..', file));
    const of = ['-subj', '/CN=localhost', '-days', '2', '-nodes', '-keyout', key, '-out', cert];
    execFileSync('openssl', ['req', '-x509', '-newkey', 'rsa:2048', ...of], { stdio: 'ignore' });
    server = createSecureServer({ key: readFileSync(key), cert: readFileSync(cert), allowHTTP1: true }, answer);
  } else server = createServer(answer);
  await new Promise((resolve) => server.listen(0, resolve));
  const begin = () =>
    Object.assign(line, { requests: 0, bytes: 0, began: performance.now(), quietSince: performance.now() });
  const isQuiet = () => line.underWay === 0 && performance.now() - line.quietSince > QUIET_MS;
  return {
    origin: `http${values.h2 ? 's' : ''}://localhost:${server.address().port}`,
    line,
    begin,
    isQuiet,
    close: () => server.close(),
  };
}

async function visit(server, name, query, way) {
  const { input, found } = BOXES[name];
  const phone = { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true, deviceScaleFactor: 2 };
  const context = await browser.newContext({ ...(values.device ? phone : {}), ignoreHTTPSErrors: true });
  const page = await context.newPage();
  const client = await context.newCDPSession(page);
  await client.send('Emulation.setCPUThrottlingRate', { rate: 4 });
  await page.goto(`${server.origin}/${name}.html`);
  const box = page.locator(input);
  await box.waitFor();
  await page.waitForTimeout(500);
  server.begin();
  await box.evaluate(
    (input, [query, found]) => {
      const isFound = new Function(`return ${found}`)();
      globalThis.seen = { changes: [], longest: 0, shifts: 0, inp: 0 };
      const look = () => {
        if (seen.last !== undefined && isFound(query, input)) seen.changes.push(performance.now());
      };
      for (const root of new Set([document.body, input.getRootNode()])) {
        new MutationObserver(look).observe(root, { childList: true, subtree: true, characterData: true });
      }
      input.addEventListener('input', () => {
        if (input.value === query) seen.last ??= performance.now();
      });
      const observe = (type, take, more) =>
        new PerformanceObserver((list) => list.getEntries().forEach(take)).observe({ type, ...more });
      observe('longtask', ({ duration }) => {
        seen.longest = Math.max(seen.longest, duration);
      });
      observe('layout-shift', ({ value, hadRecentInput }) => {
        seen.shifts += hadRecentInput ? 0 : value;
      });
      const slow = ({ duration, interactionId }) => {
        if (interactionId) seen.inp = Math.max(seen.inp, duration);
      };
      observe('event', slow, { durationThreshold: 16 });
    },
    [query, `${found}`],
  );
  if (values.device) await box.tap();
  else await box.click();
  if (way === 'typed') {
    const middle = query.length >> 1;
    await page.keyboard.type(`${query.slice(0, middle)}x`, { delay: KEY_MS });
    await page.waitForTimeout(KEY_MS);
    await page.keyboard.press('Backspace', { delay: KEY_MS });
    await page.keyboard.type(query.slice(middle), { delay: KEY_MS });
  } else {
    await box.evaluate((input, query) => {
      input.value = query;
      input.dispatchEvent(new InputEvent('input', { inputType: 'insertFromPaste' }));
    }, query);
  }
  await page.waitForFunction(() => seen.changes.length > 0, undefined, { timeout: 120_000 });
  while (!server.isQuiet()) await page.waitForTimeout(100);
  const { bytes, requests } = server.line;
  const { last, changes, ...worst } = await page.evaluate(() => seen);
  await context.close();
  return { ...worst, last: changes[0] - last, settled: changes.at(-1) - last, bytes, requests };
}
