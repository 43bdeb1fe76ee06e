import { orAborted } from '../abort.js';
import { abortedError, toIbidError } from '../error.js';
import { partialReader } from '../render/partial-reader.js';
import type { Answer, AskEvent } from './answer-types.js';
import { recorded } from './audited.js';
import { Callbacks } from './callbacks.js';
import { Collections, type OpenCollection } from './collections.js';
import { askHost } from './host.js';
import type { AskModule, AskOutcome, AskWireOptions } from './module.js';
import { Redactor } from './redact.js';
import type { Searched } from './searched.js';
import type { AskOptions } from './types.js';
import { askWire, modelsOf } from './wire.js';

/** The state that a conversation gives to a run, and gets from it. */
export interface Memory {
  id: string;
  /** The conversation so far, as {@link AskOutcome.conversation} gave it. */
  history: string | undefined;
  historyTokens: number | undefined;
  /** Takes what was said; not called after a failure. */
  keep(outcome: AskOutcome): void;
}

/** The input of a run besides its options. */
export interface Asked {
  own: Searched;
  asker: Promise<AskModule>;
  memory?: Memory | undefined;
  open: OpenCollection;
}

/** The options that quotes may have, as `Memory` of `crates/web/src/ask` reads them; all others are of the module's rest. */
const OF_QUOTES = ['conversationId', 'history'];

/** Answers a question from the index `own`, or the collections that the options name. */
export async function startAsk(
  question: string,
  options: AskOptions,
  { own, asker, memory, open }: Asked,
  emit: (event: AskEvent) => void,
  signal: AbortSignal,
): Promise<Answer> {
  const collections = await Collections.of(own, options, open);
  const { id, history, historyTokens }: Partial<Memory> = memory ?? {};
  const offered = await collections.wire(modelsOf(options).length > 0 || options.collections != null);
  const wire: AskWireOptions = {
    // What goes to an engine, or to an embedder of the page's own, goes without what is personal.
    ...((own.remote || own.info.queryEncoder === 'embedder') && { pii: {} }),
    ...(await askWire(options)),
    ...(offered && { collections: offered }),
    ...(id !== undefined && { conversationId: id }),
    ...(history !== undefined && { history }),
    ...(historyTokens !== undefined && { historyTokens }),
  };
  if (signal.aborted) throw abortedError(signal.reason);
  const endpoints = (wire.models ?? []).flatMap((model) => ('llm' in model ? [model.llm] : []));
  const redactor = new Redactor(endpoints.flatMap(({ apiKey, headers }) => [apiKey, ...Object.values(headers ?? {})]));
  const callbacks = new Callbacks();
  try {
    const { ask, partialTree, complete } = await orAborted(asker, signal);
    if (Object.keys(wire).some((name) => !OF_QUOTES.includes(name))) await orAborted(complete(), signal);
    partialReader.read = partialTree;
    // The answer is held back until the conversation has it too, so that the next question can follow at once.
    const onEvent = (event: AskEvent) => {
      if (event.type !== 'answer') emit(redactor.event(event));
    };
    const host = askHost(options, { collections, callbacks, redactor, signal });
    const outcome = await recorded(options.audit, emit, () => ask(question, wire, host, onEvent, signal));
    const answer = redactor.answer(outcome.answer);
    if (signal.aborted) throw abortedError(signal.reason);
    memory?.keep({ ...outcome, answer });
    emit({ type: 'answer', answer });
    return answer;
  } catch (error) {
    throw redactor.error(collections.original(callbacks.original(toIbidError(error))));
  }
}
