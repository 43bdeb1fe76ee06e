import type { BuildResult } from '../build/builder.js';
import type { DocumentInput } from '../types.js';
import { embedTexts, spaceOf } from './embed-texts.js';
import type { EncoderBuildOptions, QueryEncoder } from './query-encoder.js';
import type { Embedder } from './types.js';

/** The page's own {@link Embedder}. It stays on the page's thread: a function cannot be sent to a worker. */
export class CallbackEncoder implements QueryEncoder {
  readonly kind = 'embedder';
  readonly space;
  readonly remote: boolean;
  readonly #embedder: Embedder;

  constructor(embedder: Embedder) {
    this.space = spaceOf(embedder);
    this.remote = embedder.remote ?? true;
    this.#embedder = embedder;
  }

  async embed(text: string, signal: AbortSignal): Promise<Float32Array> {
    return await embedTexts(this.#embedder, [text], 'query', signal);
  }

  async build(
    documents: readonly DocumentInput[],
    { table: _, ...options }: EncoderBuildOptions,
    signal: AbortSignal,
  ): Promise<BuildResult> {
    const { buildIndex } = await import('../build/builder.js');
    return await buildIndex([...documents], { ...options, embedder: this.#embedder, signal });
  }

  close(): void {}
}
