// The share of queries with a relevant hit: an index's own questions, those of other fields, and everyday ones.
//
//   ibid eval --collections FOLDER && node benches/relevance/bench.mjs FOLDER
//
// FOLDER has collections in BEIR's layout with their indexes next to them, and may have indexes of the documentation trees
// as `vite.ibid`, `jest.ibid`, `rust-book.ibid`. For each, the last column has the two numbers of `relevance.rs` that the
// others teach, and what they would give. IBID names another command.

import { execFile } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';

const FOLDER = process.argv[2];
const ROOT = new URL('../../', import.meta.url).pathname;
const IBID = process.env.IBID ?? join(ROOT, 'target/release/ibid');
const FIELDS = {
  cisi: 'library',
  cranfield: 'aeronautics',
  vite: 'software',
  jest: 'software',
  'rust-book': 'software',
};
const NAMES = ['cisi', 'covidqa', 'cranfield', 'medquad_sections', 'nstg', 'pubmedqa', 'vite', 'jest', 'rust-book'];
const MOST = 120;
const RELEVANT = 0.5;
/** The weights of coverage and the least sums that are tried. */
const GRID = [0.3, 0.4, 0.5, 0.6, 0.7, 0.8].flatMap((words) =>
  Array.from({ length: 16 }, (_, at) => [words, 0.6 + 0.05 * at]),
);

const lines = (path) => readFileSync(path, 'utf8').trim().split('\n');
/** Some of a list, evenly spread. */
const some = (list, most) => list.filter((_, at) => at % Math.ceil(list.length / most) === 0);
const field = (name) => FIELDS[name] ?? 'health';
const everyday = lines(new URL('everyday.txt', import.meta.url));
const names = NAMES.filter((name) => existsSync(join(FOLDER, `${name}.ibid`)));
const questions = Object.fromEntries(names.map((name) => [name, questionsOf(name)]));
const found = {};
for (const name of names) {
  const others = names.filter((other) => field(other) !== field(name));
  const foreign = some(
    others.flatMap((other) => some(questions[other], 60)),
    MOST,
  );
  const { calibration } = JSON.parse(await ibid('inspect', join(FOLDER, `${name}.ibid`), '--json')).manifest;
  const ask = async (query) => hitsOf(name, calibration, query);
  found[name] = [];
  for (const queries of [some(questions[name], MOST), foreign, everyday])
    found[name].push(await Promise.all(queries.map(ask)));
}
const row = (cells) => console.log(`| ${cells.join(' | ')} |`);
row(['', 'own', 'other fields', 'everyday', 'words, sum: own, other fields, everyday']);
row(['---', '---', '---', '---', '---']);
for (const name of names) {
  const shares = found[name].map((hits) => share(hits, ({ relevance }) => relevance >= RELEVANT));
  const others = names.filter((other) => other !== name);
  const loss = (rule) => others.reduce((sum, other) => sum + lost(rates(other, rule)), 0);
  const taught = GRID.map((rule) => [loss(rule), rule]).sort(([a], [b]) => a - b)[0][1];
  const numbers = taught.map((number) => number.toFixed(2)).join(', ');
  row([name, ...shares, `${numbers}: ${rates(name, taught).join(', ')}`]);
}

function questionsOf(name) {
  const site = new URL(`../sites/${name}.jsonl`, import.meta.url);
  if (existsSync(site)) return lines(site).map((line) => JSON.parse(line).question);
  return lines(join(FOLDER, name, 'queries.jsonl')).map((line) => JSON.parse(line).text);
}

async function ibid(...args) {
  return (await promisify(execFile)(IBID, args, { maxBuffer: 2 ** 28 })).stdout;
}

/** Nearness, coverage and relevance of a query's best hits. */
async function hitsOf(name, { unrelated, near }, query) {
  const args = ['search', join(FOLDER, `${name}.ibid`), '--explain', '--json', '--limit', '20', '--', query];
  const { explain, hits } = JSON.parse(await ibid(...args));
  return hits.map(({ relevance }, at) => {
    const { cosine, coverage } = explain.hits[at];
    const nearness = ((cosine ?? explain.vector?.least ?? unrelated) - unrelated) / (near - unrelated);
    return { nearness, coverage: coverage ?? 0, relevance };
  });
}

/** The percentage of queries with a hit that passes. */
function share(queries, passes) {
  return ((100 * queries.filter((hits) => hits.some(passes)).length) / queries.length).toFixed(1);
}

function rates(name, [words, sum]) {
  return found[name].map((hits) => share(hits, ({ nearness, coverage }) => nearness + words * coverage >= sum));
}

function lost([own, foreign, common]) {
  return 100 - own + Number(foreign) + Number(common);
}
