// Sources to dist/: one file for all that a first search runs, so that a page asks for it once. What a page loads later
// lies apart. Declarations are made by tsc.

import { readFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { defineConfig } from 'rolldown';

const SOURCES = join(import.meta.dirname, 'src');
const ENTRIES = [
  'index',
  'ai-sdk/index',
  'audit/index',
  'build/builder',
  'build/worker',
  'langchain/retriever',
  'llm/index',
  'node/main',
  'node/static-server',
  'remote/index',
  'render/index',
  'ui/index',
  // Loaded when they are needed by some, and at once by others.
  'ask/reach',
  'build/module',
];
const first = reached('index.ts');

/** A source, those that it imports, those that these import, and so on; not what is loaded when it is needed. */
function reached(from, known = new Set()) {
  if (known.has(from)) return known;
  known.add(from);
  const text = readFileSync(join(SOURCES, from), 'utf8');
  for (const [, path] of text.matchAll(/^(?:import|export) (?!type )[^;]*?from '(\.[^']+)\.js';/gm)) {
    reached(join(dirname(from), `${path}.ts`), known);
  }
  return known;
}

/** A file lies where its source does: addresses of other files are relative to it. */
function nameOf({ facadeModuleId, moduleIds }) {
  const id = facadeModuleId ?? moduleIds.at(-1);
  return id?.startsWith(SOURCES) ? `${relative(SOURCES, id).replace(/\.ts$/, '')}.js` : '[name].js';
}

/**
 * The minifier writes addresses as template strings, in which not all bundlers look for files; and the bundler's own
 * runtime is written where nothing imports it, too.
 */
const tidy = {
  name: 'tidy',
  generateBundle(_, bundle) {
    const chunks = Object.values(bundle).filter(({ type }) => type === 'chunk');
    for (const chunk of chunks) {
      chunk.code = chunk.code.replace(/`(\.{1,2}\/[\w./-]+)`(?=\)|,import\.meta\.url)/g, '"$1"');
      const isUsed =
        chunk.isEntry || chunk.isDynamicEntry || chunks.some((other) => other.imports.includes(chunk.fileName));
      if (!isUsed) delete bundle[chunk.fileName];
    }
  },
};

export default defineConfig({
  cwd: import.meta.dirname,
  input: Object.fromEntries(ENTRIES.map((name) => [name, join(SOURCES, `${name}.ts`)])),
  external: [/\/wasm\/[a-z_]+\.js$/, /^node:/, /^@langchain\//, 'ai'],
  platform: 'browser',
  preserveEntrySignatures: 'allow-extension',
  plugins: [tidy],
  output: {
    dir: 'dist',
    minify: true,
    sourcemap: true,
    entryFileNames: '[name].js',
    chunkFileNames: nameOf,
    codeSplitting: {
      groups: [{ name: 'index', test: (id) => first.has(relative(SOURCES, id)) }],
    },
  },
});
