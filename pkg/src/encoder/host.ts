import { packBuild, sendable } from '../build/pack-job.js';
import { WorkerClient } from '../build/worker-client.js';
import type { ForeignSpace } from '../engine.js';
import type { QueryEncoder } from './query-encoder.js';
import type { EmbeddingTask, TransformerOptions } from './types.js';

/** The place where a transformer runs. */
export interface EncoderHost extends Pick<QueryEncoder, 'space' | 'build' | 'close'> {
  /** True if it will never answer again. */
  readonly hasEnded: boolean;
  embed(texts: string[], task: EmbeddingTask, signal: AbortSignal): Promise<Float32Array>;
}

/** Opens a transformer in a worker, or on this thread if there is none. The bytes are taken. */
export async function openHost(
  { wasm, worker }: TransformerOptions,
  model: Uint8Array<ArrayBuffer>,
  projection: Uint8Array<ArrayBuffer>,
  signal: AbortSignal,
): Promise<EncoderHost> {
  const client = await WorkerClient.start(worker, signal);
  if (client === undefined) return await onThisThread(wasm, model, projection, signal);
  try {
    const job = { type: 'open', model, projection, wasm: await sendable(wasm) } as const;
    return inWorker(client, await client.perform(job, signal, [model.buffer, projection.buffer]));
  } catch (error) {
    client.terminate();
    throw error;
  }
}

function inWorker(client: WorkerClient, space: ForeignSpace): EncoderHost {
  return {
    space,
    get hasEnded() {
      return client.hasEnded;
    },
    embed: (texts, task, signal) => client.perform({ type: 'embed', texts, task }, signal),
    // The worker has its module already.
    build: async (documents, { onProgress, wasm: _, ...needed }, signal) => {
      const { job, transfer } = await packBuild(documents, needed, signal);
      return await client.perform(job, signal, transfer, onProgress);
    },
    close: () => client.terminate(),
  };
}

async function onThisThread(
  wasm: TransformerOptions['wasm'],
  model: Uint8Array,
  projection: Uint8Array,
  signal: AbortSignal,
): Promise<EncoderHost> {
  const { builderModule } = await import('../build/module.js');
  const { QueryEncoder } = await builderModule.get(wasm, signal);
  const encoder = new QueryEncoder(model, projection);
  let hasEnded = false;
  return {
    space: encoder.space(),
    get hasEnded() {
      return hasEnded;
    },
    embed: async (texts, task) => encoder.embed(texts, task),
    build: async (documents, options, signal) => {
      const { buildIndex } = await import('../build/builder.js');
      return await buildIndex([...documents], { ...options, encoder, signal });
    },
    close: () => {
      if (!hasEnded) encoder.free();
      hasEnded = true;
    },
  };
}
