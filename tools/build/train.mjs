// Finds the functions that most pages run, of the module that searches and of the one that answers questions:
//
//   node train.mjs DIST WORK
//
// WORK has `ibid.counted.wasm` and `ibid_ask.counted.wasm`, of split.mjs, and gets `ibid.ran.json` and
// `ibid_ask.ran.json` for it. Asks the guides, the handbook and `train.md`, and a German page, without a model; and
// searches them, in files that are there and in files that are fetched in parts.

import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';

const [dist, work] = process.argv.slice(2);
const ROOT = join(import.meta.dirname, '../..');
const GUIDES = join(ROOT, 'docs');
const HANDBOOK = join(ROOT, 'www/handbook');
const MARKUP = join(import.meta.dirname, 'train.md');
const GERMAN = join(work, 'german.md');

/** Ways of asking that headings do not have. */
const ODD = [
  'serch box on my site',
  '"strict content security policy" 404 é ﬁ ５ mg/kg',
  'ibid build --encoder table',
  'is penicillin allowed in pregnancy, and for how long?',
  '検索 хорошо größer',
  'who won the world cup',
  'I have chest pain and cannot breathe',
  'What is the maximum dose of amoxicillin in children?',
  'Which of the medicines that an adult takes for high blood pressure have to be stopped before a pregnancy begins?',
  'Which doses does it name?',
  'What is crossed out on the page with everything?',
  'the maximum of ibuprofen, and the first step',
  'Wie werden Häuser gebaut?',
  'abc-def_ghi.jkl(mno)',
  ' ',
];

writeFileSync(GERMAN, '---\nlang: de\n---\n# Häuser\n\nDie Häuser wurden gebaut.\n\n## Dächer\n\nSie sind rot.\n');

/** Options that `<ibid-search>` and filtered lists search with. Rarer ones are left to the rest. */
function searches(field = 'title', value = 'a', others = []) {
  const typed = { groupBy: 'page', limit: 8, offset: 0, group: 3, prefix: true, typos: true, minRelevance: 0.5 };
  return [
    {},
    { ...typed, facets: [] },
    { ...typed, facets: [field, ...others] },
    { ...typed, facets: [field], filter: { [field]: [value, 'b'] }, offset: 8 },
    { ...typed, facets: [field], limit: 3, group: 1, minRelevance: 0 },
    // As for the readers of one of several languages.
    { ...typed, facets: [], filter: { or: [{ [field]: [value] }, { [field]: null }] } },
    // As in an index of many clusters, of which a search compares a few.
    { ...typed, probes: 1 },
    { probes: 1 },
    { limit: 10, offset: 10 },
    { filter: { must: [{ key: field, match: { value } }] } },
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
const { listen } = await imported('node/static-server.js');
const modules = { ibid: await imported('wasm/ibid.js'), ibid_ask: await imported('wasm/ibid_ask.js') };
const counted = (name) => readFileSync(join(work, `${name}.counted.wasm`));
const wasm = { wasm: counted('ibid'), askWasm: counted('ibid_ask') };
const { server, url } = await listen(work);
const table = await listen(dist);

const english = [GUIDES, HANDBOOK, MARKUP];
const small = ['--budget', '120', '--min-size', '0', '--base-url', 'https://example.org/'];
await visit(built('site', english, ...small));
await visit(built('plain', english));
await visit(built('german', [GERMAN]), 'multilingual-table.bin');
for (const [name, module] of Object.entries(modules)) {
  await callRest(module, name === 'ibid_ask' ? tornOff : undefined);
  const ran = Object.entries(await module.default()).filter(
    ([global, { value }]) => /^ran:/.test(global) && value === 1,
  );
  writeFileSync(join(work, `${name}.ran.json`), JSON.stringify(ran.map(([global]) => global.slice('ran:'.length))));
}
server.close();
table.server.close();

/** An index of small chunks or of usual ones. */
function built(name, documents, ...more) {
  const file = join(work, `${name}.ibid`);
  const args = ['build', ...documents, '-o', file, '--encoder', 'table', ...more];
  execFileSync(process.execPath, [join(ROOT, 'pkg/bin/ibid.mjs'), ...args], { stdio: ['ignore', 'ignore', 'inherit'] });
  return name;
}

async function visit(name, model = 'query-table.bin') {
  const questions = [...ODD, ...headings(GUIDES), ...headings(HANDBOOK)];
  const whole = { index: readFileSync(join(work, `${name}.ibid`)), model: readFileSync(join(dist, model)) };
  const inParts = { index: new URL(`${name}.ibid`, url), model: new URL(model, table.url) };
  for (const files of [whole, inParts]) {
    const ibid = await Ibid.load({ ...files, ...wasm });
    const [field, ...others] = ibid.info.fields.filter(({ type }) => type === 'keyword').map(({ name }) => name);
    const value = field && (await ibid.facets([field]))[0].values[0].value;
    const asked = searches(field, value, others);
    for (const [at, question] of questions.entries()) {
      await expected(ibid.query(question, asked[at % asked.length]));
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
  for (const question of questions) {
    await expected(ibid.ask(question));
    await expected(conversation.ask(question));
  }
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
  const files = readdirSync(folder, { recursive: true }).filter((name) => name.endsWith('.md'));
  const all = files.flatMap((name) => readFileSync(join(folder, name), 'utf8').match(/^#+ .+$/gm) ?? []);
  return all.filter((_, at) => at % 4 === 0).map((heading) => heading.replace(/^#+ /, ''));
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
