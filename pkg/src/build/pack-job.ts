import { MODEL, PROJECTION, readBytes, resolved, TRANSFORMER } from '../bytes.js';
import { projectionSource } from '../package-files.js';
import type { ByteSource, DocumentInput, LoadOptions } from '../types.js';
import type { BuildOptions } from './builder.js';
import { contentBytes } from './contents.js';
import type { BuildJob } from './worker-wire.js';

/** Everything of a build as bytes that another thread can take over. What belongs to the caller is copied, not taken. */
export async function packBuild(
  documents: readonly DocumentInput[],
  options: BuildOptions,
  signal: AbortSignal,
): Promise<{ job: BuildJob; transfer: Transferable[] }> {
  const transfer: Transferable[] = [];
  const give = (bytes: Uint8Array, given: unknown) => {
    const own = ownBytes(bytes, given);
    transfer.push(own.buffer);
    return own;
  };
  const read = async (source: ByteSource, part: typeof MODEL) => give(await readBytes(source, part, signal), source);
  const { chunking, calibration, language, model, stemmer, table, wasm } = options;
  const packed = model && (await readBytes(model, TRANSFORMER, signal));
  const projection = packed && projectionSource(options.projection, packed, model);
  const job: BuildJob = {
    type: 'build',
    documents: [],
    options: {
      chunking,
      calibration,
      language,
      table: table && (await read(table, MODEL)),
      model: packed && give(packed, model),
      projection: projection && (await read(projection, PROJECTION)),
      wasm: await sendable(wasm),
      stemmer: await sendable(stemmer),
    },
  };
  for (const { source, content, ...known } of documents) {
    job.documents.push({ source, content: give(await contentBytes(source, content), content), ...known });
  }
  return { job, transfer };
}

/**
 * Bytes that may be handed over: a copy if they are the very ones that somebody gave, or share their memory with
 * others. `slice` would not do: that of Node's `Buffer` copies nothing.
 */
export function ownBytes(bytes: Uint8Array, given: unknown): Uint8Array<ArrayBuffer> {
  const taken = given instanceof Uint8Array || given instanceof ArrayBuffer;
  const whole = bytes.buffer instanceof ArrayBuffer && bytes.byteLength === bytes.buffer.byteLength;
  return taken || !whole ? new Uint8Array(bytes) : (bytes as Uint8Array<ArrayBuffer>);
}

/** A response belongs to its thread, an address object too; a relative address means another one in a worker. */
export async function sendable(wasm: LoadOptions['wasm']): Promise<LoadOptions['wasm']> {
  if (wasm instanceof Response) return await wasm.arrayBuffer();
  return typeof wasm === 'string' || wasm instanceof URL ? (resolved(wasm)?.href ?? String(wasm)) : wasm;
}
