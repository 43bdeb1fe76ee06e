// What is compared, in the page. Each contestant is loaded from the bytes that a site would serve, then all answer the
// same queries in turns.

import { create, insertMultiple, load as loadOrama, save as saveOrama, search as searchOrama } from '@orama/orama';
import { Document as FlexDocument } from 'flexsearch';
import MiniSearch from 'minisearch';

const LIMIT = 10;
const ROUNDS = 3;
const OPENINGS = 5;
/** Libraries that read their index from JSON or take seconds for each query are left out above this size. */
const MANY = 20_000;

const bytesOf = async (path) => new Uint8Array(await (await fetch(path)).arrayBuffer());
const jsonOf = async (path) => (await fetch(path)).json();

/** Measures all contestants at one size: a row each. */
window.compare = async ({ size, queries, dimensions, only }) => {
  const texts = (await jsonOf('/texts.json')).slice(0, size);
  const questions = await jsonOf('/queries.json');
  const truth = await jsonOf(`/truth-${size}.json`);
  const all = new Float32Array((await bytesOf('/vectors.f32')).buffer);
  const vectors = all.subarray(0, size * dimensions);
  const start = all.length - queries * dimensions;
  const vectorOf = (query) => all.slice(start + query * dimensions, start + (query + 1) * dimensions);
  const given = { size, dimensions, texts, questions, vectors, vectorOf };

  const contestants = [];
  for (const make of [ibid, reference, scan, orama, voy, miniSearch, flexSearch]) {
    if (only !== undefined && !make.name.match(only)) continue;
    try {
      contestants.push(...(await make(given)));
    } catch (error) {
      console.log(`${make.name} is left out: ${error.message}`);
    }
  }
  for (const contestant of contestants) contestant.times = [];
  for (let round = -1; round < ROUNDS; round += 1) {
    for (let query = 0; query < queries; query += 1) {
      for (const contestant of contestants) {
        const input = contestant.text ? questions[query] : vectorOf(query);
        const began = performance.now();
        const found = await contestant.search(input);
        const took = performance.now() - began;
        // The first round lets the compilers settle.
        if (round >= 0) contestant.times.push(took);
        if (round === 0 && !contestant.text) {
          const numbers = contestant.numbers(found);
          const right = numbers.filter((number) => truth[query].includes(number)).length;
          contestant.right = (contestant.right ?? 0) + right;
        }
      }
    }
  }
  return contestants.map(({ name, times, right, load, bytes }) => {
    times.sort((a, b) => a - b);
    return {
      name,
      recall: right === undefined ? undefined : right / (queries * LIMIT),
      p50: times[times.length >> 1],
      p99: times[Math.floor(times.length * 0.99)],
      load,
      bytes: bytes === undefined ? undefined : bytes / size,
    };
  });
};

const identity = (numbers) => [...numbers];

/** Opens what `prepare` gives, some times over, and takes the last one and the median. */
async function opening(open, prepare = () => undefined) {
  const times = [];
  let opened;
  for (let time = 0; time < OPENINGS; time += 1) {
    opened?.free?.();
    const given = prepare();
    const began = performance.now();
    opened = await open(given);
    times.push(performance.now() - began);
  }
  times.sort((a, b) => a - b);
  return [opened, times[OPENINGS >> 1]];
}

async function ibid({ size, questions, vectorOf }) {
  const { Ibid } = await import('/ibid/index.js');
  const bytes = await bytesOf(`/index-${size}.ibid`);
  const embedder = {
    name: 'all-MiniLM-L6-v2',
    dimensions: 384,
    embed: async ([text]) => [vectorOf(questions.indexOf(text))],
  };
  // The module is compiled once a page; that is not what loading an index costs.
  (await Ibid.load({ index: bytes.slice(), queryEncoder: embedder })).free();
  const [opened, load] = await opening(
    (index) => Ibid.load({ index, queryEncoder: embedder }),
    () => bytes.slice(),
  );
  // Its documents have names in the order of the texts, so a chunk's number is its text's.
  if (opened.info.chunks !== size) throw new Error(`the index has ${opened.info.chunks} chunks`);
  const { layout } = opened.info;
  const sum = (...names) => names.reduce((total, name) => total + (layout[name] ?? 0), 0) || undefined;
  const pick = (found) => found.map(({ chunk }) => chunk);
  const hybrid = { limit: LIMIT, minRelevance: 0 };
  return [
    {
      name: 'ibid, vectors alone',
      load,
      bytes: sum('vecs', 'code', 'cent'),
      search: (vector) => opened.nearest(vector, { limit: LIMIT }),
      numbers: pick,
    },
    {
      name: 'ibid, words alone',
      text: true,
      bytes: sum('lexi', 'post'),
      search: (text) => opened.search(text, { ...hybrid, mode: 'lexical' }),
    },
    {
      name: 'ibid, hybrid, text in to hits out',
      text: true,
      bytes: bytes.length,
      search: (text) => opened.search(text, hybrid),
    },
  ];
}

async function reference({ size }) {
  const { default: start, Reference } = await import('/bindings/reference.js');
  await start({ module_or_path: '/bindings/reference_bg.wasm' });
  const bytes = await bytesOf(`/graph-${size}.bin`);
  const [opened, load] = await opening(() => Reference.open(bytes));
  return [
    {
      name: "instant-distance's own search",
      load,
      bytes: bytes.length,
      search: (vector) => opened.nearest(vector, LIMIT),
      numbers: identity,
    },
  ];
}

async function scan({ vectors, dimensions, size }) {
  const { default: start, Scan } = await import('/bindings/reference.js');
  await start({ module_or_path: '/bindings/reference_bg.wasm' });
  const codes = new Int8Array(vectors.length);
  const scales = new Float32Array(size);
  for (let row = 0; row < size; row += 1) {
    const vector = vectors.subarray(row * dimensions, (row + 1) * dimensions);
    const largest = vector.reduce((most, value) => Math.max(most, Math.abs(value)), 0);
    codes.set(
      vector.map((value) => Math.round((value / largest) * 127)),
      row * dimensions,
    );
    scales[row] = largest / 127;
  }
  const compared = new Scan(codes, scales, dimensions);
  const wide = (vector) => Int16Array.from(vector, (value) => Math.round(value * 2047));
  return [
    {
      name: 'a scan of all int8 codes',
      bytes: codes.length + scales.byteLength,
      search: (vector) => compared.nearest(wide(vector), LIMIT),
      numbers: identity,
    },
  ];
}

async function orama({ size, dimensions, texts, vectors }) {
  const schema = { text: 'string', embedding: `vector[${dimensions}]` };
  let db = create({ schema });
  const row = (at) => Array.from(vectors.subarray(at * dimensions, (at + 1) * dimensions));
  const documents = texts.map((text, at) => ({ id: String(at), text, embedding: row(at) }));
  for (let at = 0; at < size; at += 1000) await insertMultiple(db, documents.slice(at, at + 1000), 1000);
  let [load, bytes] = [];
  if (size <= MANY) {
    const written = JSON.stringify(saveOrama(db));
    bytes = written.length;
    [db, load] = await opening(
      (db) => {
        loadOrama(db, JSON.parse(written));
        return db;
      },
      () => create({ schema }),
    );
  }
  const search = (value) =>
    searchOrama(db, {
      mode: 'vector',
      vector: { value: Array.from(value), property: 'embedding' },
      similarity: 0,
      limit: LIMIT,
    });
  return [{ name: 'Orama, vectors', load, bytes, search, numbers: ({ hits }) => hits.map(({ id }) => Number(id)) }];
}

async function voy({ size, dimensions, texts, vectors }) {
  if (size > MANY) throw new Error('its index of more than 20,000 vectors takes too long to build');
  const background = await import('/voy/voy_search_bg.js');
  const { instance } = await WebAssembly.instantiateStreaming(fetch('/voy/voy_search_bg.wasm'), {
    './voy_search_bg.js': background,
  });
  background.__wbg_set_wasm(instance.exports);
  const row = (at) => Array.from(vectors.subarray(at * dimensions, (at + 1) * dimensions));
  const embeddings = texts.map((title, at) => ({ id: String(at), title, url: '', embeddings: row(at) }));
  const written = new background.Voy({ embeddings }).serialize();
  const [opened, load] = await opening(() => background.Voy.deserialize(written));
  return [
    {
      name: 'voy, vectors',
      load,
      bytes: written.length,
      search: (vector) => opened.search(vector, LIMIT),
      numbers: ({ neighbors }) => neighbors.map(({ id }) => Number(id)),
    },
  ];
}

async function miniSearch({ texts }) {
  const options = { fields: ['text'] };
  const built = new MiniSearch(options);
  built.addAll(texts.map((text, id) => ({ id, text })));
  const written = JSON.stringify(built);
  const [opened, load] = await opening(() => MiniSearch.loadJSON(written, options));
  const search = (text) => opened.search(text).slice(0, LIMIT);
  return [{ name: 'MiniSearch, words', text: true, load, bytes: written.length, search }];
}

async function flexSearch({ texts }) {
  const make = () => new FlexDocument({ document: { id: 'id', index: ['text'] }, tokenize: 'strict', context: false });
  const built = make();
  for (const [id, text] of texts.entries()) built.add({ id, text });
  const parts = new Map();
  await built.export((key, data) => parts.set(key, data));
  const [opened, load] = await opening(async (opened) => {
    for (const [key, data] of parts) await opened.import(key, data);
    return opened;
  }, make);
  const bytes = [...parts.values()].reduce((sum, data) => sum + (data?.length ?? 0), 0);
  const search = (text) => opened.search(text, { limit: LIMIT, suggest: true });
  return [{ name: 'FlexSearch, words', text: true, load, bytes, search }];
}
