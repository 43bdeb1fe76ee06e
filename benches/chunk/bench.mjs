// Chunking in wasm next to LangChain.js's MarkdownTextSplitter: the same files, one Node run, taking turns.
//
//   ./build.sh setup && cd benches/chunk && npm ci && npm run bench [-- FOLDER_OR_JSONL] [--budget N]
//
// Texts are the markdown files of a folder, or the `markdown` fields of a JSONL file; without an argument they are the
// guidelines, if they lie next to the repository, else made up. Both read and cut the same texts into chunks of the same
// size: LangChain counts characters, four of which are ibid's token.

import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { MarkdownTextSplitter } from '@langchain/textsplitters';

// What it takes from the package: chunk_count(source: string, bytes: Uint8Array, budget: number): number.
const WASM = new URL('../../pkg/dist/wasm/ibid_build.js', import.meta.url);
const GUIDELINES = new URL('../../../shared/data/retrieval/nstg/documents.jsonl', import.meta.url);
const CHARACTERS_PER_TOKEN = 4;
const ROUNDS = 15;

const { values, positionals } = parseArgs({
  options: { budget: { type: 'string', default: '800' } },
  allowPositionals: true,
});
const budget = Number(values.budget);
if (!Number.isInteger(budget) || budget < 16 || positionals.length > 1) {
  console.error('usage: node bench.mjs [FOLDER_OR_JSONL] [--budget N], N at least 16');
  process.exit(2);
}

/** The texts of a folder's markdown files or of a JSONL file. */
function read(path) {
  if (statSync(path).isDirectory()) {
    const names = readdirSync(path, { recursive: true }).filter((name) => /\.(md|markdown)$/i.test(name));
    return names.sort().map((name) => readFileSync(join(path, name), 'utf8'));
  }
  const lines = readFileSync(path, 'utf8').split('\n');
  return lines.filter((line) => line.trim()).map((line) => JSON.parse(line).markdown);
}

/** Handbooks with headings, paragraphs, lists, tables and code, about 1 MB in all. */
function madeUp() {
  const words = 'the nurse checks oxygen before visitors arrive, e.g. 0.5 mg twice. Then'.split(' ');
  let state = 7;
  const prose = (length) =>
    Array.from({ length }, () => {
      state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
      return words[(state >>> 16) % words.length];
    }).join(' ');
  const section = (number) =>
    `## Section ${number}\n\n${prose(60)}\n\n- ${prose(9)}\n- ${prose(9)}\n\n| drug | dose |\n|---|---|\n` +
    `| ${prose(3)} | ${number} mg |\n\n\`\`\`\nlet x = ${number};\n\`\`\`\n\n${prose(140)}\n\n`;
  const handbook = (number) => `# Handbook ${number}\n\n${Array.from({ length: 15 }, (_, at) => section(at)).join('')}`;
  return Array.from({ length: 55 }, (_, number) => handbook(number));
}

function texts() {
  if (positionals.length > 0) {
    return [positionals[0], read(positionals[0])];
  }
  try {
    return ['guidelines', read(GUIDELINES)];
  } catch {
    return ['made-up handbooks', madeUp()];
  }
}

/** The module's `chunk_count`, or undefined, with the reason on stderr, when it has not been built. */
async function wasm() {
  try {
    const module = await import(WASM);
    if (typeof module.default === 'function') {
      const file = new URL('ibid_build_bg.wasm', WASM);
      await module.default({ module_or_path: readFileSync(file) });
    }
    if (typeof module.chunk_count !== 'function') {
      throw new Error(`${WASM.pathname} exports no chunk_count`);
    }
    return module.chunk_count;
  } catch (error) {
    console.error(`ibid is left out: ${error.message}\n  ./build.sh build makes it`);
    return undefined;
  }
}

const [name, markdown] = texts();
const files = markdown.map((text) => new TextEncoder().encode(text));
const megabytes = files.reduce((sum, bytes) => sum + bytes.length, 0) / 1e6;

const splitter = new MarkdownTextSplitter({ chunkSize: budget * CHARACTERS_PER_TOKEN, chunkOverlap: 0 });
const contestants = [
  {
    name: 'LangChain.js',
    // Decoded anew each time, as a reader of files has to.
    async run() {
      let count = 0;
      for (const bytes of files) {
        count += (await splitter.splitText(new TextDecoder().decode(bytes))).length;
      }
      return count;
    },
    times: [],
  },
];
const chunkCount = await wasm();
if (chunkCount !== undefined) {
  contestants.push({
    name: 'ibid (wasm)',
    run: async () => files.reduce((count, bytes) => count + chunkCount('a.md', bytes, budget), 0),
    times: [],
  });
}

// The first rounds let both compilers settle.
for (let round = -3; round < ROUNDS; round++) {
  for (const contestant of contestants) {
    const start = performance.now();
    contestant.count = await contestant.run();
    if (round >= 0) {
      contestant.times.push(performance.now() - start);
    }
  }
}

console.log(
  `${name}: ${files.length} documents, ${megabytes.toFixed(1)} MB, budget ${budget} tokens, Node ${process.version}`,
);
for (const contestant of contestants) {
  contestant.times.sort((a, b) => a - b);
  contestant.speed = megabytes / (contestant.times[ROUNDS >> 1] / 1000);
  console.log(
    `  ${contestant.name.padEnd(12)} ${contestant.speed.toFixed(1).padStart(8)} MB/s  ${contestant.count} chunks`,
  );
}
if (contestants.length === 2) {
  console.log(`  ratio ${(contestants[1].speed / contestants[0].speed).toFixed(1)}`);
}
