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
  'langchain/retriever',
  'llm/index',
  'mcp/index',
  'remote/index',
  'render/index',
  'ui/index',
  // Loaded when they are needed by some, and at once by others.
  'ask/reach',
  'build/module',
  'mcp/offer',
];
const GLUE = '/wasm/ibid_build.js';
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

/** The worker lies next to the wasm folder, and not below a folder of its own as its source does. */
const besides = {
  name: 'besides',
  generateBundle(_, bundle) {
    for (const chunk of Object.values(bundle)) chunk.code &&= chunk.code.replace(/"(?:\.\.\/)+wasm\//g, '"./wasm/');
  },
};

/** The worker has the glue of its wasm in itself. */
const glued = {
  name: 'glued',
  resolveId: (id) => (id.endsWith(GLUE) ? join(import.meta.dirname, 'dist', GLUE) : null),
};

const shared = {
  cwd: import.meta.dirname,
  external: [/\/wasm\/[a-z_]+\.js$/, /^node:/, /^@langchain\//, 'ai'],
  platform: 'browser',
  plugins: [tidy],
};
const output = { dir: 'dist', minify: true, sourcemap: true, entryFileNames: '[name].js' };

export default defineConfig([
  {
    ...shared,
    input: Object.fromEntries(ENTRIES.map((name) => [name, join(SOURCES, `${name}.ts`)])),
    preserveEntrySignatures: 'allow-extension',
    output: {
      ...output,
      chunkFileNames: nameOf,
      codeSplitting: {
        groups: [{ name: 'index', test: (id) => first.has(relative(SOURCES, id)) }],
      },
    },
  },
  // The first script of a built site's pages shares no file: it listens for keys before more code comes, and
  // runs in pages opened from a file, where modules do not.
  {
    ...shared,
    external: [/\/index\.js$/],
    makeAbsoluteExternalsRelative: false,
    input: { 'ui/site': join(SOURCES, 'ui/site.ts') },
    output: { ...output, format: 'iife', codeSplitting: false },
  },
  // The worker shares no file with the page: some bundlers write a worker as one file, and refuse one that loads others.
  // It lies next to the first file, where it is looked for by those that only join the code.
  {
    ...shared,
    external: [/^node:/],
    input: { worker: join(SOURCES, 'build/worker.ts') },
    plugins: [glued, tidy, besides],
    // Without a word of a module in it, a bundler takes it for CommonJS.
    output: { ...output, codeSplitting: false, footer: 'export {};' },
  },
]);
