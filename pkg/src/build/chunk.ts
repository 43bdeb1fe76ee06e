import { toIbidError } from '../error.js';
import type { AddReport, DocumentInput } from '../types.js';
import { addAll, chunkingWire, Slices } from './add-all.js';
import type { BuildOptions } from './builder.js';
import { builderModule } from './module.js';

/** Cuts documents as {@link buildIndex} does, and returns the chunks as lines of JSON, from which it builds as well. */
export async function chunkDocuments(
  documents: Iterable<DocumentInput> | AsyncIterable<DocumentInput>,
  options: Pick<BuildOptions, 'chunking' | 'wasm' | 'onProgress'>,
): Promise<{ lines: string; report: AddReport }> {
  try {
    const { Chunker } = await builderModule.get(options.wasm);
    const chunker = new Chunker(chunkingWire(options.chunking ?? {}));
    try {
      const slices = new Slices(new AbortController().signal);
      const report = await addAll(chunker, documents, slices, options.onProgress ?? (() => {}));
      return { lines: chunker.lines(), report };
    } finally {
      chunker.free();
    }
  } catch (error) {
    throw toIbidError(error);
  }
}
