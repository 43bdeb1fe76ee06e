// Measures the cost to a page of an index of ten thousand, a hundred thousand and a million passages: built by the command, served as
// static files from loopback, searched in Chromium with nothing in the cache.
//
//   ./build.sh setup && node benches/million/bench.mjs [--sizes 10000,100000,1000000] [--texts TEXTS.jsonl.gz]
//
// TEXTS has an object with a "t" a line, a sentence each; ../shared/data/train_texts.jsonl.gz if it is there, else
// sentences are put together from the words of docs/. A passage is a sentence and two more that share its rarest word,
// 300 characters on average; questions are other sentences of the file. Passages are embedded by the query table. Indexes
// are kept in target/million and made once. Every answer waits 50 ms, as behind a network, and ../wire.mjs says what is counted:
// the first question of a visit, and the median of the nine that follow it. Recall is the share of the ten nearest
// passages, by comparing all, that a search by vectors finds, over fifty questions, in Node.

import { execFileSync } from 'node:child_process';
import {
  cpSync,
  createWriteStream,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { finished } from 'node:stream/promises';
import { parseArgs } from 'node:util';
import { gunzipSync } from 'node:zlib';
import { launch } from '../chromium.mjs';
import { DATA, IBID, ROOT } from '../command.mjs';
import { ibidKind, serveCounted } from '../wire.mjs';

const CACHE = join(ROOT, 'target/million');
const SHARED = join(DATA, 'train_texts.jsonl.gz');
const DELAY = 50;
const QUESTIONS = 10;
const RECALLED = 50;
/** One sentence in this many is a question, and in no passage. */
const KEPT_BACK = 500;
/** Passages of a document. */
const PART = 64;

const { values } = parseArgs({
  options: {
    sizes: { type: 'string', default: '10000,100000,1000000' },
    texts: { type: 'string', default: existsSync(SHARED) ? SHARED : '' },
  },
});
const sizes = values.sizes.split(',').map(Number);
if (!sizes.every((size) => Number.isInteger(size) && size >= 1000)) {
  console.error('usage: node bench.mjs [--sizes 10000,100000,1000000] [--texts TEXTS.jsonl.gz], sizes from 1000');
  process.exit(2);
}

const sentences = values.texts === '' ? made() : read(values.texts);
const questions = sentences.filter((_, at) => at % KEPT_BACK === 0);
const told = sentences.filter((_, at) => at % KEPT_BACK !== 0);
const median = (numbers) => numbers.sort((a, b) => a - b)[numbers.length >> 1];
const kb = (bytes) => Math.round(bytes / 1000);

const browser = await launch('--enable-blink-features=ForceEagerMeasureMemory');
console.log(`Chromium ${browser.version()}, ${DELAY} ms added to every answer\n`);
console.log(
  '| passages | MB | build s, MB | first: index KB | all KB | requests | rounds | ms | later: index KB | ms | page MB | recall@10 |',
);
console.log('| --- | --- | --- | --- | --- | --- | --- | --- | --- | --- | --- | --- |');
try {
  for (const size of sizes) await row(size);
} finally {
  await browser.close();
}

async function row(size) {
  const site = join(CACHE, String(size));
  await built(site, size);
  const { seconds, memory } = JSON.parse(readFileSync(join(site, 'build.json'), 'utf8'));
  const server = await serveCounted(site, ibidKind, { delay: DELAY });
  const page = await browser.newPage();
  await page.goto(`${server.origin}/index.html`);
  server.begin();
  const first = await page.evaluate(search, questions[0]);
  const cold = server.fetched();
  const later = [];
  for (const question of questions.slice(1, QUESTIONS)) {
    server.begin();
    const ms = await page.evaluate(search, question);
    later.push({ ms, bytes: server.fetched().bytes });
  }
  const held = await page.evaluate(async () => (await performance.measureUserAgentSpecificMemory()).bytes);
  await page.close();
  server.close();
  const indexed = cold.kinds.find(({ kind }) => kind === 'index')?.bytes ?? 0;
  const cells = [
    size,
    Math.round(sizeOf(join(site, 'site.ibid')) / 1e6),
    `${Math.round(seconds)}, ${Math.round(memory / 1000)}`,
    kb(indexed),
    kb(cold.bytes),
    cold.requests,
    cold.rounds,
    Math.round(first),
    kb(median(later.map(({ bytes }) => bytes))),
    Math.round(median(later.map(({ ms }) => ms))),
    Math.round(held / 1e6),
    (await recall(join(site, 'site.ibid'))).toFixed(3),
  ];
  console.log(`| ${cells.join(' | ')} |`);
}

/** In the page: the milliseconds from a question to its hits, with all that has to be loaded for it. */
async function search(question) {
  const began = performance.now();
  if (window.ibid === undefined) {
    const { Ibid } = await import('/ibid/index.js');
    window.ibid = await Ibid.load({ index: '/site.ibid', prefetch: 'never' });
  }
  await window.ibid.search(question, { minRelevance: 0 });
  return performance.now() - began;
}

/** The share of the ten nearest that a search finds. */
async function recall(index) {
  const { Ibid } = await import(join(ROOT, 'pkg/dist/index.js'));
  const ibid = await Ibid.load({ index });
  let right = 0;
  for (const question of questions.slice(0, RECALLED)) {
    const options = { mode: 'vector', limit: 10, minRelevance: 0 };
    const [found, nearest] = [
      await ibid.search(question, options),
      await ibid.search(question, { ...options, path: 'exact' }),
    ];
    const wanted = new Set(nearest.map(({ chunk }) => chunk));
    right += found.filter(({ chunk }) => wanted.has(chunk)).length / Math.max(1, wanted.size);
  }
  ibid.free();
  return right / RECALLED;
}

/** The folder of a size: its index, the package and a page. */
async function built(site, size) {
  if (!existsSync(join(site, 'build.json'))) {
    mkdirSync(site, { recursive: true });
    const texts = join(site, 'texts.jsonl');
    console.error(`building the index of ${size}`);
    await write(texts, size);
    const command = [IBID, 'build', texts, '-o', join(site, 'site.ibid'), '--encoder', 'table'];
    writeFileSync(join(site, 'build.json'), JSON.stringify(timed(command)));
  }
  writeFileSync(join(site, 'index.html'), '<!doctype html><title>bench</title>');
  cpSync(join(ROOT, 'pkg/dist'), join(site, 'ibid'), { recursive: true });
}

/** Runs a command; returns its seconds, and the most memory that it held, in KB. */
function timed(command) {
  const script = `import json, resource, subprocess, sys, time
start = time.time()
subprocess.run(sys.argv[1:], check=True, stdout=subprocess.DEVNULL)
memory = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss
print(json.dumps({"seconds": time.time() - start, "memory": memory}))`;
  const options = { encoding: 'utf8', stdio: ['ignore', 'pipe', 'inherit'] };
  return JSON.parse(execFileSync('python3', ['-c', script, ...command], options));
}

async function write(path, size) {
  const file = createWriteStream(path);
  const alike = byRarestWord();
  // Each size has the same passages, whichever others are made.
  const random = seeded(1);
  const pick = (texts) => texts[Math.floor(random() * texts.length)];
  const passage = () => {
    const one = pick(told);
    const others = alike(one);
    return [one, pick(others), pick(others)].join(' ');
  };
  const known = new Set();
  for (let at = 0; at < size; at += 1) {
    let content = passage();
    // An index holds what is said twice once.
    while (known.has(content)) content = passage();
    known.add(content);
    const line = { document_id: `d${String(Math.floor(at / PART)).padStart(6, '0')}`, content };
    if (!file.write(`${JSON.stringify(line)}\n`)) await new Promise((resolve) => file.once('drain', resolve));
  }
  file.end();
  await finished(file);
}

/** Gives the sentences that share a sentence's rarest word, so that a passage has a subject as real ones do. */
function byRarestWord() {
  const wordsOf = (text) => new Set(text.toLowerCase().match(/\p{L}{4,}/gu) ?? []);
  const by = new Map();
  for (const text of told) for (const word of wordsOf(text)) by.get(word)?.push(text) ?? by.set(word, [text]);
  return (text) => {
    const lists = [...wordsOf(text)].map((word) => by.get(word)).filter((list) => list.length >= 4);
    return lists.sort((a, b) => a.length - b.length)[0] ?? told;
  };
}

function read(path) {
  const bytes = readFileSync(path);
  const lines = (path.endsWith('.gz') ? gunzipSync(bytes) : bytes).toString().split('\n').filter(Boolean);
  const texts = new Set(lines.map((line) => JSON.parse(line).t.replace(/\s+/g, ' ').trim()));
  return [...texts].filter((text) => text.length >= 40 && text.length <= 200);
}

/** Sentences of the words of docs/, each as frequent as there. */
function made() {
  const docs = join(ROOT, 'docs');
  const texts = readdirSync(docs)
    .filter((name) => name.endsWith('.md'))
    .map((name) => readFileSync(join(docs, name), 'utf8'));
  const words = texts.join(' ').match(/\p{L}{2,}/gu);
  const random = seeded(1);
  const sentence = () => Array.from({ length: 16 }, () => words[Math.floor(random() * words.length)]).join(' ');
  return Array.from({ length: 100_000 }, () => `${sentence()}.`);
}

function sizeOf(path) {
  if (!statSync(path).isDirectory()) return statSync(path).size;
  return readdirSync(path).reduce((sum, name) => sum + statSync(join(path, name)).size, 0);
}

/** Mulberry32: the same passages each time. */
function seeded(seed) {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296;
  };
}
