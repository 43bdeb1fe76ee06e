import { orAborted } from '../abort.js';
import { IbidError } from '../error.js';
import { messageOf } from './callbacks.js';
import type { CustomModel } from './model-types.js';

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
  let iterator: AsyncIterator<unknown> | undefined;
  try {
    const stream = await orAborted((async () => model.stream(JSON.parse(request), { signal }))(), signal);
    iterator = iteratorOf(model, stream);
    for (;;) {
      const { done, value } = await orAborted(Promise.resolve(iterator.next()), signal);
      if (done) {
        iterator = undefined;
        return;
      }
      onPart(JSON.stringify(typeof value === 'string' ? { type: 'text', delta: value } : value));
    }
  } catch (error) {
    if (signal.aborted || error instanceof IbidError) throw error;
    throw new IbidError('provider-request', `The model ${model.name} failed: ${messageOf(error)}`, { cause: error });
  } finally {
    // Not awaited: a generator that hangs never gets there. The run has its outcome already.
    (async () => iterator?.return?.())().catch(() => {});
  }
}

function iteratorOf(model: CustomModel, stream: unknown): AsyncIterator<unknown> {
  const { [Symbol.asyncIterator]: slow, [Symbol.iterator]: quick } = Object(stream);
  const begin = slow ?? quick;
  if (typeof begin === 'function' && typeof stream === 'object') return begin.call(stream);
  throw new IbidError('provider-protocol', `The model ${model.name} returned nothing to iterate over.`, {
    hint: '`stream` must be an async generator, or return an async iterable.',
  });
}
