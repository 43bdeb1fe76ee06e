import { orAborted } from '../abort.js';
import type { ForeignSpace } from '../engine.js';
import { abortedError, IbidError } from '../error.js';
import type { Embedder, EmbeddingTask } from './types.js';

const BATCH = 32;
const HINT =
  'An embedder returns for each text one vector of its `dimensions`, made of finite numbers that are not all zero.';

/**
 * Reads the space of an embedder's vectors, after a look at whether it is an embedder at all; the core looks at the
 * rest.
 */
export function spaceOf(embedder: Embedder): ForeignSpace {
  const { name, dimensions, fingerprint, batchSize = BATCH, embed } = embedder;
  const right =
    typeof name === 'string' &&
    Number.isInteger(dimensions) &&
    dimensions > 0 &&
    (fingerprint === undefined || typeof fingerprint === 'string') &&
    Number.isInteger(batchSize) &&
    batchSize > 0 &&
    typeof embed === 'function';
  if (!right) {
    throw new IbidError('invalid-option', 'This is no embedder.', {
      hint: 'An embedder has a `name`, its `dimensions`, and a function `embed(texts, task)`; see the documentation.',
    });
  }
  return { name, dimensions, ...(fingerprint !== undefined && { fingerprint }) };
}

/** Reads the number of texts an embedder takes at once. */
export function batchSizeOf({ batchSize = BATCH }: Embedder): number {
  return batchSize;
}

/**
 * Has texts embedded, as many at once as the embedder takes: the vectors, one behind the other.
 *
 * Fails with `embedder-failed` if the embedder does, or where what it gives has not the shape of vectors; whether the
 * numbers make sense, the core looks at. What the embedder threw is the error's cause and not part of its message, since
 * it may name a key; an {@link IbidError} is passed on.
 */
export async function embedTexts(
  embedder: Embedder,
  texts: readonly string[],
  task: EmbeddingTask,
  signal: AbortSignal,
): Promise<Float32Array> {
  const { dimensions } = embedder;
  const size = batchSizeOf(embedder);
  const all = new Float32Array(texts.length * dimensions);
  for (let start = 0; start < texts.length; start += size) {
    const batch = texts.slice(start, start + size);
    const vectors = await embedBatch(embedder, batch, task, signal);
    if (!Array.isArray(vectors) || vectors.length !== batch.length) {
      const count = Array.isArray(vectors) ? `${vectors.length} vectors` : 'no array of vectors';
      throw failure(embedder, `gave ${count} for ${batch.length} texts`);
    }
    for (const [at, vector] of vectors.entries()) {
      // A string has a length too, but no numbers.
      const length = typeof vector === 'object' ? vector?.length : undefined;
      if (length !== dimensions) {
        const what = length === undefined ? 'something that is no vector' : `a vector of ${length} components`;
        throw failure(embedder, `gave ${what} instead of one of ${dimensions}`);
      }
      all.set(vector, (start + at) * dimensions);
    }
  }
  return all;
}

async function embedBatch(
  embedder: Embedder,
  batch: string[],
  task: EmbeddingTask,
  signal: AbortSignal,
): Promise<unknown> {
  if (signal.aborted) throw abortedError(signal.reason);
  try {
    return await orAborted((async () => embedder.embed(batch, task, signal))(), signal);
  } catch (cause) {
    if (signal.aborted) throw abortedError(signal.reason);
    // Those of `remoteEmbedder` say what is wrong, and hold no key.
    if (cause instanceof IbidError) throw cause;
    throw new IbidError('embedder-failed', `The embedder ${embedder.name} failed.`, {
      hint: 'See the cause of this error.',
      retryable: true,
      cause,
    });
  }
}

function failure({ name }: Embedder, what: string): IbidError {
  return new IbidError('embedder-failed', `The embedder ${name} ${what}.`, { hint: HINT });
}
