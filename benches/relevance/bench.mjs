// How many questions have a hit of relevance 0.5: those that an index answers, those of another field, and everyday ones
// (`everyday.json`). English by parts of two collections and five documentation trees; other languages by the first half
// of their paragraphs, whose other half asks the questions of another field.
//
//   ./build.sh setup && node benches/relevance/bench.mjs

import { execFile } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { DATA, IBID, ibid, rows, unpack, workFolder } from '../command.mjs';

const RELEVANT = 0.5;
/** The most questions of a kind, and those that are asked at once. */
const MOST = 100;
const AT_ONCE = 4;
const TREES = {
  vite: 'docs',
  svelte: 'documentation/docs',
  jest: 'docs',
  'rust-book': 'src',
  'jupyter-book': '.',
};
const COLLECTIONS = ['cranfield', 'nstg'];
const LANGUAGES = ['de', 'es', 'zh', 'ar'];

const everyday = JSON.parse(readFileSync(new URL('everyday.json', import.meta.url), 'utf8'));
const work = workFolder();
const english = [...COLLECTIONS.map((name) => collection(join(DATA, 'retrieval', name), isKept)), ...trees()];
for (const one of english) {
  const others = english.filter(({ field }) => field !== one.field).flatMap(({ own }) => own);
  await report(one.name, one.documents, { own: one.own, foreign: others, everyday: everyday.en });
}
for (const language of LANGUAGES) {
  const folder = join(DATA, 'retrieval_multilingual', language);
  const { documents, own, others } = collection(folder, (at, count) => at < count / 2);
  await report(language, documents, { own, foreign: others, everyday: everyday[language] });
}

/** One of as many documents as leave 500. */
function isKept(at, count) {
  return at % Math.max(1, Math.floor(count / 500)) === 0;
}

/** A part of a collection, with the questions that it answers, and the others. */
function collection(folder, isIn) {
  const name = folder.split('/').at(-1);
  const corpus = rows(join(folder, 'corpus.jsonl')).filter((_, at, { length }) => isIn(at, length));
  const documents = join(work, `${name}.jsonl`);
  writeFileSync(documents, corpus.map((row) => `${JSON.stringify(row)}\n`).join(''));
  const known = new Set(corpus.map(({ _id }) => _id));
  const answered = new Set(
    readFileSync(join(folder, 'qrels.tsv'), 'utf8')
      .trim()
      .split('\n')
      .map((line) => line.split('\t'))
      .filter(([, document]) => known.has(document))
      .map(([question]) => question),
  );
  const questions = rows(join(folder, 'queries.jsonl'));
  const of = (is) => questions.filter(({ _id }) => answered.has(_id) === is).map((question) => question.text);
  return { name, field: name, documents, own: of(true), others: of(false) };
}

/** Documentation trees, with what other benches ask of them. */
function trees() {
  const bench = (path) => new URL(`../${path}`, import.meta.url).pathname;
  const typed = JSON.parse(readFileSync(bench('typed/queries.json'), 'utf8'));
  const asked = rows(bench('ask/questions.jsonl')).filter(({ answer }) => answer?.length > 0);
  return Object.entries(TREES).map(([name, folder]) => {
    unpack(name, work);
    const own = asked.filter(({ tree }) => tree === name).map(({ question }) => question);
    own.push(...Object.keys(typed[name] ?? {}));
    return { name, field: 'documentation', documents: join(work, name, folder), own };
  });
}

/** Prints the shares of questions with a relevant hit. */
async function report(name, documents, questions) {
  const index = join(work, 'made.ibid');
  ibid('build', documents, '-o', index);
  const cells = [];
  for (const asked of Object.values(questions)) {
    // Spread over all of them.
    const some = asked.filter((_, at) => at % Math.ceil(asked.length / MOST) === 0);
    let found = 0;
    for (let at = 0; at < some.length; at += AT_ONCE) {
      const relevant = await Promise.all(some.slice(at, at + AT_ONCE).map((question) => isRelevant(index, question)));
      found += relevant.filter(Boolean).length;
    }
    cells.push(`${((100 * found) / some.length).toFixed(1)} of ${some.length}`);
  }
  process.stdout.write(`| ${name} | ${cells.join(' | ')} |\n`);
}

async function isRelevant(index, question) {
  const options = ['search', index, '--json', '--limit', '10', '--min-relevance', String(RELEVANT), '--', question];
  const { stdout } = await promisify(execFile)(IBID, options, { maxBuffer: 1 << 26 });
  return JSON.parse(stdout).length > 0;
}
