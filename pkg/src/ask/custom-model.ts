import { orAborted } from '../abort.js';
import { IbidError } from '../error.js';
import { messageOf } from './callbacks.js';
import type { CustomModel, ModelPart } from './model-types.js';

/** Has a model of the page's own answer one request; its parts go to `onPart` as JSON. */
export async function callCustom(
  model: CustomModel,
  request: string,
  onPart: (part: string) => void,
  signal: AbortSignal,
): Promise<void> {
  let iterator: AsyncIterator<ModelPart | string> | Iterator<ModelPart | string> | undefined;
  try {
    const stream = await orAborted((async () => model.stream(JSON.parse(request), { signal }))(), signal);
    const whole = new WholeCharacters();
    iterator = iteratorOf(model, stream);
    for (;;) {
      const { done, value } = await orAborted(Promise.resolve(iterator.next()), signal);
      if (done) {
        iterator = undefined;
        for (const part of whole.rest()) onPart(partJson(model, part));
        return;
      }
      for (const part of whole.parts(value)) onPart(partJson(model, part));
    }
  } catch (error) {
    if (signal.aborted || error instanceof IbidError) throw error;
    throw new IbidError('provider-request', `The model ${model.name} failed: ${messageOf(error)}`, { cause: error });
  } finally {
    // Not awaited: a generator that hangs never gets there.
    void leave(iterator);
  }
}

/**
 * Keeps characters of two UTF-16 units together, which a stream that is cut by units tears apart; half of one is no text
 * that could go on. What is no half's other half becomes U+FFFD.
 */
class WholeCharacters {
  /** The first half of a character at the end of a text or of reasoning. */
  #half: { type: 'text' | 'reasoning'; unit: string } | undefined;

  /** What can go on with a part: what waited for it, and as much of the part as is whole. */
  parts(part: ModelPart | string): (ModelPart | string)[] {
    const given = typeof part === 'string' ? { type: 'text' as const, delta: part } : part;
    if (typeof given !== 'object' || given === null || (given.type !== 'text' && given.type !== 'reasoning')) {
      return [...this.rest(), part];
    }
    if (typeof given.delta !== 'string') return [...this.rest(), part];
    const before = this.#half?.type === given.type ? [] : this.rest();
    const delta = (this.#half?.unit ?? '') + given.delta;
    const cut = /[\ud800-\udbff]$/.test(delta);
    this.#half = cut ? { type: given.type, unit: delta.slice(-1) } : undefined;
    const whole = wellFormed(cut ? delta.slice(0, -1) : delta);
    return whole === '' ? before : [...before, { ...given, delta: whole }];
  }

  /** What waited for more that does not come. */
  rest(): ModelPart[] {
    const half = this.#half;
    this.#half = undefined;
    return half === undefined ? [] : [{ type: half.type, delta: '\ufffd' }];
  }
}

function wellFormed(text: string): string {
  return text.replace(/[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/g, '\ufffd');
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
