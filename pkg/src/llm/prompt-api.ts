import type { CustomModel, ModelPart, ModelRequest } from '../ask/model-types.js';
import { abortedError, IbidError, textOf } from '../error.js';
import { type PlainMessage, prompted } from './prompted.js';
import { TextParts } from './text-parts.js';

/** True if the browser's model can be used now, after a download, or not at all. */
export type PromptApiAvailability = 'unavailable' | 'downloadable' | 'downloading' | 'available';

/** Options of {@link promptApi}. */
export interface PromptApiOptions {
  /** The languages of questions and documents, as BCP 47 tags. Default: the browser's choice. */
  inputLanguages?: readonly string[] | undefined;
  /** The language of answers. Default: the browser's choice. */
  outputLanguage?: string | undefined;
  /** Called with the share of the model that has been downloaded, 0 to 1, where that is needed. Default: none. */
  onDownload?: ((loaded: number) => void) | undefined;
  /** The interface. Default: the global `LanguageModel`. */
  languageModel?: LanguageModelStatic | undefined;
}

/** The browser's own model. */
export interface PromptApiModel extends CustomModel {
  /** Returns true if it is there; `unavailable` too where the browser does not know the interface. */
  availability(): Promise<PromptApiAvailability>;
  /**
   * Downloads the model where it is not there yet. Chrome wants this to begin in the handler of a click or a key. Returns
   * the tokens that a question and its answer may have together; `Infinity` where the browser sets no limit.
   *
   * Fails with `provider-not-found` if there is none for this device, with `network` if it cannot be downloaded,
   * and with `aborted`.
   */
  prepare(options?: { signal?: AbortSignal | undefined }): Promise<{ contextWindow: number }>;
}

/**
 * Wraps the built-in model of Chrome and Edge, by the Prompt API. Tools are described in its instructions; a schema of
 * the answer is its `responseConstraint`.
 *
 * ```ts
 * const llm = promptApi({ inputLanguages: ['en'], outputLanguage: 'en' });
 * if ((await llm.availability()) === 'downloadable') button.onclick = () => llm.prepare();
 * ```
 */
export function promptApi(options: PromptApiOptions = {}): PromptApiModel {
  return {
    name: 'prompt-api',
    stream: (request, { signal }) => streamed(options, request, signal),
    availability: async () => {
      try {
        return (await found(options)?.availability(core(options))) ?? 'unavailable';
      } catch {
        // Languages that it does not have, or a page that may not ask.
        return 'unavailable';
      }
    },
    prepare: async ({ signal } = {}) => {
      const model = await session(options, [], signal);
      const contextWindow = most(model) ?? Number.POSITIVE_INFINITY;
      model.destroy();
      return { contextWindow };
    },
  };
}

async function* streamed(
  options: PromptApiOptions,
  request: ModelRequest,
  signal: AbortSignal,
): AsyncGenerator<ModelPart> {
  const { messages, schema } = prompted(request);
  const last = { role: 'user' as const, content: messages.at(-1)?.content ?? '' };
  // What follows the initial prompts must be there in full: of those, the oldest may be dropped without a word.
  const model = await session(options, messages.slice(0, -1), signal);
  try {
    const asked = await measured(model, last, signal);
    const text = new TextParts(request);
    const stream = model.promptStreaming([last], { signal, ...(schema && { responseConstraint: schema }) });
    for await (const delta of stream) yield* text.push(delta);
    const rest = text.end(true);
    yield* rest;
    const used = model.contextUsage ?? model.inputUsage;
    if (asked !== undefined && used !== undefined) {
      yield { type: 'usage', usage: { inputTokens: asked, outputTokens: Math.max(0, used - asked) } };
    }
    yield { type: 'finish', reason: rest.some(({ type }) => type === 'tool-call') ? 'tool-calls' : 'stop' };
  } catch (error) {
    // The browser held the answer back.
    if (nameOf(error) !== 'NotReadableError') throw known(error, signal);
    yield { type: 'finish', reason: 'content-filter' };
  } finally {
    model.destroy();
  }
}

/**
 * Counts the tokens the session holds once it is asked; what does not fit is an error, since parts would be dropped.
 */
async function measured(model: Session, last: SaidMessage, signal: AbortSignal): Promise<number | undefined> {
  const before = model.contextUsage ?? model.inputUsage;
  const fit = most(model);
  const measure = model.measureContextUsage ?? model.measureInputUsage;
  if (before === undefined || fit === undefined || measure === undefined) return undefined;
  const asked = before + (await measure.call(model, [last], { signal }));
  if (asked > fit) throw tooLong(`${Math.ceil(asked)} tokens were asked, ${fit} fit.`);
  return asked;
}

function most({ contextWindow, inputQuota }: Session): number | undefined {
  return contextWindow ?? inputQuota;
}

async function session(options: PromptApiOptions, initial: PlainMessage[], signal?: AbortSignal): Promise<Session> {
  const api = found(options);
  if (api === undefined) {
    throw new IbidError('provider-not-found', 'This browser has no Prompt API.', {
      hint: 'Chrome and Edge have it on desktop computers, Chrome from version 148 on, on secure pages.',
    });
  }
  try {
    if ((await api.availability(core(options))) === 'unavailable') {
      throw new IbidError('provider-not-found', "The browser's model cannot be used on this device.", {
        hint: 'It needs some 22 GB of free storage, and a graphics processor or much memory; see chrome://on-device-internals.',
      });
    }
    return await api.create({
      ...core(options),
      ...(initial.length > 0 && { initialPrompts: initial as SaidMessage[] }),
      ...(signal && { signal }),
      monitor: (monitor) => {
        monitor.addEventListener('downloadprogress', ({ loaded }) => options.onDownload?.(loaded));
      },
    });
  } catch (error) {
    throw known(error, signal);
  }
}

function core({ inputLanguages, outputLanguage }: PromptApiOptions): CoreOptions {
  return {
    ...(inputLanguages && { expectedInputs: [{ type: 'text', languages: [...inputLanguages] }] }),
    ...(outputLanguage && { expectedOutputs: [{ type: 'text', languages: [outputLanguage] }] }),
  };
}

function found({ languageModel }: PromptApiOptions): LanguageModelStatic | undefined {
  return languageModel ?? (globalThis as { LanguageModel?: LanguageModelStatic }).LanguageModel;
}

function known(error: unknown, signal?: AbortSignal): IbidError {
  if (error instanceof IbidError) return error;
  if (signal?.aborted) return abortedError(signal.reason);
  const message = textOf(error);
  const name = nameOf(error);
  if (name === 'QuotaExceededError') return tooLong(message, error);
  if (name === 'AbortError') return abortedError(error);
  if (name === 'NetworkError') {
    const what = `The browser could not download its model: ${message}`;
    return new IbidError('network', what, { retryable: true, cause: error });
  }
  const [what, hint] = REFUSALS[String(name)] ?? ["The browser's model failed"];
  return new IbidError('provider-request', `${what}: ${message}`, { hint, cause: error });
}

const REFUSALS: Record<string, [what: string, hint: string]> = {
  NotAllowedError: [
    'The browser does not let this page use its model',
    'If it must be downloaded, call `prepare()` when a button is clicked. Frames need allow="language-model".',
  ],
  NotSupportedError: ["The browser's model cannot do that", 'It may not know the language, or parts of the schema.'],
};

function tooLong(message: string, cause?: unknown): IbidError {
  return new IbidError('context-length', `The question does not fit the browser's model: ${message}`, {
    hint: 'Lower `limit`, `maxSearches` or `historyTokens`.',
    cause,
  });
}

function nameOf(error: unknown): unknown {
  return typeof error === 'object' && error !== null && 'name' in error ? error.name : undefined;
}

interface CoreOptions {
  expectedInputs?: { type: 'text'; languages: string[] }[];
  expectedOutputs?: { type: 'text'; languages: string[] }[];
}

/** The messages that are no instruction; those can only be the first message of a session. */
type SaidMessage = PlainMessage & { role: 'user' | 'assistant' };

interface CreateOptions extends CoreOptions {
  initialPrompts?: SaidMessage[] | [PlainMessage & { role: 'system' }, ...SaidMessage[]];
  signal?: AbortSignal;
  monitor?: (monitor: {
    addEventListener(type: 'downloadprogress', listener: (event: { loaded: number }) => void): void;
  }) => void;
}

/** The members used of the global `LanguageModel`, see https://webmachinelearning.github.io/prompt-api/. */
interface LanguageModelStatic {
  availability(options?: CoreOptions): Promise<PromptApiAvailability>;
  create(options?: CreateOptions): Promise<Session>;
}

/** The members used of a session; the names with `input` are those of older versions of Chrome. */
interface Session {
  promptStreaming(
    input: SaidMessage[],
    options?: { responseConstraint?: Record<string, unknown>; signal?: AbortSignal },
  ): ReadableStream<string>;
  measureContextUsage?(input: SaidMessage[], options?: { signal?: AbortSignal }): Promise<number>;
  measureInputUsage?(input: SaidMessage[], options?: { signal?: AbortSignal }): Promise<number>;
  readonly contextUsage?: number;
  readonly inputUsage?: number;
  readonly contextWindow?: number;
  readonly inputQuota?: number;
  destroy(): void;
}
