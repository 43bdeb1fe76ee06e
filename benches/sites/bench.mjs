// Asks the questions next to this file of documentation sites, and counts those whose page is among the first five; and
// headings of sites in markdown, of which it counts those whose page is the first.
//
//   node benches/sites/bench.mjs FOLDER
//
// FOLDER has a folder for each site, named like the file of its questions: the site as its generator built it, or its
// documents in markdown. Questions were written by somebody who knew the pages and not the search. Indexes are built and
// searched with the defaults. `-v` names the questions whose page was not found.

import { execFileSync } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

const HERE = dirname(fileURLToPath(import.meta.url));
const IBID = resolve(HERE, '../../target/release/ibid');
const PAGES = 5;
const HEADINGS = 120;

const folder = process.argv[2];
if (folder === undefined) throw new Error('Name the folder of the sites.');
const isVerbose = process.argv.includes('-v');
const run = (...args) => JSON.parse(execFileSync(IBID, [...args, '--json'], { encoding: 'utf8' }));

/** The path of a page without what differs between generators. */
const plain = (path) => path.replace(/\.[a-z]+$/, '').replace(/(^|\/)_?index$/, '');

const work = mkdtempSync(join(tmpdir(), 'ibid-sites-'));
const total = { found: 0, asked: 0, first: 0, headings: 0 };
for (const file of readdirSync(HERE).filter((name) => name.endsWith('.jsonl'))) {
  const site = file.slice(0, -'.jsonl'.length);
  if (!existsSync(join(folder, site))) {
    console.log(`${site}: not in ${folder}, left out`);
    continue;
  }
  const index = join(work, `${site}.ibid`);
  execFileSync(IBID, ['build', resolve(folder, site), '-o', index], { cwd: work, stdio: 'ignore' });
  const questions = readFileSync(join(HERE, file), 'utf8').trim().split('\n').map(JSON.parse);
  let found = 0;
  for (const { question, pages } of questions) {
    const sources = run('search', index, question, '--limit', '20').map((hit) => plain(hit.source));
    const first = [...new Set(sources)].slice(0, PAGES);
    const isFound = pages.some((page) => first.some((source) => `/${source}`.endsWith(`/${page}`)));
    found += Number(isFound);
    if (isVerbose && !isFound) console.log(`${site}: ${question}\n  ${pages.join(', ')} is not of ${first.join(', ')}`);
  }
  const known = headings(join(folder, site));
  const first = known.filter(({ heading, page }) => {
    const [hit] = run('search', index, heading, '--limit', '1');
    return hit !== undefined && plain(hit.source) === page;
  }).length;
  console.log(`${site}: ${found} of ${questions.length} questions, ${first} of ${known.length} headings`);
  total.first += first;
  total.headings += known.length;
  total.found += found;
  total.asked += questions.length;
}
console.log(`all: ${total.found} of ${total.asked} questions, ${total.first} of ${total.headings} headings`);
rmSync(work, { recursive: true });

/** Headings that no other page has, evenly chosen, each with its page. */
function headings(site) {
  const pages = new Map();
  const files = readdirSync(site, { recursive: true }).filter((name) => /^(?!.*(?:^|\/)[._]).*\.mdx?$/.test(name));
  for (const name of files) {
    const text = readFileSync(join(site, name), 'utf8').replace(/^```.*?^```/gms, '');
    for (const [, written] of text.matchAll(/^#{2,4} +(.+?)(?: *\{#.*\})?$/gm)) {
      const heading = written.replace(/[`*_\\]|<[^>]*>/g, '').trim();
      pages.set(heading, (pages.get(heading) ?? new Set()).add(plain(name)));
    }
  }
  const alone = [...pages].filter(([heading, { size }]) => size === 1 && heading.length > 3);
  const step = Math.max(1, alone.length / HEADINGS);
  const chosen = Array.from({ length: Math.min(HEADINGS, alone.length) }, (_, at) => alone[Math.floor(at * step)]);
  return chosen.map(([heading, [page]]) => ({ heading, page }));
}
