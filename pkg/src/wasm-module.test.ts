import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { EngineModule, WasmInput } from './engine.js';
import { Ibid } from './ibid.js';
import { gate, ScriptedModule, withServer } from './test-support.js';
import { WasmModule } from './wasm-module.js';

const live = () => new AbortController().signal;
const EMPTY = new Uint8Array([0, 0x61, 0x73, 0x6d, 1, 0, 0, 0]);

/** A module that compiles what it is given, as the generated one does. */
function compiling(): EngineModule {
  return Object.assign(new ScriptedModule(), {
    default: async (input?: { module_or_path: WasmInput }) => {
      const given = input?.module_or_path;
      await WebAssembly.compile(given instanceof Response ? await given.arrayBuffer() : (given as BufferSource));
    },
  });
}

test('is loaded once and shared', async () => {
  let imports = 0;
  const script = new ScriptedModule();
  const wasm = new WasmModule(async () => {
    imports += 1;
    return script;
  });
  const modules = await Promise.all([wasm.get(EMPTY, live()), wasm.get(EMPTY, live())]);
  await wasm.get(EMPTY, live());
  assert.deepEqual(modules, [script, script]);
  assert.deepEqual([imports, script.inputs.length], [1, 1]);
});

test('a missing file, an error page and a refused compilation each say what to mend', async () => {
  await withServer(
    (request, response) => {
      response.statusCode = request.url === '/missing' ? 404 : 200;
      response.end('<!doctype html>');
    },
    async (base) => {
      const wasm = new WasmModule(async () => compiling());
      await assert.rejects(wasm.get(`${base}/missing`, live()), { code: 'wasm-load', message: /HTTP 404/ });
      await assert.rejects(wasm.get(`${base}/page`, live()), { code: 'wasm-load', hint: /not a wasm module/ });
    },
  );
  const refused: EngineModule = Object.assign(new ScriptedModule(), {
    default: async () => {
      throw new WebAssembly.CompileError("Compiling WebAssembly violates Content Security policy 'script-src'");
    },
  });
  await assert.rejects(new WasmModule(async () => refused).get(EMPTY, live()), {
    code: 'wasm-load',
    hint: /wasm-unsafe-eval/,
  });
});

test('a file of the package that a bundler has lost says what names it', async () => {
  // What bundlers make of `import.meta.url` in a format that has none.
  const lost = () => new URL('./wasm/ibid_bg.wasm', undefined);
  const asking = new WasmModule(async () => compiling(), 'ibid_ask', lost, 'askWasm');
  await assert.rejects(asking.get(undefined, live()), {
    name: 'IbidError',
    code: 'wasm-load',
    hint: /as `esm`.*`askWasm`/,
  });
  const joined = () => new URL('http://localhost:5173/node_modules/.vite/deps/wasm/ibid_bg.wasm');
  await assert.rejects(new WasmModule(async () => compiling(), 'ibid', joined).get(undefined, live()), {
    code: 'wasm-load',
    hint: /optimizeDeps: \{ exclude: \['ibid'\] \}/,
  });
  await withServer(
    (_, response) => response.writeHead(404).end(),
    async (base) => {
      const moved = new WasmModule(
        async () => compiling(),
        'ibid',
        () => new URL(`${base}/wasm/ibid_bg.wasm`),
      );
      const hint = /Put wasm\/ibid_bg\.wasm of this package there, .* `npx ibid copy` .* `wasm`/;
      await assert.rejects(moved.get(undefined, live()), { code: 'wasm-load', message: /HTTP 404/, hint });
    },
  );
});

test('a failed load can be tried again', async () => {
  let attempts = 0;
  const wasm = new WasmModule(async () => {
    attempts += 1;
    if (attempts === 1) throw new TypeError('Failed to fetch dynamically imported module');
    return compiling();
  });
  await assert.rejects(wasm.get(EMPTY, live()), { code: 'wasm-load', retryable: true, hint: /dist/ });
  await wasm.get(EMPTY, live());
  assert.equal(attempts, 2);
});

test('aborting one wait leaves the load to the others', async () => {
  const glue = gate<EngineModule>();
  const wasm = new WasmModule<EngineModule>(() => glue.opened);
  const abort = new AbortController();
  const given = wasm.get(EMPTY, abort.signal);
  const other = wasm.get(EMPTY, live());
  abort.abort();
  await assert.rejects(given, { code: 'aborted' });
  glue.open(compiling());
  await other;
});

test('without the built module, loading fails with wasm-load', async () => {
  // These tests are compiled into a folder of their own, with no wasm next to them.
  const loading = Ibid.load({ index: new Uint8Array(1), model: new Uint8Array(1), wasm: EMPTY });
  await assert.rejects(loading, { name: 'IbidError', code: 'wasm-load', message: /wasm\/ibid\.js/ });
});
