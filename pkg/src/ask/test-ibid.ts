// What the tests of asking share; it has no tests of its own.
import { Ibid } from '../ibid.js';
import { type Ask, ScriptedModule } from '../test-support.js';
import type { LoadOptions } from '../types.js';
import { WasmModule } from '../wasm-module.js';

const BYTES = { index: new Uint8Array([1]), model: new Uint8Array([2]), wasm: new Uint8Array([0, 0x61, 0x73, 0x6d]) };

/** Makes an index over a scripted engine, whose questions `ask` answers. */
export async function scriptedIbid(
  ask?: Ask,
  options: Partial<LoadOptions> = {},
): Promise<{ ibid: Ibid; script: ScriptedModule }> {
  const script = new ScriptedModule(ask);
  const asker = new WasmModule(async () => script.asker);
  const ibid = await Ibid.loadWith(
    new WasmModule(async () => script),
    { ...BYTES, askWasm: BYTES.wasm, ...options },
    asker,
  );
  return { ibid, script };
}
