import type { BuilderModule } from '../engine.js';
import { builderWasm } from '../package-files.js';
// Imported at once: a worker that imports anything later is more than one file, which bundlers refuse by default.
import * as glue from '../wasm/ibid_build.js';
import { WasmModule } from '../wasm-module.js';

/** The one builder module of this page, worker or process. */
export const builderModule = new WasmModule<BuilderModule>(async () => glue, 'ibid_build', builderWasm);
