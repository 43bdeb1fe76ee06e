import type { AskModule } from './ask/module.js';
import type { EngineModule } from './engine.js';
import { Rest } from './rest.js';
import { WasmModule } from './wasm-module.js';

/** The code of changes, filters, facets, suggestions and rare options. */
export const searchRest = new Rest(() => new URL('./wasm/ibid_rest.wasm', import.meta.url));

/** The one module of this page that searches, be it whole or its first part. */
export const pageModule = new WasmModule<EngineModule>(
  async () => {
    const glue = await import('./wasm/ibid.js');
    const start: EngineModule['default'] = async (input) =>
      searchRest.follow((await glue.default(input)) as WebAssembly.Exports);
    return { ...glue, default: start };
  },
  'ibid',
  () => new URL('./wasm/ibid_bg.wasm', import.meta.url),
);

/** The one module of this page that answers questions; it is fetched for the first of them. */
export const askModule = new WasmModule<AskModule>(
  () => import('./ask/wasm.js'),
  'ibid_ask',
  () => new URL('./wasm/ibid_ask_bg.wasm', import.meta.url),
  'askWasm',
);
