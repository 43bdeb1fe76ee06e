// Finds the functions of the module that answers questions which answers without a model run:
//
//   node train.mjs DIST COUNTED RAN
//
// COUNTED is of split.mjs, and RAN the list for it. Asks the guides, the handbook and `train.md`, and a German page.

import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';

const [dist, counted, ran] = process.argv.slice(2);
const work = dirname(counted);
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
  'Which doses does it name?',
  'What is crossed out on the page with everything?',
  'the maximum of ibuprofen, and the first step',
  'Wie werden Häuser gebaut?',
  'abc-def_ghi.jkl(mno)',
  ' ',
];

writeFileSync(GERMAN, '---\nlang: de\n---\n# Häuser\n\nDie Häuser wurden gebaut.\n\n## Dächer\n\nSie sind rot.\n');

const imported = (path) => import(pathToFileURL(join(dist, path)));
const { Ibid } = await imported('index.js');
const module = await imported('wasm/ibid_ask.js');
const english = [GUIDES, HANDBOOK, MARKUP];
await visit(built('site', english, '--budget', '120', '--min-size', '0', '--base-url', 'https://example.org/'));
await visit(built('plain', english));
await visit(built('german', [GERMAN]), 'multilingual-table.bin');
await callRest();
const globals = Object.entries(await module.default()).filter(([name, { value }]) => /^ran:/.test(name) && value === 1);
writeFileSync(ran, JSON.stringify(globals.map(([name]) => name.slice('ran:'.length))));

/** An index of small chunks or of usual ones. */
function built(name, documents, ...more) {
  const file = join(work, `${name}.ibid`);
  const args = ['build', ...documents, '-o', file, '--encoder', 'table', ...more];
  execFileSync(process.execPath, [join(ROOT, 'pkg/bin/ibid.mjs'), ...args], { stdio: ['ignore', 'ignore', 'inherit'] });
  return readFileSync(file);
}

async function visit(index, table = 'query-table.bin') {
  const model = readFileSync(join(dist, table));
  const ibid = await Ibid.load({ index, model, askWasm: readFileSync(counted) });
  const conversation = ibid.conversation();
  for (const question of [...ODD, ...headings(GUIDES), ...headings(HANDBOOK)]) {
    try {
      await ibid.ask(question);
      await conversation.ask(question);
    } catch (error) {
      if (error.code === undefined) throw error;
    }
  }
  conversation.export();
  await ibid.ask(ODD[0], { signal: AbortSignal.abort() }).catch(() => {});
  ibid.free();
}

/** A few of the headings of the documents in a folder. */
function headings(folder) {
  const files = readdirSync(folder, { recursive: true }).filter((name) => name.endsWith('.md'));
  const all = files.flatMap((name) => readFileSync(join(folder, name), 'utf8').match(/^#+ .+$/gm) ?? []);
  return all.filter((_, at) => at % 4 === 0).map((heading) => heading.replace(/^#+ /, ''));
}

/** Goes the way to the rest of the module, with and without success, and that of a run which this tears off. */
async function callRest() {
  const failed = () => {
    throw Object.assign(new Error('not there'), { code: 'network', hint: 'Try again.', retryable: true });
  };
  module.restBy(failed);
  try {
    module.needRest();
  } catch {
    module.restBy(() => {});
  }
  module.needRest();
  for (const failure of [failed, () => undefined.there]) {
    const signal = Object.defineProperty({}, 'aborted', { get: failure });
    await module.ask(ODD[0], {}, {}, () => {}, signal).catch(() => {});
  }
}
