import { IbidError } from '../error.js';
import { queryWire, wire } from '../search-wire.js';
import { imagesWire } from './images.js';
import type { CustomModel, LlmOptions } from './model-types.js';
import type { AskWireOptions, LlmWireOptions } from './module.js';
import { toolsWire } from './tools.js';
import type { AskOptions } from './types.js';

/** The options of searches that say nothing. */
const NO_QUERY = queryWire('', {});

/**
 * Gathers the options of a run as the wasm module reads them, with the key that they name, but without its collections.
 */
export async function askWire(options: AskOptions): Promise<AskWireOptions> {
  const { llm: _, collections: __, onApproval: ___, checkpoint: ____, signal: _____, ...own } = options;
  const { search, timeout, tools, prepareStep, rerank, images, audit, ...same } = own;
  const models = modelsOf(options);
  const query = search == null ? NO_QUERY : queryWire('', search);
  return plain({
    ...same,
    audit: audit == null ? undefined : true,
    images: images == null || images.length === 0 ? undefined : await imagesWire(images),
    models: models.length === 0 ? undefined : await Promise.all(models.map(modelWire)),
    query: query === NO_QUERY ? undefined : query,
    timeoutMs: timeout,
    prepareStep: prepareStep == null ? undefined : true,
    rerank: rerank == null ? undefined : true,
    tools: tools == null || tools.length === 0 ? undefined : toolsWire(tools),
  });
}

/** Lists the models that may answer, in the order in which they are asked. */
export function modelsOf({ llm }: AskOptions): readonly (LlmOptions | CustomModel)[] {
  if (llm == null) return [];
  return Array.isArray(llm) ? llm : [llm as LlmOptions | CustomModel];
}

/** Returns true if it is a model of the page's own. */
export function isCustom(llm: LlmOptions | CustomModel): llm is CustomModel {
  return 'stream' in llm && typeof llm.stream === 'function';
}

async function modelWire(model: LlmOptions | CustomModel): Promise<{ llm: LlmWireOptions } | { custom: string }> {
  return isCustom(model) ? { custom: model.name } : { llm: await llmWire(model) };
}

async function llmWire(llm: LlmOptions): Promise<LlmWireOptions> {
  const { baseURL, apiKey: _, fetch: __, maxRetries, retryDelay, ...rest } = llm;
  const apiKey = await keyOf(llm);
  const retry = { maxRetries, initialDelayMs: retryDelay };
  return plain({
    ...rest,
    baseURL: baseURL === undefined ? undefined : String(baseURL),
    apiKey,
    retry: maxRetries === undefined && retryDelay === undefined ? undefined : retry,
  });
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

/**
 * Makes a copy that is nothing but data, without the entries that are undefined or `null`, which the wasm side would
 * take for values; inside of schemas, `null` stays.
 */
function plain<T extends object>(object: object): T {
  const given = Object.entries(object).filter(([, value]) => value !== undefined && value !== null);
  try {
    return JSON.parse(wire(Object.fromEntries(given)));
  } catch (error) {
    if (error instanceof IbidError) throw error;
    throw new IbidError('invalid-option', 'The options cannot be written as JSON.', { cause: error });
  }
}
