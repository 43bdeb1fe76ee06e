// A small site with all marks of an author and everything in `ibid.toml`, built by the command and searched in Chromium.
//
//   ./build.sh pack && node --test tests/sites/settings.test.mjs

import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { after, before, test } from 'node:test';
import { listen } from '../static-server.mjs';
import { openBrowser } from './visitor.mjs';

const IBID = process.env.IBID_COMMAND ?? join(import.meta.dirname, '../../target/release/ibid');

const SETTINGS = `synonyms = [["k8s", "Kubernetes"], ["ACL", "access control list"]]
stop = ["Acme"]
exclude = ["/old/**"]
language = "en"
encoder = "table"
facets = ["author"]
popular = ["/rights.html#rights", "/start/"]
place = "header"

[pins]
"get started" = "/start/"

[weights]
"/blog/**" = 0.1

[set]
placeholder = "Search Acme"
sort = "price"
`;

const PAGES = {
  'index.html':
    '<h1>Acme</h1><p data-ibid-filter="author:Ann" data-ibid-sort="price:7">Kubernetes runs the nodes of Acme.',
  'rights.html': `<h1 id="rights">Rights</h1><p>An ACL says who may read. The copper price went up again.
    <p data-pagefind-sort="price:12">By <span data-pagefind-filter="author">Bob</span><aside data-pagefind-ignore>Advertisement for kettles</aside>`,
  'start/index.html': `<h1>Welcome</h1><img alt="A box on a table" src="box.png"><p>Unpack what came.
    <p data-ibid-ignore="all">Nothing of zircon.<p data-nosnippet>Internal remark: walrus.`,
  'old/index.html': '<h1>Old</h1><p>The telegraph was new then.',
  'blog/index.html': `<h1>News of trade</h1><p data-ibid-filter="author:Ann">The copper price, the copper trade
    and copper in wires.`,
};

const write = (folder, name, text) => {
  mkdirSync(dirname(join(folder, name)), { recursive: true });
  writeFileSync(join(folder, name), text);
};

let folder;
let browser;
let site;
before(async () => {
  folder = mkdtempSync(join(tmpdir(), 'ibid-settings-'));
  write(folder, 'ibid.toml', SETTINGS);
  for (const [name, body] of Object.entries(PAGES)) {
    const head = `<meta charset="utf-8"><meta name="keywords" content="${name === 'rights.html' ? 'permissions' : ''}">`;
    const page = `<header></header><nav>Menu</nav><main data-ibid-body>${body}</main><p>Beneath: granite.`;
    write(
      folder,
      `_site/${name}`,
      `<!doctype html><html lang="en"><head>${head}<title>${name}</title></head><body>${page}`,
    );
  }
  write(
    folder,
    '_site/unmarked.html',
    '<html lang="en"><head><title>x</title></head><body><main><h1>Basalt</h1><p>Rock.',
  );
  execFileSync(IBID, ['site', join(folder, '_site'), '--no-cache'], { stdio: 'ignore' });
  site = await listen(join(folder, '_site'));
  browser = await openBrowser();
});
after(async () => {
  await browser?.close();
  site?.close();
  rmSync(folder, { recursive: true, force: true });
});

test('marks and settings say what a visitor finds', async () => {
  const page = await browser.newPage();
  const complaints = [];
  page.on('pageerror', ({ message }) => complaints.push(message));
  await page.goto(site.url);
  const search = page.locator('header ibid-search');
  await search.waitFor({ state: 'attached' });
  assert.equal(await search.getAttribute('placeholder'), 'Search Acme');
  assert.equal(await search.getAttribute('facets'), 'author');
  const found = (query, options = {}) =>
    page.evaluate(
      async ([query, options]) => {
        const { Ibid } = await import(new URL('ibid/index.js', location.href).href);
        globalThis.loaded ??= Ibid.load({ index: new URL('site.ibid', location.href).href });
        const hits = await (await globalThis.loaded).search(query, { mode: 'lexical', ...options });
        return [...new Set(hits.map(({ source }) => source))];
      },
      [query, options],
    );
  for (const [query, ...sources] of [
    ['k8s', 'index.html'],
    ['access control list', 'rights.html'],
    ['permissions', 'rights.html'],
    ['copper price', 'rights.html', 'blog/index.html'],
    ['get started', 'start/index.html'],
    ['box on a table', 'start/index.html'],
    ['Acme unpack ', 'start/index.html'],
  ]) {
    assert.deepEqual(await found(query), sources, query);
  }
  for (const word of ['zircon', 'walrus', 'kettles', 'telegraph', 'granite', 'basalt'])
    assert.deepEqual(await found(word), [], word);
  assert.deepEqual(await found('copper', { filter: { author: 'Ann' } }), ['blog/index.html']);
  assert.deepEqual((await found('', { sort: 'price' })).slice(0, 2), ['rights.html', 'index.html']);
  // The box itself: pages that the author names, and the pin comes first.
  await page.keyboard.press('Control+k');
  const popular = page.locator('ibid-search [part="popular"] a');
  await popular.first().waitFor();
  assert.deepEqual(await popular.allTextContents(), ['Rights', 'start/index.html']);
  const popularAt = await popular.evaluateAll((links) => links.map((link) => link.getAttribute('href')));
  assert.match(popularAt.join(' '), /\/rights(?:\.html)?#rights \S*\/start\/$/);
  await page.getByRole('button', { name: 'Bob (1)' }).click();
  const listed = page.locator('ibid-search [part="page-title"]');
  await listed.first().waitFor();
  assert.deepEqual(await listed.allTextContents(), ['Rights']);
  await page.getByRole('button', { name: 'Bob (1)' }).click();
  await page.getByRole('button', { name: 'Sort by price' }).waitFor();
  await page.locator('ibid-search [role="combobox"]').fill('get started');
  const first = page.locator('ibid-search [role="option"]').first();
  await first.waitFor();
  assert.match(await first.getAttribute('href'), /\/start\//);
  assert.deepEqual(complaints, []);
  await page.close();
});

test('files that pages may load lie next to them', () => {
  const files = join(folder, '_site/ibid');
  const names = readdirSync(files, { recursive: true }).filter((name) => name.endsWith('.js'));
  const missing = names.flatMap((name) =>
    [...readFileSync(join(files, name), 'utf8').matchAll(/(?:from|import)\s*\(?\s*[`"'](\.[^`"']+\.js)[`"']/g)]
      .map(([, file]) => join(dirname(name), file))
      // Parts that `ibid copy --for` adds.
      .filter((file) => !/^(?:build|engines)\//.test(file) && !existsSync(join(files, file))),
  );
  assert.deepEqual(missing, []);
});
