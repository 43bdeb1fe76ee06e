import type { EmbeddingTask } from '../encoder/types.js';
import type { ForeignSpace } from '../engine.js';
import type { ErrorCode, IbidErrorDetails } from '../error.js';
import type { AddProgress, DocumentInput } from '../types.js';
import type { BuildOptions, BuildResult } from './builder.js';

/** A job for a worker to build. Everything in it can be sent to another thread. */
export interface BuildJob {
  type: 'build';
  documents: DocumentInput[];
  options: Pick<
    BuildOptions,
    'table' | 'model' | 'projection' | 'chunking' | 'calibration' | 'language' | 'wasm' | 'stemmer'
  >;
}

/** A transformer to be opened, by which the same worker embeds and builds from then on. */
export interface OpenJob {
  type: 'open';
  model: Uint8Array;
  projection: Uint8Array;
  wasm: BuildOptions['wasm'];
}

/** Texts to be embedded by the transformer that was opened. */
export interface EmbedJob {
  type: 'embed';
  texts: string[];
  task: EmbeddingTask;
}

export type Job = BuildJob | OpenJob | EmbedJob;

/** A message to a worker: a job with a number of its own, or that one is to be given up. */
export type ToWorker = (Job & { id: number }) | { type: 'cancel'; id: number };

/** The result of a job. */
export interface JobResults {
  build: BuildResult;
  open: ForeignSpace;
  embed: Float32Array<ArrayBuffer>;
}

/** A message of a worker: first that it is ready; then, of each job, `done` or `failed` last. */
export type FromWorker =
  | { type: 'ready' }
  | { type: 'progress'; id: number; progress: AddProgress }
  | { type: 'done'; id: number; result: JobResults[Job['type']] }
  | { type: 'failed'; id: number; error: { code: ErrorCode; message: string } & IbidErrorDetails };
