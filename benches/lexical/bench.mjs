// Search by words in wasm next to MiniSearch and FlexSearch: the same paragraphs and queries, one Node run, taking turns.
//
//   cd benches/lexical && npm ci && wasm-pack build --release --target nodejs --out-dir dist && npm run bench [-- FOLDER] [--paragraphs N]
//
// FOLDER has folders of collections (corpus.jsonl and queries.jsonl, as BEIR lays them out); without an argument it is
// the one that lies next to the repository, if it does, else texts are made up. A paragraph has at least 300 characters.
//
// Each library indexes one field and stores no text; ibid reads, chunks and stores it too. What is compared are the bytes of
// an index that is written, the time to make it and to open it, and the time of a query, as the medians of all queries.

import { readdirSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { gzipSync } from 'node:zlib';
import FlexSearch from 'flexsearch';
import MiniSearch from 'minisearch';

const COLLECTIONS = fileURLToPath(new URL('../../../shared/data/retrieval/', import.meta.url));
const LEAST_CHARACTERS = 300;
const QUERIES = 1000;
const ROUNDS = 3;
const LIMIT = 10;

const { values, positionals } = parseArgs({
  options: { paragraphs: { type: 'string', default: '10000' } },
  allowPositionals: true,
});
const wanted = Number(values.paragraphs);
if (!Number.isInteger(wanted) || wanted < 1 || positionals.length > 1) {
  console.error('usage: node bench.mjs [FOLDER] [--paragraphs N]');
  process.exit(2);
}

const lines = (path) =>
  readFileSync(path, 'utf8')
    .split('\n')
    .filter((line) => line.trim())
    .map((line) => JSON.parse(line));

/** Lines of texts, put together until each is long enough to be a paragraph. */
function paragraphsOf(texts) {
  const paragraphs = [];
  for (const text of texts) {
    let paragraph = '';
    for (const line of text.split('\n')) {
      paragraph += (paragraph && ' ') + line.trim();
      if (paragraph.length >= LEAST_CHARACTERS) {
        paragraphs.push(paragraph);
        paragraph = '';
      }
    }
  }
  return paragraphs;
}

/** Every that many of a list, that many in all. */
function spread(list, count) {
  const step = Math.max(1, list.length / count);
  return Array.from({ length: Math.min(count, list.length) }, (_, at) => list[Math.floor(at * step)]);
}

/** Words by Zipf's law, as texts have them. */
function madeUp() {
  let state = 7;
  const next = () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return state / 2 ** 32;
  };
  const word = () => `w${Math.floor(30000 ** next())}q`;
  const text = (length) => Array.from({ length }, word).join(' ');
  return [
    'made-up words',
    Array.from({ length: wanted }, () => text(90)),
    Array.from({ length: QUERIES }, () => text(8)),
  ];
}

function texts() {
  const folder = positionals[0] ?? COLLECTIONS;
  try {
    const names = readdirSync(folder).sort();
    const corpora = names.flatMap((name) => lines(join(folder, name, 'corpus.jsonl')).map((document) => document.text));
    const queries = names.flatMap((name) => lines(join(folder, name, 'queries.jsonl')).map((query) => query.text));
    return [names.join(', '), spread(paragraphsOf(corpora), wanted), spread(queries, QUERIES)];
  } catch (error) {
    if (positionals.length > 0) {
      throw error;
    }
    return madeUp();
  }
}

const time = (run) => {
  const start = performance.now();
  const result = run();
  return [result, performance.now() - start];
};

const median = (times) => times.toSorted((a, b) => a - b)[times.length >> 1];

function flexIndex() {
  return new FlexSearch.Index({ tokenize: 'strict', encoder: FlexSearch.Charset.LatinBalance, resolution: 9 });
}

/** FlexSearch finds texts that have all words unless it is told to suggest others. */
const flexOptions = { limit: LIMIT, suggest: true };

function contestants(paragraphs) {
  const list = [
    {
      name: 'MiniSearch',
      build() {
        const index = new MiniSearch({ fields: ['text'] });
        index.addAll(paragraphs.map((text, id) => ({ id, text })));
        return index;
      },
      write: (index) => Buffer.from(JSON.stringify(index)),
      open: (file) => MiniSearch.loadJSON(file.toString(), { fields: ['text'] }),
      search: (index, query) => index.search(query).slice(0, LIMIT).length,
    },
    {
      name: 'FlexSearch',
      build() {
        const index = flexIndex();
        paragraphs.forEach((text, id) => {
          index.add(id, text);
        });
        return index;
      },
      write(index) {
        const parts = [];
        index.export((key, data) => {
          parts.push([key, data]);
        });
        return Buffer.from(JSON.stringify(parts));
      },
      open(file) {
        const index = flexIndex();
        for (const [key, data] of JSON.parse(file.toString())) {
          index.import(key, data);
        }
        return index;
      },
      search: (index, query) => index.search(query, flexOptions).length,
    },
  ];
  try {
    const { build, Words } = createRequire(import.meta.url)('./dist/ibid_lexical_bench.js');
    list.push({
      name: 'ibid (wasm)',
      build: () => build(paragraphs),
      write: (file) => Buffer.from(file),
      open: (file) => new Words(file),
      search: (index, query) => index.search(query, LIMIT).length,
      bytes: (index) => index.bytes(),
    });
  } catch (error) {
    console.error(
      `ibid is left out: ${error.message}\n  wasm-pack build --release --target nodejs --out-dir dist makes it`,
    );
  }
  return list;
}

const [name, paragraphs, queries] = texts();
const megabytes = Buffer.byteLength(paragraphs.join('')) / 1e6;
console.log(
  `${name}: ${paragraphs.length} paragraphs, ${megabytes.toFixed(1)} MB, ${queries.length} queries, Node ${process.version}`,
);
const list = contestants(paragraphs);
for (const contestant of list) {
  Object.assign(contestant, { builds: [], opens: [], queries: [], found: 0 });
}
for (let round = 0; round < ROUNDS; round++) {
  for (const contestant of list) {
    const [built, building] = time(contestant.build);
    const file = contestant.write(built);
    const [index, opening] = time(() => contestant.open(file));
    contestant.builds.push(building);
    contestant.opens.push(opening);
    contestant.bytes_ = contestant.bytes?.(index) ?? file.length;
    contestant.packed = contestant.bytes ? undefined : gzipSync(file).length;
    // The first round lets the compilers settle.
    for (const query of queries) {
      const [found, took] = time(() => contestant.search(index, query));
      contestant.found += found > 0 ? 1 : 0;
      if (round > 0) {
        contestant.queries.push(took);
      }
    }
  }
}
console.log('| | index MB | gzip MB | build ms | open ms | query ms p50 | p99 | answered |');
console.log('| --- | --- | --- | --- | --- | --- | --- | --- |');
for (const { name, bytes_, packed, builds, opens, queries: times, found } of list) {
  const sorted = times.toSorted((a, b) => a - b);
  const cells = [
    name,
    (bytes_ / 1e6).toFixed(2),
    packed === undefined ? '' : (packed / 1e6).toFixed(2),
    median(builds).toFixed(0),
    median(opens).toFixed(1),
    median(sorted).toFixed(3),
    sorted[Math.floor(sorted.length * 0.99)].toFixed(3),
    `${((found * 100) / (queries.length * ROUNDS)).toFixed(0)} %`,
  ];
  console.log(`| ${cells.join(' | ')} |`);
}
