// Finds the functions that most pages run, of the module that searches and of the one that answers questions:
//
//   node train.mjs DIST WORK
//
// WORK has `ibid.counted.wasm` and `ibid_ask.counted.wasm`, of split.mjs, and gets `ibid.ran.json` and
// `ibid_ask.ran.json` for it. Searches, and asks without a model: the guides, the handbook, `train.md` and the made texts of
// train-texts.mjs; in files that are there and in files that are fetched in parts.

import { execFileSync } from 'node:child_process';
import { cpSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { listen } from '../../tests/static-server.mjs';
import { LANGUAGES, questions as madeQuestions, records as madeRecords } from './train-texts.mjs';

const [dist, work] = process.argv.slice(2);
const ROOT = join(import.meta.dirname, '../..');
const GUIDES = join(ROOT, 'docs');
const HANDBOOK = join(ROOT, 'www/handbook');
const MARKUP = join(import.meta.dirname, 'train.md');
const MUCH = join(work, 'much.md');

/** Ways of asking that headings do not have. */
const ODD = [
  'serch box on my site',
  '"strict content security policy" 404 é ﬁ ５ mg/kg',
  'ibid build --encoder table',
  'is penicillin allowed in pregnancy, and for how long?',
  '検索 хорошо größer',
  '“检索” "绿茶 八十" 語',
  'who won the world cup',
  'I have chest pain and cannot breathe',
  'What is the maximum dose of amoxicillin in children?',
  'Which of the medicines that an adult takes for high blood pressure have to be stopped before a pregnancy begins?',
  'Which doses does it name?',
  'Which links are there?',
  'Which steps are to be taken?',
  'Which rows has the table?',
  'How much does a lighthouse cost?',
  'What does a lighthouse need?',
  'Which versions are supported?',
  'Where are the references?',
  'What is crossed out on the page with everything?',
  'What else can markdown be?',
  'Is it so?',
  'the maximum of ibuprofen, and the first step',
  'abc-def_ghi.jkl(mno)',
  'Is 00:1A:2B:3C:4D:5E, 4111-1111-1111-1111, 2001:db8::8a2e or 10.0.0.1/8 of kind DE89 3704 0044 0532 0130 00?',
  'How do I take the many steps?',
  'ref33 https://example.org/33 https://example.org/docs/how-a-lighthouse-is-kept-in-order/',
  `what do 'x' + 'y'; -- and <b onclick="z"> do?`,
  ' ',
];

/** What people ask about a heading. */
const FORMS = [
  '…',
  'How do I set up …?',
  'what does … mean',
  'Why …?',
  'Can I … without it?',
  'When and how often …?',
  '…',
];

/** Larger amounts run code of their own. */
const many = (text) => Array.from({ length: 70 }, (_, at) => text(at));
writeFileSync(
  MUCH,
  [
    '# Much of everything',
    '## Which links are there?',
    many((at) => `[link${at}](https://example.org/${at}) and [ref${at}][] of \`code${'`'.repeat(at % 9)}`).join(', '),
    many((at) => `[ref${at}]: https://example.org/${at}`).join('\n'),
    '## Which steps are to be taken?',
    many((at) => `${at + 1}. Take step ${at} of the many steps [${at}], 0.${at} mg/kg at 1.5 times ${at},000.`).join(
      '\n',
    ),
    '## Which rows has the table?',
    [
      '| row | value | dose |',
      '| --- | ---: | --- |',
      ...many((at) => `| row ${at} | ${at / 7} | ${at}.5 to ${at + 1} ml |`),
    ].join('\n'),
  ].join('\n\n'),
);

/** Options that `<ibid-search>` searches with, counts of values, and common ones. Filters and rarer ones are left to the rest. */
function searches(facets) {
  const typed = { groupBy: 'page', limit: 8, offset: 0, group: 3, prefix: true, typos: true, minRelevance: 0.5 };
  return [
    {},
    { ...typed, facets: [] },
    { ...typed, facets, offset: 8 },
    { ...typed, facets: facets.slice(0, 1), limit: 3, group: 1, minRelevance: 0 },
    // As in an index of many clusters, of which a search compares a few.
    { ...typed, facets: [] },
    { limit: 10, offset: 10 },
    { limit: 3, neighbours: 1 },
    { mode: 'lexical' },
    { mode: 'vector' },
  ];
}

/** Failures that tear off a run: the rest does not come, and a defect. */
const FAILURES = [
  () => {
    throw Object.assign(new Error('not there'), { code: 'network', hint: 'Try again.', retryable: true });
  },
  () => undefined.there,
];

const imported = (path) => import(pathToFileURL(join(dist, path)));
const { Ibid } = await imported('index.js');
const modules = { ibid: await imported('wasm/ibid.js'), ibid_ask: await imported('wasm/ibid_ask.js') };
const counted = (name) => readFileSync(join(work, `${name}.counted.wasm`));
const wasm = { wasm: counted('ibid'), askWasm: counted('ibid_ask') };
const { server, url } = await listen(work);
// A build puts the query tables there.
mkdirSync(join(work, 'ibid'), { recursive: true });
const table = await listen(join(work, 'ibid'));

const usual = [...ODD, ...headings(GUIDES), ...headings(HANDBOOK)];
const markup = readFileSync(MARKUP, 'utf8').split('\n');
const english = [GUIDES, HANDBOOK, MARKUP, MUCH];
const small = ['--budget', '120', '--min-size', '0', '--base-url', 'https://example.org/'];
await visit(built('site', english, ...small), { questions: [...usual, ...markup] });
// As the documentation of several versions, most of whose passages are the same.
const versions = ['1', '2', '3'].map((version) => join(work, 'versions', version));
for (const version of versions) cpSync(GUIDES, version, { recursive: true });
await visit(built('plain', [...english, ...versions]));
// As a collection of short records.
const records = filesOf(GUIDES).flatMap((file, at) =>
  readFileSync(file, 'utf8')
    .split(/\n{2,}/)
    .map((text, part) => ({ _id: `${at}-${part}`, title: at % 2 ? text.slice(0, 20) : '', text, chapter: `${at}` }))
    .map((record) => JSON.stringify(record)),
);
await visit(built('records', [written('records.jsonl', records.join('\n'))]));
const known = wordsOf(filesOf(GUIDES).map((file) => readFileSync(file, 'utf8')));
const large = written('large.jsonl', madeRecords(12_000, known));
await visit(built('large', [large]), { questions: madeQuestions(known) });
const pages = Object.entries(LANGUAGES).map(([language, { page }]) => written(`${language}.md`, page));
const foreign = wordsOf(Object.values(LANGUAGES).map(({ page }) => page));
const asked = Object.values(LANGUAGES).map(({ question }) => question);
const model = 'multilingual-table.bin';
const few = { model, questions: [...ODD, ...asked] };
// As a reader's own file.
await visit(built('own', pages.slice(0, 1)));
const german = written('german.jsonl', madeRecords(300, wordsOf([LANGUAGES.de.page])));
await visit(built('german', [...pages.slice(1, 3), german]), few);
await visit(built('two', pages.slice(1, 3)), few);
const more = { model, questions: [...few.questions, ...madeQuestions(foreign)] };
await visit(built('foreign', [...pages, written('foreign.jsonl', madeRecords(300, foreign))]), more);
for (const [name, module] of Object.entries(modules)) {
  // A page that opens an index while its stemmer comes hands that over twice.
  for (const stem of [String, String]) module.stemBy?.('de', stem, 'der die das');
  await callRest(module, name === 'ibid_ask' ? tornOff : undefined);
  const ran = Object.entries(await module.default()).filter(
    ([global, { value }]) => /^ran:/.test(global) && value === 1,
  );
  writeFileSync(join(work, `${name}.ran.json`), JSON.stringify(ran.map(([global]) => global.slice('ran:'.length))));
}
server.close();
table.server.close();

function written(name, text) {
  writeFileSync(join(work, name), text);
  return join(work, name);
}

function wordsOf(texts) {
  return [...new Set(texts.flatMap((text) => text.match(/[\p{L}\p{M}]+/gu) ?? []))];
}

/** An index of small chunks or of usual ones. */
function built(name, documents, ...more) {
  const file = join(work, `${name}.ibid`);
  const args = ['build', ...documents, '-o', file, '--encoder', 'table', ...more];
  execFileSync(join(ROOT, 'target/release/ibid'), args, { stdio: ['ignore', 'ignore', 'inherit'] });
  return name;
}

async function visit(name, { model = 'query-table.bin', questions = usual } = {}) {
  const whole = { index: readFileSync(join(work, `${name}.ibid`)), model: readFileSync(join(work, 'ibid', model)) };
  const inParts = { index: new URL(`${name}.ibid`, url), model: new URL(model, table.url) };
  // A page that names no model asks for the table of its own language first, which may not be the index's.
  (await Ibid.load({ index: inParts.index, ...wasm })).free();
  for (const files of [inParts, whole]) {
    const ibid = await Ibid.load({ ...files, ...wasm });
    const fields = ibid.info.fields.filter(({ type }) => type === 'keyword').map(({ name }) => name);
    // The elements ask which languages there are.
    await ibid.facets(fields.slice(0, 1));
    const asked = searches(fields);
    for (const [at, question] of questions.entries()) {
      for (const more of [0, 2, 5]) await expected(ibid.query(question, asked[(at + more) % asked.length]));
    }
    await expected(ibid.search(questions[0], { signal: AbortSignal.abort() }));
    await expected(ibid.query(questions[1], { mode: 'none' }));
    await expected(ibid.prefetch());
    ibid.free();
  }
  for (const failure of FAILURES) {
    const ibid = await Ibid.load({ ...inParts, ...wasm });
    // The module imports this, and does not expect that it throws.
    const numbers = globalThis.Float64Array;
    globalThis.Float64Array = class {
      constructor() {
        failure();
      }
    };
    await ibid.search(questions[0]).catch(() => {});
    globalThis.Float64Array = numbers;
    ibid.free();
  }
  const ibid = await Ibid.load({ ...whole, ...wasm });
  const conversation = ibid.conversation();
  for (const [at, question] of questions.entries()) await expected((at % 2 ? conversation : ibid).ask(question));
  conversation.export();
  await expected(ibid.ask(ODD[0], { signal: AbortSignal.abort() }));
  ibid.free();
}

/** Waits for what may fail as the package documents it. */
async function expected(outcome) {
  try {
    await outcome;
  } catch (error) {
    if (error.code === undefined) throw error;
  }
}

/** A few of the headings of the documents in a folder. */
function headings(folder) {
  const all = filesOf(folder).flatMap((file) => readFileSync(file, 'utf8').match(/^#+ .+$/gm) ?? []);
  const some = all.filter((_, at) => at % 4 === 0).map((heading) => heading.replace(/^#+ /, ''));
  return some.map((heading, at) => FORMS[at % FORMS.length].replace('…', heading));
}

function filesOf(folder) {
  const names = readdirSync(folder, { recursive: true }).filter((name) => name.endsWith('.md'));
  return names.map((name) => join(folder, name));
}

/** Goes the way to the rest of a module, with and without success. */
async function callRest(module, more = async () => {}) {
  const [failed] = FAILURES;
  module.restBy(failed);
  try {
    module.needRest();
  } catch {
    module.restBy(() => {});
  }
  module.needRest();
  await more(module);
}

/** Goes the way of a run that is torn off. */
async function tornOff(module) {
  for (const failure of FAILURES) {
    const signal = Object.defineProperty({}, 'aborted', { get: failure });
    await module.ask(ODD[0], {}, {}, () => {}, signal).catch(() => {});
  }
}
