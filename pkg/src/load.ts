import { LinkedAbort } from './abort.js';
import { INDEX, MODEL, readBytes, resolved } from './bytes.js';
import type { Engine, EngineModule } from './engine.js';
import { abortedError, toIbidError } from './error.js';
import { type IndexPieces, RemoteIndex } from './remote-index.js';
import type { ByteSource, LoadOptions } from './types.js';
import type { WasmModule } from './wasm-module.js';

/** An engine with the index and the query table that it was opened with. */
export interface Opened {
  engine: Engine;
  /** Where parts of the index still come from; `undefined` when all of it is here. */
  remote: RemoteIndex | undefined;
  /** Where the query table can be had once more. */
  table: ByteSource;
}

/** Fetches everything side by side; the first failure stops the rest. */
export async function openEngine(wasm: WasmModule, options: LoadOptions): Promise<Opened> {
  const stop = new LinkedAbort([options.signal]);
  const { signal } = stop;
  const { onProgress } = options;
  const source = options.model ?? new URL('./query-table.bin', import.meta.url);
  const remote = remoteIndex(options, () => wasm.get(options.wasm));
  // What has been loaded outlives this signal, which only ends what is still under way.
  const close = () => remote?.close(signal.reason);
  signal.addEventListener('abort', close);
  try {
    const [module, index, table] = await Promise.all([
      wasm.get(options.wasm, signal),
      remote?.open(onProgress) ?? readBytes(options.index, INDEX, signal, onProgress).then(whole),
      readBytes(source, MODEL, signal, onProgress),
    ]);
    signal.throwIfAborted();
    const engine = await openIndex(module, index, table, remote, onProgress);
    signal.removeEventListener('abort', close);
    // A response can be read only once, so what came of it is kept in its place.
    const again = source instanceof Response ? table : source;
    return { engine, remote: index.whole ? undefined : remote, table: again };
  } catch (error) {
    if (signal.aborted) throw abortedError(signal.reason);
    throw toIbidError(error);
  } finally {
    stop.abort();
    stop.release();
  }
}

function remoteIndex(options: LoadOptions, module: () => Promise<EngineModule>): RemoteIndex | undefined {
  const { index, range = true, persist } = options;
  if (!range || !(typeof index === 'string' || index instanceof URL)) return undefined;
  const url = resolved(index);
  return url !== undefined && /^https?:$/.test(url.protocol) ? new RemoteIndex(index, url, module, persist) : undefined;
}

async function openIndex(
  module: EngineModule,
  index: IndexPieces,
  table: Uint8Array,
  remote: RemoteIndex | undefined,
  onProgress: LoadOptions['onProgress'],
): Promise<Engine> {
  const open = ({ offsets, pieces, whole }: IndexPieces) =>
    whole || remote === undefined
      ? new module.Engine(pieces[0] ?? new Uint8Array(), table)
      : module.Engine.ofPieces(offsets, pieces, table, remote.read);
  try {
    return open(index);
  } catch (error) {
    // Pieces that were kept from an earlier visit may have been damaged since.
    if (toIbidError(error).code !== 'index-corrupt' || !(await remote?.forget()) || remote === undefined) throw error;
    return open(await remote.open(onProgress));
  }
}

function whole(bytes: Uint8Array): IndexPieces {
  return { offsets: new Float64Array(1), pieces: [bytes], whole: true };
}
