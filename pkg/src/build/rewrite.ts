import type { Change } from '../changes.js';
import { provideStemmer } from '../stemmer.js';
import { builderModule } from './module.js';

/**
 * Writes an index file anew after changes: index files whose documents are added, and ids of documents that are removed,
 * in order.
 */
export async function rewriteIndex(index: Uint8Array, changes: Change[], signal: AbortSignal): Promise<Uint8Array> {
  const module = await builderModule.get(undefined, signal);
  const builder = module.Builder.ofIndex(index, changes);
  try {
    const language = builder.wantedStemmer();
    if (language !== undefined) await provideStemmer(module, language, {}, signal);
    return builder.finish(new Float32Array());
  } finally {
    builder.free();
  }
}
