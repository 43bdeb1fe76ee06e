import type { AskWireOptions, LlmWireOptions } from './engine.js';
import { IbidError } from './error.js';
import { queryWire } from './search-wire.js';
import type { AskOptions, LlmOptions } from './types.js';

/** The options of a run as the wasm module reads them, with the key that they name. */
export async function askWire(options: AskOptions): Promise<AskWireOptions> {
  const { limit, threshold, maxTurns, maxSearches } = options;
  const llm = options.llm === undefined ? undefined : await llmWire(options.llm);
  const query = options.search === undefined ? undefined : queryWire('', options.search);
  return defined({ limit, threshold, llm, maxTurns, maxSearches, query });
}

async function llmWire(llm: LlmOptions): Promise<LlmWireOptions> {
  const { model, headers, temperature, maxTokens, maxRetries } = llm;
  const apiKey = await keyOf(llm);
  return {
    baseURL: String(llm.baseURL),
    model,
    ...defined({ apiKey, headers, temperature, maxTokens }),
    ...(maxRetries !== undefined && { retry: { maxRetries } }),
  };
}

async function keyOf({ apiKey }: LlmOptions): Promise<string | undefined> {
  if (apiKey === undefined) return undefined;
  let key: unknown = apiKey;
  if (typeof apiKey === 'function') {
    try {
      key = await apiKey();
    } catch (error) {
      if (error instanceof IbidError) throw error;
      // The message is left out, since it may name the key; the function's owner has it as the cause.
      throw new IbidError('provider-auth', 'The `apiKey` function failed.', { cause: error });
    }
  }
  if (typeof key === 'string') return key;
  throw new IbidError('invalid-option', '`llm.apiKey` is not a string, nor a function that returns one.');
}

/** The same object without the entries that are undefined, which the wasm side would take for values. */
function defined<T extends object>(object: T): { [K in keyof T]?: Exclude<T[K], undefined> } {
  return Object.fromEntries(Object.entries(object).filter(([, value]) => value !== undefined)) as {
    [K in keyof T]?: Exclude<T[K], undefined>;
  };
}
