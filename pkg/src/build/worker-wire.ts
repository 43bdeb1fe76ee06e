import type { ErrorCode } from '../error.js';
import type { AddProgress, AddReport, DocumentInput } from '../types.js';
import type { BuildOptions } from './builder.js';

/** What a worker is asked to build. Everything in it can be sent to another thread. */
export interface Job {
  documents: DocumentInput[];
  options: Pick<BuildOptions, 'table' | 'model' | 'projection' | 'chunking' | 'calibration' | 'wasm'>;
}

/** What a worker says, `ready` first and `done` or `failed` last. */
export type FromWorker =
  | { type: 'ready' }
  | { type: 'progress'; progress: AddProgress }
  | { type: 'done'; index: Uint8Array<ArrayBuffer>; report: AddReport }
  | { type: 'failed'; error: { code: ErrorCode; message: string; hint: string | undefined; retryable: boolean } };
