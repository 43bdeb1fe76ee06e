import type { BuildOptions, BuildResult } from '../build/builder.js';
import type { ForeignSpace } from '../engine.js';
import type { DocumentInput } from '../types.js';
import type { QueryEncoderKind } from './types.js';

/** The encoder of queries in place of the table, and the documents that it adds. */
export interface QueryEncoder {
  readonly kind: Exclude<QueryEncoderKind, 'table'>;
  /** The space of its vectors. */
  readonly space: ForeignSpace;
  /** True if it sends queries out of the page. */
  readonly remote: boolean;
  /** The vector of a query; an empty one where nothing of it is known. */
  embed(text: string, signal: AbortSignal): Promise<Float32Array>;
  /** Makes an index of documents. */
  build(documents: readonly DocumentInput[], options: EncoderBuildOptions, signal: AbortSignal): Promise<BuildResult>;
  close(): void;
}

/** The way an encoder builds: everything but by what and where. */
export type EncoderBuildOptions = Pick<
  BuildOptions,
  'table' | 'chunking' | 'calibration' | 'language' | 'wasm' | 'onProgress'
>;
