import type { BuilderModule } from '../engine.js';
import { WasmModule } from '../wasm-module.js';

/** The one builder module of this page, worker or process. */
export const builderModule = new WasmModule<BuilderModule>(
  () => import('../wasm/ibid_build.js'),
  'ibid_build',
  () => new URL('../wasm/ibid_build_bg.wasm', import.meta.url),
);
