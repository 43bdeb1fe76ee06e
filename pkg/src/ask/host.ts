import { orAborted } from '../abort.js';
import { IbidError } from '../error.js';
import { checkedScores } from '../search-wire.js';
import { type Callbacks, messageOf } from './callbacks.js';
import type { Collections } from './collections.js';
import { callCustom } from './custom-model.js';
import type { CustomModel, LlmOptions } from './model-types.js';
import type { AskHost } from './module.js';
import { whyUnreached } from './reach.js';
import type { Redactor } from './redact.js';
import { emergencyRules, piiRules } from './rules.js';
import { toolCaller } from './tools.js';
import type { AskOptions, PreparedStep } from './types.js';
import { isCustom, modelsOf } from './wire.js';

/** Does the work of a run outside of the wasm module, by the functions among its options. */
export function askHost(options: AskOptions, { collections, callbacks, redactor, signal }: HostParts): AskHost {
  const { prepareStep, rerank, checkpoint } = options;
  const models = modelsOf(options);
  const callTool = toolCaller(options, redactor);
  const host: AskHost = {
    search: (query, collection, given = signal) => collections.search(query, collection, given),
    callModel: (at, request, onPart, given = signal) =>
      callbacks.run('The model', () => callCustom(models[at] as CustomModel, request, onPart, given)),
    fetches: models.map((model) =>
      isCustom(model) || model.fetch == null ? undefined : ownFetch(model.fetch, callbacks),
    ),
    callTool: (name, args, id, given = signal) => callTool(name, args, id, given),
    emergencyRules: () => callbacks.run('The page', emergencyRules),
    piiRules: () => callbacks.run('The page', piiRules),
    explain: (address, headers) => whyUnreached(address, headers, signal),
  };
  if (prepareStep != null) {
    host.prepareStep = (state) =>
      callbacks.run('`prepareStep`', async () => {
        const prepared = await orAborted((async () => prepareStep(JSON.parse(state)))(), signal);
        return prepared == null ? undefined : stepJson(prepared);
      });
  }
  if (checkpoint != null) host.checkpoint = (run) => checkpoint(run);
  if (rerank != null) {
    host.rerank = (query, texts) =>
      callbacks.run('`rerank`', async () => {
        const parsed: string[] = JSON.parse(texts);
        const scores = await orAborted((async () => rerank(query, parsed, signal))(), signal);
        return checkedScores(scores, parsed.length);
      });
  }
  return host;
}

/** Guards the function against the ways in which one of somebody else's may fail. */
function ownFetch(fetch: NonNullable<LlmOptions['fetch']>, callbacks: Callbacks): NonNullable<LlmOptions['fetch']> {
  return (request) =>
    callbacks.run('`llm.fetch`', async () => {
      let response: unknown;
      try {
        response = await fetch(request);
      } catch (error) {
        if (error instanceof IbidError || request.signal.aborted) throw error;
        const message = `\`llm.fetch\` failed: ${messageOf(error)}`;
        throw new IbidError('network', message, { retryable: true, cause: error });
      }
      if (response instanceof Response) return response;
      throw new TypeError('It returned no `Response`.');
    });
}

interface HostParts {
  collections: Collections;
  callbacks: Callbacks;
  redactor: Redactor;
  signal: AbortSignal;
}

/** The core refuses what it does not know, with words that mean nothing to the function's author. */
function stepJson(prepared: PreparedStep): string {
  if (typeof prepared !== 'object') throw new TypeError('It returned no object.');
  const { model, tools, toolChoice, messages, system, ...unknown } = prepared;
  const [name] = Object.keys(unknown);
  if (name !== undefined) throw new TypeError(`It returned \`${name}\`, which cannot be changed.`);
  return JSON.stringify({ model, tools, toolChoice, messages, system });
}
