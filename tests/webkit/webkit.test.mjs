// The demo in WebKitGTK: keys, search, answers, files of the reader's own, and what is kept between visits.
//
//   ./build.sh build && node --test tests/webkit/webkit.test.mjs

import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { listen } from '../static-server.mjs';
import { eventually, WebKit } from './webkit.mjs';

const [DOWN, ENTER, ESCAPE] = ['\uE015', '\uE007', '\uE00C'];
const isThere = spawnSync('sh', ['-c', 'command -v WebKitWebDriver Xvfb']).status === 0;
const skip = !isThere && "WebKitGTK is not installed: Debian's webkit2gtk-driver and xvfb";
const folder = mkdtempSync(join(tmpdir(), 'ibid-webkit-'));
let webkit;
let site;
before(async () => {
  if (skip) return;
  site = await listen(fileURLToPath(new URL('../../target/site', import.meta.url)));
  webkit = await WebKit.start();
});
after(async () => {
  await webkit?.close();
  site?.close();
  rmSync(folder, { recursive: true, maxRetries: 10 });
});

async function openDemo() {
  await webkit.goto(site.url);
  await eventually(() => webkit.read('id', 'html[data-ready]'));
}

/** Waits until a property of an element begins with a text, and returns it. */
function reads(beginning, ...element) {
  return eventually(
    () => webkit.read(...element),
    (value) => value?.startsWith(beginning),
  );
}

const found = (page) => reads(page, 'ariaLabel', 'ibid-search', '[role=option]');

async function ask(question) {
  await webkit.type(question + ENTER, 'ibid-ask', 'textarea');
  await reads('The best passages, word for word.', 'textContent', 'ibid-ask', '[part=turn] [part=note]');
  return webkit.read('textContent', 'ibid-ask', '[part=turn] [part=answer]');
}

test('keys search and open a result, and the way back finds the query again', { skip }, async () => {
  await openDemo();
  await webkit.press('/', ...'metformin and kidneys');
  // The address has the query once its last letters are searched for.
  await reads(`${site.url}?q=metformin+and+kidneys`, 'baseURI', 'html');
  await found('Type 2 diabetes');
  await webkit.press(DOWN);
  await reads('Type 2 diabetes', 'ariaLabel', 'ibid-search', '[aria-selected=true]');
  await webkit.press(ENTER);
  await reads('Type 2 diabetes', 'textContent', 'h1');

  const isOpen = () => webkit.read('open', 'ibid-search', 'dialog');
  await eventually(isOpen);
  await webkit.press('/');
  assert.equal(await isOpen(), true);
  await webkit.press(ESCAPE);
  await eventually(isOpen, (open) => !open);

  await webkit.back();
  await reads('metformin and kidneys', 'value', 'ibid-search', 'input');
  await found('Type 2 diabetes');
});

test('a question without a model is answered by quotes with a source that opens', { skip }, async () => {
  await openDemo();
  assert.match(await ask('How much adrenaline does an adult with anaphylaxis get?'), /adrenaline/i);
  await webkit.click('ibid-ask', 'button.ibid-cite');
  await webkit.click('ibid-ask', '[part=passage] > a');
  await reads('Anaphylaxis', 'textContent', 'h1');
});

test("a file of the reader's own is read in a worker, searched and asked", { skip }, async () => {
  const file = join(folder, 'tea.md');
  writeFileSync(file, '# Tea\n\n## Green tea\n\nGreen tea steeps at 80 degrees for two minutes.\n');
  await openDemo();
  await webkit.type(file, '#files');
  await reads('Documents: 1, passages: 1.', 'textContent', '#own-status');
  await webkit.press('/', ...'how hot is green tea');
  await found('Tea');
  assert.match(await ask('How hot is the water for green tea?'), /80 degrees/);
});

/** Runs in a page: searches an index of which the browser keeps what was fetched, and one that a page has added to. */
async function searchBoth() {
  const { Ibid } = await import('/ibid/index.js');
  const ibid = await Ibid.load({ index: './site.ibid', persist: 'cache' });
  const [{ text }] = await ibid.search('metformin a day with an eGFR of 35');
  const kept = await caches.open('of the test');
  if (!(await kept.match('/index'))) {
    await ibid.add([{ source: 'white-tea.md', content: '# White tea\n\nWhite tea steeps at 70 degrees.\n' }]);
    await kept.put('/index', new Response(await ibid.export()));
  }
  const restored = await Ibid.load({ index: await kept.match('/index') });
  const [tea] = await restored.search('how hot is white tea');
  return [text, tea.text];
}

test('a browser that is opened again finds what it has fetched, and what was added', { skip }, async () => {
  const script = `navigator.sendBeacon('/told', JSON.stringify(await (${searchBoth})().catch(String)))`;
  const [serve] = site.server.listeners('request');
  let tell;
  let statuses;
  site.server.removeAllListeners('request').on('request', (request, response) => {
    const { url } = request;
    if (url === '/visit') response.end(`<!doctype html><script type="module">${script}</script>`);
    else if (url === '/told') request.once('data', tell).once('end', () => response.end());
    else serve(request, response);
    if (url === '/site.ibid') response.once('finish', () => statuses.push(response.statusCode));
  });
  const visit = async () => {
    statuses = [];
    const told = new Promise((resolve) => {
      tell = resolve;
    });
    const browser = webkit.visit(`${site.url}visit`, folder);
    const texts = String(JSON.parse(await told));
    browser.kill();
    assert.match(texts, /1000 mg.*White tea steeps at 70 degrees\.$/s);
    return statuses;
  };
  assert.ok((await visit()).includes(206));
  // What is kept is written when nobody waits for it any more.
  await eventually(visit, () => statuses.length > 0 && statuses.every((status) => status === 304));
});
