// Types a query into the search box of a page on a slow phone, and pastes it: times from the last key and the first to hits
// of the whole query, bytes and requests. Nothing is cached; 150 ms, 200 KB/s, and a processor slowed four times.
//
//   ./build.sh setup && node benches/typed/bench.mjs FOLDER QUERY [ROUNDS]
//
// The folder has documents, which are embedded by the query table.

import { execFileSync } from 'node:child_process';
import { cpSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { listen } from '../../tests/static-server.mjs';
import { launch, ROOT } from '../chromium.mjs';

const KEY_MS = 150;
const [folder, query, rounds = '3'] = process.argv.slice(2);
if (query === undefined) {
  console.error('usage: node benches/typed/bench.mjs FOLDER QUERY [ROUNDS]');
  process.exit(2);
}
const site = mkdtempSync(join(tmpdir(), 'ibid-typed-'));
const build = ['build', folder, '-o', join(site, 'site.ibid'), '--encoder', 'table', '--no-cache'];
execFileSync(join(ROOT, 'target/release/ibid'), build, { stdio: ['ignore', 'ignore', 'inherit'] });
cpSync(join(ROOT, 'pkg/dist'), join(site, 'ibid'), { recursive: true });
writeFileSync(
  join(site, 'index.html'),
  `<!doctype html><html lang="en"><title>Bench</title><link rel="icon" href="data:,">
  <script type="module" src="/ibid/ui/index.js"></script><ibid-search inline index="/site.ibid"></ibid-search>`,
);
const { server, url } = await listen(site);
const browser = await launch();
const median = (values) => values.sort((a, b) => a - b)[values.length >> 1];
try {
  for (const way of ['pasted', 'typed']) {
    const all = [];
    for (let round = 0; round < Number(rounds); round++) all.push(await visit(way));
    const of = (name) => median(all.map((one) => one[name]));
    console.log(
      `${way.padEnd(7)} ${of('last').toFixed(0)} ms after the last key, ${of('first').toFixed(0)} after the first, ` +
        `settled after ${of('settled').toFixed(0)}, ${(of('bytes') / 1000).toFixed(0)} KB, ${of('requests')} requests, ` +
        `longest task ${of('longest').toFixed(0)} ms`,
    );
  }
} finally {
  await browser.close();
  server.closeAllConnections();
  server.close();
  rmSync(site, { recursive: true });
}

async function visit(way) {
  const context = await browser.newContext();
  const page = await context.newPage();
  const client = await context.newCDPSession(page);
  await client.send('Network.enable');
  const speed = { downloadThroughput: 200_000, uploadThroughput: 200_000, latency: 150 };
  await client.send('Network.emulateNetworkConditions', { offline: false, ...speed });
  await client.send('Emulation.setCPUThrottlingRate', { rate: 4 });
  await page.goto(url);
  const box = page.getByRole('combobox');
  await box.waitFor();
  let [bytes, requests] = [0, 0];
  client.on('Network.requestWillBeSent', () => requests++);
  client.on('Network.loadingFinished', ({ encodedDataLength }) => {
    bytes += encodedDataLength;
  });
  await page.evaluate((query) => {
    globalThis.seen = { changes: [], tasks: [0] };
    const { shadowRoot } = document.querySelector('ibid-search');
    const [input, list] = [shadowRoot.querySelector('input'), shadowRoot.querySelector('#results')];
    new MutationObserver(() => {
      if (input.value === query && list.querySelector('[role=option]')) seen.changes.push(performance.now());
    }).observe(list, { childList: true, subtree: true });
    input.addEventListener('input', () => {
      seen.first ??= performance.now();
      if (input.value === query) seen.last = performance.now();
    });
    new PerformanceObserver((list) => {
      for (const { duration } of list.getEntries()) seen.tasks.push(duration);
    }).observe({ type: 'longtask', buffered: false });
  }, query);
  await box.focus();
  if (way === 'typed') await page.keyboard.type(query, { delay: KEY_MS });
  else {
    await box.evaluate((input, query) => {
      input.value = query;
      input.dispatchEvent(new InputEvent('input', { inputType: 'insertFromPaste' }));
    }, query);
  }
  await page.waitForFunction(() => seen.changes.length > 0, undefined, { timeout: 60_000 });
  await page.waitForFunction(() => performance.now() - seen.changes.at(-1) > 4000, undefined, { timeout: 60_000 });
  const { first, last, changes, tasks } = await page.evaluate(() => seen);
  await context.close();
  const times = { last: changes[0] - last, first: changes[0] - first, settled: changes.at(-1) - last };
  return { ...times, bytes, requests, longest: Math.max(...tasks) };
}
