import { LinkedAbort, orAborted } from '../abort.js';
import { MODEL, PROJECTION, readBytes, TRANSFORMER } from '../bytes.js';
import { abortedError, IbidError } from '../error.js';
import type { AddOptions, ByteSource, DocumentInput, IndexInfo } from '../types.js';
import type { BuildOptions, BuildResult } from './builder.js';
import { contentBytes } from './contents.js';
import type { FromWorker, Job } from './worker-wire.js';

/**
 * Builds an index of documents that are to be added to another one: chunked and calibrated as that was, in a worker
 * where there is one.
 */
export async function buildAddition(
  documents: readonly DocumentInput[],
  base: IndexInfo,
  table: ByteSource,
  options: AddOptions,
  signals: readonly (AbortSignal | undefined)[],
): Promise<BuildResult> {
  const linked = new LinkedAbort(signals);
  const { signal } = linked;
  const { calibration } = base;
  const chunking = { ...base.chunking, ...options.chunking };
  try {
    if (signal.aborted) throw abortedError(signal.reason);
    const worker = options.worker === false ? undefined : await start(options.worker ?? ownWorker, signal);
    if (worker === undefined) {
      const { buildIndex } = await import('./builder.js');
      return await buildIndex([...documents], { ...options, table, chunking, calibration, signal });
    }
    try {
      const { transfer, ...job } = await packed(documents, { ...options, table, chunking, calibration }, signal);
      return await orAborted(perform(worker, job, transfer, options.onProgress), signal);
    } finally {
      worker.terminate();
    }
  } finally {
    linked.release();
  }
}

// Written out in full, since that is how bundlers recognize which file to bring along.
const ownWorker = () => new Worker(new URL('./worker.js', import.meta.url), { type: 'module' });

/** A worker that is ready; `undefined` where there are none, or where the page's policy or origin does not allow it. */
async function start(create: () => Worker, signal: AbortSignal): Promise<Worker | undefined> {
  let worker: Worker;
  try {
    worker = create();
  } catch {
    return undefined;
  }
  const ready = new Promise<Worker | undefined>((resolve) => {
    worker.onmessage = () => resolve(worker);
    worker.onerror = (event) => {
      event.preventDefault();
      resolve(undefined);
    };
  });
  try {
    return await orAborted(ready, signal);
  } catch (error) {
    worker.terminate();
    throw error;
  }
}

/** Everything as bytes that another thread can take over. What belongs to the caller is copied, not taken. */
async function packed(
  documents: readonly DocumentInput[],
  options: BuildOptions,
  signal: AbortSignal,
): Promise<Job & { transfer: Transferable[] }> {
  const transfer: Transferable[] = [];
  const give = (bytes: Uint8Array, given: unknown) => {
    const own = given instanceof Uint8Array || given instanceof ArrayBuffer ? bytes.slice() : bytes;
    transfer.push(own.buffer);
    return own;
  };
  const read = async (source: ByteSource, part: typeof MODEL) =>
    give(await readBytes(source, part, signal, undefined), source);
  const { chunking, calibration, model, table, wasm } = options;
  const projection = options.projection ?? new URL('../projection.bin', import.meta.url);
  const job: Job = {
    documents: [],
    options: {
      chunking,
      calibration,
      table: table && (await read(table, MODEL)),
      model: model && (await read(model, TRANSFORMER)),
      projection: model && (await read(projection, PROJECTION)),
      // A response belongs to its thread, an address object too.
      wasm: wasm instanceof Response ? await wasm.arrayBuffer() : wasm instanceof URL ? wasm.href : wasm,
    },
  };
  for (const { source, content, ...known } of documents) {
    job.documents.push({ source, content: give(await contentBytes(source, content), content), ...known });
  }
  return { ...job, transfer };
}

function perform(
  worker: Worker,
  job: Job,
  transfer: Transferable[],
  onProgress: AddOptions['onProgress'],
): Promise<BuildResult> {
  return new Promise((resolve, reject) => {
    worker.onmessage = ({ data }: MessageEvent<FromWorker>) => {
      if (data.type === 'progress') onProgress?.(data.progress);
      if (data.type === 'done') resolve(data);
      if (data.type === 'failed') reject(new IbidError(data.error.code, data.error.message, data.error));
    };
    worker.onerror = (event) => reject(new IbidError('internal', `The worker failed: ${event.message}`));
    worker.onmessageerror = () => reject(new IbidError('internal', "The worker's answer could not be read."));
    worker.postMessage(job, transfer);
  });
}
