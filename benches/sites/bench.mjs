// Asks the questions next to this file of documentation sites, and counts those whose page is among the first five. Asks
// the titles and headings of sites in markdown too, and counts those whose page is the first, or among the first three.
//
//   node benches/sites/bench.mjs FOLDER
//
// FOLDER has a folder for each site, named like the file of its questions: the site as its generator built it, or its
// documents in markdown. Questions were written by somebody who knew the pages and not the search. Indexes are built and
// searched with the defaults. `-v` names the questions whose page was not found.

import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ibid, rows, workFolder } from '../command.mjs';

const HERE = import.meta.dirname;
const PAGES = 5;
/** Names of pages and of sections, and the most of each that are asked. */
const NAMES = { titles: /^(?:title:|#) +["']?(.+?)["']?$/m, headings: /^#{2,4} +(.+?)(?: *\{#.*\})?$/gm };
const MOST = 120;

const folder = process.argv[2];
if (folder === undefined) throw new Error('Name the folder of the sites.');
const isVerbose = process.argv.includes('-v');

/** The path of a page without what differs between generators. */
const plain = (path) => path.replace(/\.[a-z]+$/, '').replace(/(^|\/)_?index$/, '');

const work = workFolder();
const total = { found: 0, asked: 0 };
for (const file of readdirSync(HERE).filter((name) => name.endsWith('.jsonl'))) {
  const site = file.slice(0, -'.jsonl'.length);
  if (!existsSync(join(folder, site))) {
    console.log(`${site}: not in ${folder}, left out`);
    continue;
  }
  const index = join(work, `${site}.ibid`);
  ibid('build', join(folder, site), '-o', index, '--no-cache');
  const questions = rows(join(HERE, file));
  let found = 0;
  for (const { question, pages } of questions) {
    const first = pagesOf(index, question).slice(0, PAGES);
    const isFound = pages.some((page) => first.some((source) => `/${source}`.endsWith(`/${page}`)));
    found += Number(isFound);
    if (isVerbose && !isFound) console.log(`${site}: ${question}\n  ${pages.join(', ')} is not of ${first.join(', ')}`);
  }
  console.log(`${site}: ${found} of ${questions.length} questions`);
  for (const [kind, pattern] of Object.entries(NAMES)) {
    const asked = named(join(folder, site), pattern);
    const ranks = asked.map(({ name, page }) => pagesOf(index, name).indexOf(page));
    const first = ranks.filter((rank) => rank === 0).length;
    const three = ranks.filter((rank) => rank >= 0 && rank < 3).length;
    console.log(`  of ${asked.length} ${kind} ${first} first, ${three} among three`);
  }
  total.found += found;
  total.asked += questions.length;
}
console.log(`all: ${total.found} of ${total.asked} questions`);

/** The pages that a search finds, best first. */
function pagesOf(index, query) {
  const hits = JSON.parse(ibid('search', index, query, '--limit', '20', '--json'));
  return [...new Set(hits.map(({ source }) => plain(source)))];
}

/** Titles or headings that no other page has, evenly chosen, each with its page. */
function named(site, pattern) {
  const pages = new Map();
  const files = readdirSync(site, { recursive: true }).filter((name) => /^(?!.*(?:^|\/)[._]).*\.mdx?$/.test(name));
  for (const file of files) {
    const text = readFileSync(join(site, file), 'utf8').replace(/^```.*?^```/gms, '');
    const found = pattern.global ? [...text.matchAll(pattern)] : [text.match(pattern)].filter(Boolean);
    for (const [, written] of found) {
      const name = written.replace(/[`*_\\]|<[^>]*>/g, '').trim();
      pages.set(name, (pages.get(name) ?? new Set()).add(plain(file)));
    }
  }
  const alone = [...pages].filter(([name, { size }]) => size === 1 && name.length > 3);
  const step = Math.max(1, alone.length / MOST);
  const chosen = Array.from({ length: Math.min(MOST, alone.length) }, (_, at) => alone[Math.floor(at * step)]);
  return chosen.map(([name, [page]]) => ({ name, page }));
}
