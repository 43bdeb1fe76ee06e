import type { NodeModule } from '../engine.js';
import * as glue from '../wasm/ibid_node.js';
import { WasmModule } from '../wasm-module.js';

/** The functions in Rust that the command needs and no page. */
export const nodeModule = new WasmModule<NodeModule>(
  async () => glue,
  'ibid_node',
  () => new URL('../wasm/ibid_node_bg.wasm', import.meta.url),
);
