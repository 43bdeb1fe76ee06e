// Reads documentation sites as their generators built them, and asks each its questions: how much furniture stands in the
// passages, whether anchors are right, and which page and which definition come first, next to Pagefind on the same folders.
//
//   node benches/realsites/bench.mjs FOLDER [--questions FILE] [--only SITE,SITE] [--pagefind] [-v]
//
// FOLDER has a folder for each site of the file of questions (questions.json here). Questions have the pages that answer them,
// symbols the pages, or pages with anchor, that define them. Rules are tuned to every other question, in its order; the
// rest, held back, is reported next to them. Pagefind takes `npm ci` in ../peers, and Chromium. `-v` names what was missed.

import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync, realpathSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { listen } from '../../tests/static-server.mjs';
import { launch } from '../chromium.mjs';
import { ibid, ROOT, workFolder } from '../command.mjs';

const PAGEFIND = join(ROOT, 'benches/peers/node_modules/.bin/pagefind');
/** Lines of a page's beginning and end that may be furniture, and the share of pages that have one in the same place. */
const EDGE = 2;
const SHARE = 0.1;
/** Passages per site whose anchors are looked up. */
const ANCHORS = 2000;

const { values, positionals } = parseArgs({
  options: {
    questions: { type: 'string', default: new URL('questions.json', import.meta.url).pathname },
    only: { type: 'string' },
    pagefind: { type: 'boolean' },
    verbose: { type: 'boolean', short: 'v' },
  },
  allowPositionals: true,
});
if (positionals.length !== 1) {
  console.error('usage: node bench.mjs FOLDER [--questions FILE] [--only SITE,SITE] [--pagefind] [-v]');
  process.exit(2);
}
const asked = Object.entries(JSON.parse(readFileSync(values.questions, 'utf8')));
const sites = asked.filter(([site]) => values.only?.split(',').includes(site) ?? true);
const work = workFolder();
const browser = values.pagefind ? await launch() : undefined;
const totals = {};
const sources = new Map();
const columns = 'pages | furniture | wrong anchors | page hit@1 | hit@5 | held back @1 | @5 | symbol first | held back';
console.log(`| site | search | ${columns} |\n|${' --- |'.repeat(11)}`);
try {
  for (const [site, { questions, symbols }] of sites) {
    if (!existsSync(join(positionals[0], site))) {
      console.log(`| ${site} | not in ${positionals[0]} |`);
      continue;
    }
    const folder = realpathSync(join(positionals[0], site));
    const read = reading(folder);
    const index = join(work, `${site}.ibid`);
    ibid('build', folder, '-o', index, '--encoder', 'table', '--no-cache');
    const search = (query) => JSON.parse(ibid('search', index, '--limit', '20', '--json', '--', query));
    const hits = (query) => search(query).map(({ source, anchor }) => ({ page: source, anchors: [anchor ?? ''] }));
    report(site, 'ibid', read, await answers(site, hits, questions, symbols));
    if (browser) report(site, 'Pagefind', {}, await byPagefind(site, folder, questions, symbols));
  }
  for (const search of Object.keys(totals)) report('all', search, totals[search], totals[search]);
} finally {
  await browser?.close();
}

function report(site, search, read, found) {
  const share = ([of, all] = []) => (all ? (of / all).toFixed(2) : '');
  const row = [read.pages ?? '', read.furniture && `${((100 * read.furniture[0]) / read.furniture[1]).toFixed(1)} %`];
  row.push(read.anchors && `${read.anchors[0]} of ${read.anchors[1]}`);
  for (const part of ['tunedFirst', 'tunedFive', 'heldFirst', 'heldFive', 'tunedSymbol', 'heldSymbol'])
    row.push(share(found[part]));
  console.log(`| ${site} | ${search} | ${row.map((cell) => cell ?? '').join(' | ')} |`);
  if (site === 'all') return;
  totals[search] ??= {};
  for (const [key, value] of Object.entries({ ...read, ...found })) {
    const before = totals[search][key];
    if (Array.isArray(value)) totals[search][key] = value.map((number, at) => number + (before?.[at] ?? 0));
    else totals[search][key] = value + (before ?? 0);
  }
}

/** Asks all questions; each count is of those found, and of all. */
async function answers(site, ask, questions, symbols) {
  const counts = Object.fromEntries(
    ['First', 'Five', 'Symbol'].flatMap((kind) => [`tuned${kind}`, `held${kind}`]).map((kind) => [kind, [0, 0]]),
  );
  const count = (kind, at, isFound) => {
    const of = counts[`${at % 2 === 0 ? 'tuned' : 'held'}${kind}`];
    of[0] += Number(isFound);
    of[1] += 1;
  };
  for (const [at, [question, pages]] of Object.entries(questions).entries()) {
    const found = [...new Set((await ask(question)).map(({ page }) => page))];
    const rank = found.findIndex((page) => pages.includes(page));
    count('First', at, rank === 0);
    count('Five', at, rank >= 0 && rank < 5);
    if (values.verbose && rank !== 0)
      console.error(`  ${site}: ${question}: ${rank + 1 || 'not found'}: ${found.slice(0, 3).join(', ')}`);
  }
  for (const [at, [symbol, places]] of Object.entries(symbols).entries()) {
    const [first] = await ask(symbol);
    const isPlace = (place) => {
      const [page, anchor] = place.split('#');
      return first?.page === page && (anchor === undefined || first.anchors.includes(anchor));
    };
    count('Symbol', at, places.some(isPlace));
    if (values.verbose && !places.some(isPlace))
      console.error(`  ${site}: ${symbol}: ${first?.page}#${first?.anchors.join(' #')}`);
  }
  return counts;
}

async function byPagefind(site, folder, questions, symbols) {
  const files = join(work, `${site}-pagefind`);
  execFileSync(PAGEFIND, ['--site', folder, '--output-path', files], { stdio: 'ignore' });
  const { origin, close } = await listen(files);
  const page = await browser.newPage();
  await page.goto(`${origin}/pagefind-entry.json`);
  const ask = (query) =>
    page.evaluate(
      async ([origin, query]) => {
        const pagefind = await import(`${origin}/pagefind.js`);
        await pagefind.options({ baseUrl: '/' });
        const { results } = await pagefind.search(query);
        const all = await Promise.all(results.slice(0, 10).map((result) => result.data()));
        return all.map(({ url, sub_results }) => ({
          page: decodeURI(url)
            .replace(/^\/+|#.*$/g, '')
            .replace(/(^|\/)$/, '$1index.html'),
          anchors: sub_results.map(({ url }) => decodeURIComponent(url.split('#')[1] ?? '')),
        }));
      },
      [origin, query],
    );
  try {
    return await answers(site, ask, questions, symbols);
  } finally {
    await page.close();
    close();
  }
}

/** Counts pages, passages with furniture, and anchors that are not on the page or not the section's own. */
function reading(folder) {
  const passages = ibid('chunk', folder).trim().split('\n').map(JSON.parse);
  const pages = new Map();
  for (const passage of passages) pages.set(passage.source, [...(pages.get(passage.source) ?? []), passage]);
  const html = passages.filter(({ source }) => /\.html?$/.test(source));
  const step = Math.max(1, Math.floor(html.length / ANCHORS));
  const looked = html.filter(({ anchor }, at) => anchor && at % step === 0);
  const wrong = looked.filter(({ source, anchor, section }) => !isOwn(join(folder, source), anchor, section.at(-1)));
  if (values.verbose)
    for (const { source, anchor, section } of wrong.slice(0, 5))
      console.error(`  wrong: ${source}#${anchor}: ${section.at(-1)}`);
  const furnished = withFurniture(pages);
  if (values.verbose)
    for (const [{ source }, line] of furnished.slice(0, 5)) console.error(`  furniture: ${source}: ${line}`);
  return { pages: pages.size, furniture: [furnished.length, passages.length], anchors: [wrong.length, looked.length] };
}

/**
 * The passages with lines that more than a tenth of the pages have in the same place: near the beginning or the end, with
 * the same words in the same order, whatever stands between them. Sentences are none, and neither are code and the names of
 * a table's columns: no page leads around its site by these.
 */
function withFurniture(pages) {
  const least = Math.max(3, pages.size * SHARE);
  const words = (line) => line.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [];
  const edges = new Map();
  for (const [source, passages] of pages) {
    const lines = passages.flatMap((passage) => prose(passage.content).map((line) => ({ passage, line })));
    const all = lines.filter(({ line }) => words(line).length > 0 && words(line).length < 20 && !/[.!?]$/.test(line));
    const tail = all.slice(-EDGE).reverse();
    edges.set(source, [
      ...all.slice(0, EDGE).map((of) => ({ ...of, side: 'first' })),
      ...tail.map((of) => ({ ...of, side: 'last' })),
    ]);
  }
  const counted = (keyOf) => {
    const counts = new Map();
    for (const lines of edges.values()) {
      for (const key of new Set(lines.flatMap(keyOf))) counts.set(key, (counts.get(key) ?? 0) + 1);
    }
    return counts;
  };
  const wordKeys = ({ line, side }) => words(line).map((word) => `${side} ${word}`);
  const shared = counted(wordKeys);
  const shape = (of) => {
    const kept = words(of.line).map((word) =>
      word.length > 1 && shared.get(`${of.side} ${word}`) >= least ? word : '*',
    );
    return kept.every((word) => word === '*') ? [] : [`${of.side} ${kept.join(' ').replace(/\*( \*)+/g, '*')}`];
  };
  const shapes = counted(shape);
  const found = new Map();
  for (const of of [...edges.values()].flat()) {
    if (shape(of).some((key) => shapes.get(key) >= least)) found.set(of.passage, of.line);
  }
  return [...found];
}

/** The lines of a passage without code, and without the names of columns. */
function prose(content) {
  let isCode = false;
  return content.split('\n').filter((line, at, lines) => {
    const isFence = /^\s*(```|~~~)/.test(line);
    if (isFence) isCode = !isCode;
    return !isFence && !isCode && !/^\s*\|[\s|:-]+\|$/.test(lines[at + 1] ?? '');
  });
}

/** An anchor is a section's own if the heading's own link names it, or nothing but it stands before the heading. */
function isOwn(path, anchor, heading) {
  if (!sources.has(path)) sources.set(path, readFileSync(path, 'utf8').replace(/<(script|style)[\s\S]*?<\/\1>/g, ''));
  const page = sources.get(path);
  const escaped = anchor
    .replace(/&/g, '&amp;')
    .replace(/</g, '&lt;')
    .replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
  // A name may be all signs, such as `--`.
  const dropped = /[\p{L}\p{N}]/u.test(heading) ? /[^\p{L}\p{N}]/gu : /\s/g;
  const letters = (text) =>
    text
      .replace(/&#?\w+;/g, '')
      .replace(dropped, '')
      .toLowerCase();
  const wanted = letters(heading).slice(0, 20);
  for (const { index } of page.matchAll(
    new RegExp(`\\s(?:id|name)\\s*=\\s*(?:"${escaped}"|'${escaped}'|${escaped}(?=[\\s>]))`, 'g'),
  )) {
    const behind = page.slice(page.indexOf('>', index) + 1, index + 3000);
    // Inside the heading, its words may stand before the anchor.
    const start = page.lastIndexOf('<h', index);
    const inside = start > page.lastIndexOf('</h', index) ? page.slice(start, index + 3000) : '';
    const own = /<a\s[^>]*href=["']?#([^"'\s>]+)["']?[^>]*>\s*(?:¶|&para;|#|§|🔗|&#182;)?\s*<\/a>/.exec(
      behind.slice(0, behind.search(/<\/(h\d|dt)>/) + 1),
    );
    if (own !== null && decodeURIComponent(own[1]) !== anchor && page.includes(`"${own[1]}"`)) continue;
    const text = (html) => letters(html.replace(/^[^<]*>/, '').replace(/<[^>]*>/g, ''));
    if (
      wanted !== '' &&
      [behind, inside].some((html) =>
        text(html)
          .slice(0, wanted.length + 60)
          .includes(wanted),
      )
    )
      return true;
  }
  return false;
}
