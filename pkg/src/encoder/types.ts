import type { ByteSource, WasmSource } from '../sources.js';

/** The purpose of an embedding. Many models treat the two differently. */
export type EmbeddingTask = 'query' | 'document';

/**
 * A model of your own, or a service, that makes vectors of texts: for an index that was built with the same one.
 *
 * ```ts
 * const embedder: Embedder = {
 *   name: 'all-mpnet-base-v2',
 *   dimensions: 768,
 *   embed: (texts, task) => vectorsOf(texts, task),
 * };
 * ```
 */
export interface Embedder {
  /** The model's name. Vectors are compared only where name, dimensions and fingerprint are the same. */
  name: string;
  /** The number of components of its vectors, 1 to 4096. */
  dimensions: number;
  /**
   * Tells apart what has one name and is not the same: a revision of the weights, a prefix put in front of texts.
   * Default: made of name and dimensions.
   */
  fingerprint?: string | undefined;
  /** The number of texts `embed` takes at most in one call. Default: 32. */
  batchSize?: number | undefined;
  /**
   * True if `embed` sends texts out of the page. The queries of runs then go to it without the personal data that
   * {@link AskOptions.pii} finds. Default: `true`; set `false` for a model in the page.
   */
  remote?: boolean | undefined;
  /**
   * A vector of `dimensions` finite numbers for each text, in their order; of any length but zero. Documents come with
   * their heading path in front. The signal says that nobody waits any more.
   */
  embed(
    texts: string[],
    task: EmbeddingTask,
    signal: AbortSignal,
  ): readonly ArrayLike<number>[] | Promise<readonly ArrayLike<number>[]>;
}

/** The source of the transformer, and the place where it runs. */
export interface TransformerOptions {
  /** The packed model, an `.ibidmodel` file, or its address. It is not part of the package. */
  model: ByteSource;
  /** Its projection. Default: `projection.bin` next to it. */
  projection?: ByteSource | undefined;
  /** The compiled module that it is part of, or its address. Default: `wasm/ibid_build_bg.wasm` next to these modules. */
  wasm?: WasmSource | undefined;
  /**
   * Starts the module worker that it runs in, or `false` for running it on this thread, which stands still meanwhile.
   * Default: a worker from `worker.js` next to these modules; where none can be started, as above.
   */
  worker?: (() => Worker) | false | undefined;
}

/** The encoder of queries: the token table, the transformer, or an {@link Embedder}. */
export type QueryEncoderKind = 'table' | 'transformer' | 'embedder';
