import { orAborted } from '../abort.js';
import { IbidError } from '../error.js';
import { messageOf } from './callbacks.js';
import type { CustomModel, ModelPart } from './model-types.js';

/**
 * Has a model of the page's own answer one request; its parts go to `onPart` as JSON. Characters that a stream tears apart
 * are put together behind it, as those of every provider are: JSON has escapes for their halves.
 */
export async function callCustom(
  model: CustomModel,
  request: string,
  onPart: (part: string) => void,
  signal: AbortSignal,
): Promise<void> {
  let iterator: AsyncIterator<ModelPart | string> | Iterator<ModelPart | string> | undefined;
  try {
    const stream = await orAborted((async () => model.stream(JSON.parse(request), { signal }))(), signal);
    iterator = iteratorOf(model, stream);
    for (;;) {
      const { done, value } = await orAborted(Promise.resolve(iterator.next()), signal);
      if (done) {
        iterator = undefined;
        return;
      }
      onPart(partJson(model, value));
    }
  } catch (error) {
    if (signal.aborted || error instanceof IbidError) throw error;
    throw new IbidError('provider-request', `The model ${model.name} failed: ${messageOf(error)}`, { cause: error });
  } finally {
    // Not awaited: a generator that hangs never gets there.
    void leave(iterator);
  }
}

async function leave(iterator: { return?: (() => unknown) | undefined } | undefined): Promise<void> {
  try {
    await iterator?.return?.();
  } catch {
    // The run has its outcome already.
  }
}

function iteratorOf(
  model: CustomModel,
  stream: unknown,
): AsyncIterator<ModelPart | string> | Iterator<ModelPart | string> {
  const { [Symbol.asyncIterator]: slow, [Symbol.iterator]: quick } = Object(stream);
  const begin = slow ?? quick;
  if (typeof begin === 'function' && typeof stream === 'object') return begin.call(stream);
  throw new IbidError('provider-protocol', `The model ${model.name} gave nothing that can be iterated over.`, {
    hint: '`stream` is an async generator, or returns an async iterable.',
  });
}

function partJson(model: CustomModel, part: ModelPart | string): string {
  if (typeof part === 'string') return JSON.stringify({ type: 'text', delta: part });
  try {
    if (typeof part?.type === 'string') return JSON.stringify(part);
  } catch {
    // What is no JSON, a cycle or a big integer, is no part either.
  }
  throw new IbidError('provider-protocol', `The model ${model.name} gave something that is no part of an answer.`);
}
