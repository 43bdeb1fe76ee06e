import type { BuildResult } from '../build/builder.js';
import { packBuild, sendable } from '../build/pack-job.js';
import { WorkerClient } from '../build/worker-client.js';
import type { ForeignSpace, QueryEncoderEngine } from '../engine.js';
import type { DocumentInput } from '../types.js';
import type { EncoderBuildOptions } from './query-encoder.js';
import type { EmbeddingTask, TransformerOptions } from './types.js';

/** The place where a transformer runs. */
export interface EncoderHost {
  readonly space: ForeignSpace;
  /** True if it will never answer again. */
  readonly hasEnded: boolean;
  embed(texts: string[], task: EmbeddingTask, signal: AbortSignal): Promise<Float32Array>;
  build(documents: readonly DocumentInput[], options: EncoderBuildOptions, signal: AbortSignal): Promise<BuildResult>;
  close(): void;
}

/** Opens a transformer in a worker, or on this thread where there is none. The bytes are taken. */
export async function openHost(
  { wasm, worker }: TransformerOptions,
  model: Uint8Array<ArrayBuffer>,
  projection: Uint8Array<ArrayBuffer>,
  signal: AbortSignal,
): Promise<EncoderHost> {
  const client = await WorkerClient.start(worker, signal);
  if (client === undefined) return await ThreadHost.open(wasm, model, projection, signal);
  try {
    const job = { type: 'open', model, projection, wasm: await sendable(wasm) } as const;
    return new WorkerHost(client, await client.perform(job, signal, [model.buffer, projection.buffer]));
  } catch (error) {
    client.terminate();
    throw error;
  }
}

class WorkerHost implements EncoderHost {
  readonly space: ForeignSpace;
  readonly #client: WorkerClient;

  constructor(client: WorkerClient, space: ForeignSpace) {
    this.#client = client;
    this.space = space;
  }

  get hasEnded(): boolean {
    return this.#client.hasEnded;
  }

  async embed(texts: string[], task: EmbeddingTask, signal: AbortSignal): Promise<Float32Array> {
    return await this.#client.perform({ type: 'embed', texts, task }, signal);
  }

  async build(
    documents: readonly DocumentInput[],
    { onProgress, ...options }: EncoderBuildOptions,
    signal: AbortSignal,
  ): Promise<BuildResult> {
    // The worker has its module already.
    const { wasm: _, ...needed } = options;
    const { job, transfer } = await packBuild(documents, needed, signal);
    return await this.#client.perform(job, signal, transfer, onProgress);
  }

  close(): void {
    this.#client.terminate();
  }
}

class ThreadHost implements EncoderHost {
  readonly space: ForeignSpace;
  hasEnded = false;
  readonly #encoder: QueryEncoderEngine;

  private constructor(encoder: QueryEncoderEngine) {
    this.#encoder = encoder;
    this.space = encoder.space();
  }

  static async open(
    wasm: TransformerOptions['wasm'],
    model: Uint8Array,
    projection: Uint8Array,
    signal: AbortSignal,
  ): Promise<ThreadHost> {
    const { builderModule } = await import('../build/module.js');
    const module = await builderModule.get(wasm, signal);
    return new ThreadHost(new module.QueryEncoder(model, projection));
  }

  async embed(texts: string[], task: EmbeddingTask): Promise<Float32Array> {
    return this.#encoder.embed(texts, task);
  }

  async build(
    documents: readonly DocumentInput[],
    options: EncoderBuildOptions,
    signal: AbortSignal,
  ): Promise<BuildResult> {
    const { buildIndex } = await import('../build/builder.js');
    return await buildIndex([...documents], { ...options, encoder: this.#encoder, signal });
  }

  close(): void {
    if (this.hasEnded) return;
    this.hasEnded = true;
    this.#encoder.free();
  }
}
