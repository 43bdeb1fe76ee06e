import { embedTexts, spaceOf } from './embed-texts.js';
import type { QueryEncoder } from './query-encoder.js';
import type { Embedder } from './types.js';

/** Wraps the page's own {@link Embedder}. It stays on the page's thread: a function cannot be sent to a worker. */
export function callbackEncoder(embedder: Embedder): QueryEncoder {
  return {
    kind: 'embedder',
    space: spaceOf(embedder),
    remote: embedder.remote ?? true,
    embed: (text, signal) => embedTexts(embedder, [text], 'query', signal),
    build: async (documents, { table: _, ...options }, signal) => {
      const { buildIndex } = await import('../build/builder.js');
      return await buildIndex([...documents], { ...options, embedder, signal });
    },
    close: () => {},
  };
}
