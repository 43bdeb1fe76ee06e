import type { WasmInput } from '../engine.js';
import { Rest } from '../rest.js';
import init, { restBy } from '../wasm/ibid_ask.js';

export * from '../wasm/ibid_ask.js';

const rest = new Rest(() => new URL('../wasm/ibid_ask_rest.wasm', import.meta.url));

/** Starts the module, be it whole or its first part. */
export default async function start(input?: { module_or_path: WasmInput }): Promise<void> {
  await rest.follow((await init(input)) as WebAssembly.Exports, restBy);
}

/** Has the second part of the module come, before more is run than answers without a model. */
export async function complete(): Promise<void> {
  await rest.join();
}
