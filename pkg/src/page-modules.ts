import type { AskModule } from './ask/module.js';
import type { EngineModule } from './engine.js';
import { WasmModule } from './wasm-module.js';

/** The one module of this page that searches. */
export const pageModule = new WasmModule<EngineModule>(
  () => import('./wasm/ibid.js'),
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
