// Where the page that a typed query means stands: 25 queries on each of four documentation trees (`queries.json`), as the
// search box asks. Half of the queries may be looked at while settings are chosen; of the others only the shares count.
//
//   ./build.sh setup && node benches/typed/rank.mjs [--all]
//
// --all shows queries of the other half that fail, too.

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { halves, ibid, unpack, workFolder } from '../command.mjs';

const { values } = parseArgs({ options: { all: { type: 'boolean' } } });
const FOLDERS = { vite: 'docs', svelte: 'documentation/docs', jest: 'docs', 'rust-book': 'src' };
const work = workFolder();
const ranks = [];
for (const [tree, queries] of Object.entries(JSON.parse(readFileSync(new URL('queries.json', import.meta.url))))) {
  unpack(tree, work);
  const index = join(work, `${tree}.ibid`);
  ibid('build', join(work, tree, FOLDERS[tree]), '-o', index);
  for (const [query, page] of Object.entries(queries)) ranks.push({ tree, query, page, ...rankOf(index, query, page) });
}

console.log('| queries | first | among three | among ten |\n| --- | --- | --- | --- |');
for (const [name, those] of halves(ranks)) {
  const share = (most) => (those.filter(({ rank }) => rank <= most).length / those.length).toFixed(2);
  console.log(`| ${name} | ${share(1)} | ${share(3)} | ${share(10)} |`);
}
ranks.forEach(({ tree, query, page, rank, first }, at) => {
  if (rank > 1 && (values.all || at % 2 === 0)) console.log(`${tree}: ${query}: ${page} is ${rank}, first is ${first}`);
});

/** The place of a page among the pages found, and the first of them. */
function rankOf(index, query, page) {
  const hits = JSON.parse(ibid('search', index, '--limit', '50', '--json', '--', query));
  const pages = [...new Set(hits.map(({ source }) => source.replace(/\.mdx?$/, '')))];
  const at = pages.findIndex((source) => `docs/${source}`.endsWith(page) || source.endsWith(page));
  return { rank: at < 0 ? Number.POSITIVE_INFINITY : at + 1, first: pages[0] };
}
