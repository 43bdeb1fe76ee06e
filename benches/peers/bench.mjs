// Searching in Chromium next to other libraries: the same vectors and texts, one page, taking turns.
//
//   ./build.sh setup && cd benches/peers && npm ci && npm run bench -- --texts TEXTS.jsonl[.gz] [--sizes 10000,50000]
//
// TEXTS has an object with a "t" or "text" a line, one short text each. The first n are searched, embedded by the
// transformer in its own 384 dimensions; some that come after them are the queries. What takes long to make, vectors and
// graphs, is kept in target/peers and made once. What is compared is told in page.js; this file makes the data and prints.

import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { gunzipSync } from 'node:zlib';
import { build } from 'esbuild';
import { listen } from '../../tests/static-server.mjs';
import { launch } from '../chromium.mjs';
import { DATA, IBID, ROOT } from '../command.mjs';

const HERE = new URL('.', import.meta.url).pathname;
const CACHE = join(ROOT, 'target/peers');
const DIMENSIONS = 384;
const QUERIES = 200;

const { values } = parseArgs({
  options: {
    texts: { type: 'string', default: join(DATA, 'train_texts.jsonl.gz') },
    sizes: { type: 'string', default: '10000,50000' },
    only: { type: 'string' },
  },
});
const sizes = values.sizes.split(',').map(Number);
if (!existsSync(values.texts) || !sizes.every((size) => Number.isInteger(size) && size >= 1000)) {
  console.error('usage: node bench.mjs --texts TEXTS.jsonl[.gz] [--sizes 10000,50000], sizes from 1000');
  process.exit(2);
}
mkdirSync(CACHE, { recursive: true });

const texts = readTexts(Math.max(...sizes) + QUERIES);
const vectors = embedded(texts);
const reference = await wasmReference();
const server = await serve();
const browser = await launch('--js-flags=--max-old-space-size=8192');
try {
  for (const size of sizes) {
    await prepare(size);
    const page = await browser.newPage();
    page.on('console', (message) => console.error(`  ${message.text()}`));
    page.on('pageerror', (error) => console.error(`  ${error.message}`));
    await page.goto(`${server.origin}/page.html`);
    const rows = await page.evaluate((options) => window.compare(options), {
      size,
      queries: QUERIES,
      dimensions: DIMENSIONS,
      only: values.only,
    });
    await page.close();
    print(size, rows, (await browser.version()) ?? '');
  }
} finally {
  await browser.close();
  server.close();
}

/** Different texts in the file's order; the last ones are the queries. */
function readTexts(count) {
  const bytes = readFileSync(values.texts);
  const lines = (values.texts.endsWith('.gz') ? gunzipSync(bytes) : bytes).toString().split('\n');
  const found = new Set();
  for (const line of lines) {
    if (found.size === count) break;
    if (line.trim() === '') continue;
    const { t, text = t } = JSON.parse(line);
    const clean = String(text).replace(/\s+/g, ' ').trim();
    if (clean.length >= 20) found.add(clean);
  }
  if (found.size < count) throw new Error(`${values.texts} has only ${found.size} texts; ${count} are needed`);
  return [...found];
}

/** Rows of 384 numbers, by the command. */
function embedded(texts) {
  const [input, output] = [join(CACHE, 'texts.jsonl'), join(CACHE, 'vectors.f32')];
  const lines = `${texts.map((text) => JSON.stringify({ text })).join('\n')}\n`;
  if (!existsSync(output) || !existsSync(input) || readFileSync(input, 'utf8') !== lines) {
    console.error(`embedding ${texts.length} texts`);
    writeFileSync(input, lines);
    const args = ['embed', input, '--encoder', 'transformer-bare', '--format', 'f32', '-o', output];
    execFileSync(IBID, args, { stdio: ['ignore', 'ignore', 'inherit'], cwd: ROOT });
  }
  const bytes = readFileSync(output);
  return new Float32Array(bytes.buffer, bytes.byteOffset, bytes.length / 4);
}

/** instant-distance and the scan, compiled. */
async function wasmReference() {
  const crate = join(HERE, 'reference');
  const env = { ...process.env, RUSTFLAGS: '-C target-feature=+simd128', CARGO_TARGET_DIR: join(CACHE, 'reference') };
  const built = join(CACHE, 'reference/wasm32-unknown-unknown/release/reference.wasm');
  // As build.sh compiles wasm: it knows the toolchain, and the folder that wasm-bindgen was installed in.
  const steps = `ROOT="$1"
    source "$ROOT/tools/build/common.sh"
    need_wasm_toolchain
    with_wasm cargo build --quiet --release --target wasm32-unknown-unknown
    wasm-bindgen --target web --out-dir "$2" "$3"`;
  const args = ['-c', steps, 'reference', ROOT, join(CACHE, 'bindings'), built];
  execFileSync('bash', args, { cwd: crate, env, stdio: ['ignore', 'ignore', 'inherit'] });
  const module = await import(join(CACHE, 'bindings/reference.js'));
  await module.default({ module_or_path: readFileSync(join(CACHE, 'bindings/reference_bg.wasm')) });
  return module;
}

/** The files of one size: our index, instant-distance's graph, and the true nearest of each query. */
async function prepare(size) {
  const rows = vectors.subarray(0, size * DIMENSIONS);
  const graph = join(CACHE, `graph-${size}.bin`);
  if (!existsSync(graph)) {
    console.error(`building instant-distance's graph of ${size}`);
    const built = reference.Reference.build(rows, DIMENSIONS, 100);
    writeFileSync(graph, built.to_bytes());
    built.free();
  }
  const truth = join(CACHE, `truth-${size}.json`);
  if (!existsSync(truth)) writeFileSync(truth, JSON.stringify(exact(rows, size)));
  await buildIbid(size);
}

async function buildIbid(size) {
  const file = join(CACHE, `index-${size}.ibid`);
  console.error(`building ibid's index of ${size}`);
  const { buildIndex } = await import(join(ROOT, 'pkg/dist/build/builder.js'));
  const number = new Map(texts.slice(0, size).map((text, at) => [text, at]));
  const embedder = {
    name: 'all-MiniLM-L6-v2',
    dimensions: DIMENSIONS,
    embed: async (asked) =>
      asked.map((text) => {
        // To calibrate the index, some words of passages are embedded as queries; the whole passage does as well.
        const bare = text.replace(/^\[.*?\] /, '');
        const at = number.get(bare) ?? number.get(text) ?? texts.findIndex((whole) => hasInOrder(whole, text));
        if (at === -1) throw new Error(`not one of the texts: ${text}`);
        return vectors.slice(at * DIMENSIONS, (at + 1) * DIMENSIONS);
      }),
  };
  const lines = texts
    .slice(0, size)
    .map((text, at) => JSON.stringify({ document_id: `d${String(at >> 6).padStart(6, '0')}`, content: text }));
  const documents = [{ source: 'texts.jsonl', content: `${lines.join('\n')}\n` }];
  const wasm = readFileSync(join(ROOT, 'pkg/dist/wasm/ibid_build_bg.wasm'));
  const { index, report } = await buildIndex(documents, { embedder, wasm });
  if (report.skipped.length > 0) throw new Error(JSON.stringify(report.skipped[0]));
  writeFileSync(file, index);
}

/** Returns true if a text has all words of another in their order. */
function hasInOrder(text, wanted) {
  let at = 0;
  return wanted.split(' ').every((word) => {
    const found = text.indexOf(word, at);
    at = found + word.length;
    return found !== -1;
  });
}

/** The ten texts with the greatest products for each query, by comparing all. */
function exact(rows, size) {
  const all = [];
  for (let query = 0; query < QUERIES; query += 1) {
    const vector = queryVector(query);
    const scores = new Float32Array(size);
    for (let row = 0; row < size; row += 1) {
      let sum = 0;
      for (let at = 0; at < DIMENSIONS; at += 1) sum += rows[row * DIMENSIONS + at] * vector[at];
      scores[row] = sum;
    }
    const order = Uint32Array.from({ length: size }, (_, row) => row).sort((a, b) => scores[b] - scores[a]);
    all.push([...order.subarray(0, 10)]);
  }
  return all;
}

function queryVector(query) {
  const row = texts.length - QUERIES + query;
  return vectors.subarray(row * DIMENSIONS, (row + 1) * DIMENSIONS);
}

/** The page, bundled, and the data; isolated, so that its clock counts in steps of five microseconds. */
async function serve() {
  await build({
    entryPoints: [join(HERE, 'page.js')],
    bundle: true,
    format: 'esm',
    outfile: join(CACHE, 'page.js'),
    external: ['/ibid/*', '/bindings/*', '/voy/*'],
    loader: { '.wasm': 'file' },
    logLevel: 'error',
  });
  const types = { html: 'text/html', js: 'text/javascript', wasm: 'application/wasm', json: 'application/json' };
  return await listen((request, response) => {
    const path = new URL(request.url, 'http://x').pathname;
    const file = path.startsWith('/ibid/')
      ? join(ROOT, 'pkg/dist', path.slice(6))
      : path.startsWith('/voy/')
        ? join(HERE, 'node_modules/voy-search', path.slice(5))
        : join(CACHE, path);
    const made = {
      '/page.html': () => '<!doctype html><title>bench</title><script type="module" src="/page.js"></script>',
      '/queries.json': () => JSON.stringify(texts.slice(-QUERIES)),
      '/texts.json': () => JSON.stringify(texts.slice(0, -QUERIES)),
    }[path];
    if (made === undefined && !existsSync(file)) return response.writeHead(404).end();
    response.writeHead(200, {
      'content-type': types[path.split('.').pop()] ?? 'application/octet-stream',
      'cross-origin-opener-policy': 'same-origin',
      'cross-origin-embedder-policy': 'require-corp',
    });
    response.end(made === undefined ? readFileSync(file) : made());
  });
}

function print(size, rows, version) {
  console.log(`\n${size} texts, ${DIMENSIONS} dimensions, ${QUERIES} queries, Chromium ${version}\n`);
  console.log('| what | recall@10 | p50 ms | p99 ms | load ms | bytes a text |');
  console.log('| --- | --- | --- | --- | --- | --- |');
  const number = (value, digits) => (value === undefined || value === null ? '' : value.toFixed(digits));
  for (const { name, recall, p50, p99, load, bytes } of rows) {
    const cells = [number(recall, 3), number(p50, 3), number(p99, 3), number(load, 1), number(bytes, 0)];
    console.log(`| ${name} | ${cells.join(' | ')} |`);
  }
}
