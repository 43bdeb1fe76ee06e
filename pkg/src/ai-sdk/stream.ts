import type { Answer, AskEvent } from '../ask/answer-types.js';
import { type IbidError, toIbidError } from '../error.js';
import { ChunkMaker, type ChunkOptions, metadataOf } from './chunk-maker.js';
import type { IbidUIMessageChunk } from './types.js';

/** Options of {@link toUIMessageChunks} and {@link toUIMessageStream}. */
export interface UIMessageOptions extends ChunkOptions {
  /** The id of the answer's message. Default: the chat's own choice. */
  messageId?: string | undefined;
  /** The text of the `error` chunk. Default: the error's message. */
  onError?: ((error: IbidError) => string) | undefined;
}

/**
 * Turns a run into the chunks of an AI SDK UI message: its text and reasoning, searches and tools as dynamic tools, the
 * cited sources, and the answer, its citations and its flags as data parts, see {@link IbidDataParts}. A run that fails
 * ends with an `error` chunk, one that is aborted with `abort`. Leaving the iteration aborts the run.
 */
export async function* toUIMessageChunks(
  run: AsyncIterable<AskEvent>,
  options: UIMessageOptions = {},
): AsyncGenerator<IbidUIMessageChunk, void> {
  try {
    yield* chunksOf(run, options);
  } catch (error) {
    const known = toIbidError(error);
    yield { type: 'error', errorText: options.onError?.(known) ?? known.message };
  }
}

/** The same as a stream. */
export function toUIMessageStream(
  run: AsyncIterable<AskEvent>,
  options: UIMessageOptions = {},
): ReadableStream<IbidUIMessageChunk> {
  return streamOf(toUIMessageChunks(run, options));
}

/** Yields the chunks of a run whose failure is thrown; `finish` may add some before the last. */
export async function* chunksOf(
  run: AsyncIterable<AskEvent>,
  options: UIMessageOptions,
  finish: (answer: Answer) => IbidUIMessageChunk[] = () => [],
): AsyncGenerator<IbidUIMessageChunk, void> {
  const maker = new ChunkMaker(options);
  const { messageId } = options;
  yield { type: 'start', ...(messageId !== undefined && { messageId }) };
  let answer: Answer | undefined;
  try {
    for await (const event of run) {
      yield* maker.of(event);
      if (event.type === 'answer') answer = event.answer;
    }
  } catch (error) {
    const known = toIbidError(error);
    yield* maker.end(known.message);
    if (known.code !== 'aborted') throw known;
    yield { type: 'abort', reason: known.message };
    return;
  }
  if (answer === undefined) return;
  yield* finish(answer);
  yield* maker.end('The run ended without a result for this call.');
  yield { type: 'finish', finishReason: answer.finishReason, messageMetadata: metadataOf(answer) };
}

export function streamOf<T>(items: AsyncGenerator<T, void>): ReadableStream<T> {
  return new ReadableStream<T>({
    async pull(controller) {
      const { done, value } = await items.next();
      if (done) controller.close();
      else controller.enqueue(value);
    },
    async cancel() {
      await items.return();
    },
  });
}
