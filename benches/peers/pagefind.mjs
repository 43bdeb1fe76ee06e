// Compares the cost of a first search with Pagefind: both index the same built site, and answer the same questions over
// the wire.
//
//   ./build.sh setup && cd benches/peers && npm ci && npm run pagefind -- [TREE.tar.gz|FOLDER]...
//
// A tree is a folder of markdown or its archive; without one, the trees of ../shared/data/docs that QUESTIONS names. Each
// page is rendered to plain HTML, so that neither pays for a generator's theme. Passages are embedded by the query table,
// which gives as many bytes as the transformer does. Each question has a browser with an empty cache, and asks for five
// results with what is needed to show them. ../wire.mjs says what is counted; the table has medians over the questions.

import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { launch } from '../chromium.mjs';
import { DATA } from '../command.mjs';
import { ibidKind, serveCounted } from '../wire.mjs';
import { built } from './trees.mjs';

const QUESTIONS = {
  vite: [
    'env variables',
    'how do I proxy an API in development',
    'library mode',
    'preload CSS chunks',
    'worker import',
  ],
  'rust-book': ['borrow checker', 'how do I read a file', 'trait objects', 'what is a slice', 'spawn a thread'],
  hugo: [
    'front matter date',
    'how do I resize an image',
    'multilingual menu',
    'page bundles',
    'deploy to GitHub Pages',
  ],
};
const GENERAL = ['install', 'how do I configure it', 'error message', 'command line options', 'default value'];
const DELAY = 20;

const trees = process.argv.slice(2);
if (trees.length === 0) trees.push(...Object.keys(QUESTIONS).map((name) => join(DATA, `docs/${name}.tar.gz`)));
if (!trees.every((tree) => existsSync(tree))) {
  console.error('usage: node pagefind.mjs [TREE.tar.gz|FOLDER]...');
  process.exit(2);
}

const median = (numbers) => numbers.sort((a, b) => a - b)[numbers.length >> 1];
const browser = await launch();
console.log(`Chromium ${browser.version()}\n`);
console.log(
  '| site | pages | search | KB | requests | rounds | index on disk, KB |\n| --- | --- | --- | --- | --- | --- | --- |',
);
try {
  for (const tree of trees) await compare(tree);
} finally {
  await browser.close();
}

async function compare(tree) {
  const name = basename(tree).replace(/\.tar\.gz$/, '');
  const { site, pages } = built(tree);
  for (const [search, kind, folder, ask] of [
    ['ibid', ibidKind, 'site.ibid', askIbid],
    ['Pagefind', (url) => (url.startsWith('/pagefind/') ? 'all' : undefined), 'pagefind', askPagefind],
  ]) {
    const costs = [];
    const server = await serveCounted(site, kind, { delay: DELAY });
    for (const question of QUESTIONS[name] ?? GENERAL) costs.push(await cost(server, ask, question));
    server.close();
    const of = (key) => median(costs.map((cost) => cost[key]));
    const disk = Math.round(sizeOf(join(site, folder)) / 1000);
    const row = [name, pages, search, Math.round(of('bytes') / 1000), of('requests'), of('rounds'), disk];
    console.log(`| ${row.join(' | ')} |`);
  }
}

/** Counts the cost of one question to a visitor who has nothing yet. */
async function cost(server, ask, question) {
  const context = await browser.newContext();
  const page = await context.newPage();
  await page.goto(`${server.origin}/blank.html`);
  server.begin();
  const found = await page.evaluate(ask, question);
  if (found === 0) console.error(`  nothing was found for ${question}`);
  const fetched = server.fetched();
  await context.close();
  return fetched;
}

async function askIbid(question) {
  const { Ibid } = await import('/ibid/index.js');
  const ibid = await Ibid.load({ index: '/site.ibid', prefetch: 'never' });
  return (await ibid.search(question)).length;
}

async function askPagefind(question) {
  const pagefind = await import('/pagefind/pagefind.js');
  await pagefind.init();
  const { results } = await pagefind.search(question);
  return (await Promise.all(results.slice(0, 5).map((result) => result.data()))).length;
}

function sizeOf(path) {
  const files = readdirSync(dirname(path), { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  const all = files.map(({ parentPath, name }) => join(parentPath, name));
  return all
    .filter((file) => file === path || file.startsWith(`${path}/`))
    .reduce((sum, file) => sum + readFileSync(file).length, 0);
}
