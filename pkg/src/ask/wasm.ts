import type { WasmInput } from '../engine.js';
import { Rest } from '../rest.js';
import init from '../wasm/ibid_ask.js';

export * from '../wasm/ibid_ask.js';

const rest = new Rest(() => new URL('../wasm/ibid_ask_rest.wasm', import.meta.url));

/** Starts the module, be it whole or its first part. */
export default async function start(input?: { module_or_path: WasmInput }): Promise<void> {
  rest.follow((await init(input)) as WebAssembly.Exports);
}

/** Has the second part of the module come, before it is called for more than quotes. */
export async function complete(): Promise<void> {
  await rest.join();
}
