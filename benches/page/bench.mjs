// What an index of a folder costs a page in Chromium: every byte until the first result with nothing in the cache, by
// kind (code, query table, index), with Range and without, and the time to open it. ../wire.mjs says what is counted.
//
//   ./build.sh setup && node benches/page/bench.mjs [FOLDER [QUERY]]
//
// The folder's documents are embedded by the query table, which is quick and gives an index of the same size as the
// transformer does. Without a folder, `tools/make_corpus.py` makes one with about 9,000 passages.

import { execFileSync } from 'node:child_process';
import { cpSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { launch, ROOT } from '../chromium.mjs';
import { ibidKind, serveCounted } from '../wire.mjs';

const ROUNDS = 15;

const [given, query = 'how much of it may be given in a day'] = process.argv.slice(2);
const site = mkdtempSync(join(tmpdir(), 'ibid-bench-'));
let browser;
let server;
try {
  const folder = given ?? made(join(site, 'corpus'));
  const command = join(ROOT, 'pkg/bin/ibid.mjs');
  const options = ['--encoder', 'table'];
  execFileSync(process.execPath, [command, 'build', folder, '-o', join(site, 'site.ibid'), ...options], {
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  cpSync(join(ROOT, 'pkg/dist'), join(site, 'ibid'), { recursive: true });
  writeFileSync(join(site, 'index.html'), '<!doctype html><title>bench</title>');

  server = await serveCounted(site, ibidKind, { delay: 20 });
  const { origin } = server;

  browser = await launch();
  const page = await browser.newPage();
  await page.goto(`${origin}/index.html`);
  const info = await page.evaluate(async () => {
    const { Ibid } = await import('/ibid/index.js');
    const ibid = await Ibid.load({ index: '/site.ibid' });
    const { info } = ibid;
    ibid.free();
    return info;
  });
  console.log(`${info.documents} documents, ${info.chunks} passages, ${info.bytes} bytes`);

  for (const [name, base] of [
    ['with Range', ''],
    ['without', '/whole'],
  ]) {
    // A context of its own has an empty cache.
    const context = await browser.newContext();
    const cold = await context.newPage();
    await cold.goto(`${origin}/index.html`);
    server.begin();
    const { load, search, hits } = await cold.evaluate(
      async ([base, query]) => {
        const start = performance.now();
        const { Ibid } = await import(`${base}/ibid/index.js`);
        const ibid = await Ibid.load({ index: `${base}/site.ibid`, prefetch: 'never' });
        const loaded = performance.now();
        const hits = await ibid.search(query);
        const search = performance.now() - loaded;
        ibid.free();
        return { load: loaded - start, search, hits: hits.length };
      },
      [base, query],
    );
    await context.close();
    const { kinds, bytes, requests, rounds } = server.fetched();
    const parts = kinds.map(({ kind, bytes, requests }) => `${kind} ${bytes} (${requests} requests)`);
    console.log(
      `${name.padEnd(10)} ${bytes} bytes, ${requests} requests, ${rounds} rounds before ${hits} hits: ` +
        `${parts.sort().join(', ')}; load ${load.toFixed(0)} ms, first search ${search.toFixed(1)} ms`,
    );
  }

  const times = await page.evaluate(
    async ([rounds, query]) => {
      const { Ibid } = await import('/ibid/index.js');
      const get = async (url) => new Uint8Array(await (await fetch(url)).arrayBuffer());
      const [bytes, table] = [await get('/site.ibid'), await get('/ibid/query-table.bin')];
      const median = (times) => times.sort((a, b) => a - b)[times.length >> 1];
      const [open, search] = [[], []];
      for (let round = 0; round < rounds; round++) {
        const index = bytes.slice();
        const model = table.slice();
        const start = performance.now();
        const ibid = await Ibid.load({ index, model });
        open.push(performance.now() - start);
        for (let again = 0; again < 20; again++) {
          const start = performance.now();
          await ibid.search(query);
          search.push(performance.now() - start);
        }
        ibid.free();
      }
      return { open: median(open), search: median(search) };
    },
    [ROUNDS, query],
  );
  console.log(
    `from memory: opened in ${times.open.toFixed(1)} ms (index and query table, every checksum verified), a search ` +
      `${times.search.toFixed(2)} ms; medians`,
  );
} finally {
  await browser?.close();
  server?.close();
  rmSync(site, { recursive: true });
}

function made(folder) {
  execFileSync('python3', [join(ROOT, 'tools/make_corpus.py'), folder, '3000'], { stdio: 'ignore' });
  return folder;
}
