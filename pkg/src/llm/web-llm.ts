import type { CustomModel, ModelPart, ModelRequest } from '../ask/model-types.js';
import { IbidError } from '../error.js';
import { prompted } from './prompted.js';
import { TextParts } from './text-parts.js';

/** The members used of WebLLM's engines, those of `@mlc-ai/web-llm` in the page, in a worker or in a service worker. */
export interface WebLlmEngine {
  readonly chat: { readonly completions: { create(request: WebLlmRequest): Promise<AsyncIterable<WebLlmChunk>> } };
  interruptGenerate(): unknown;
}

/** The request that the engine is sent. */
export interface WebLlmRequest {
  messages: { role: 'system' | 'user' | 'assistant'; content: string }[];
  stream: true;
  stream_options: { include_usage: true };
  temperature?: number;
  max_tokens?: number;
  model?: string;
  response_format?: { type: 'json_object'; schema: string };
  extra_body?: { enable_thinking: boolean };
}

/** The members read of the chunks that it answers with. */
export interface WebLlmChunk {
  choices: { delta: { content?: string | null }; finish_reason: string | null }[];
  usage?: { prompt_tokens: number; completion_tokens: number; total_tokens: number } | null;
}

/** Options of {@link webLlm}. */
export interface WebLlmOptions {
  /** The name for `Answer.model`, and which of the models to use where the engine has loaded several. */
  model?: string | undefined;
  /** The sampling temperature. Default: the model's own. */
  temperature?: number | undefined;
  /** The most tokens that it may write per turn. Default: 2000. */
  maxTokens?: number | undefined;
  /** True if models that can think do, such as Qwen 3. Default: the model's own. */
  thinking?: boolean | undefined;
}

/**
 * Wraps a model that WebLLM runs in the page by WebGPU. Load it first, which takes a download of gigabytes the first
 * time:
 *
 * ```ts
 * import { CreateMLCEngine } from '@mlc-ai/web-llm';
 *
 * const name = 'Qwen3-4B-q4f16_1-MLC';
 * const llm = webLlm(await CreateMLCEngine(name), { model: name });
 * const answer = await ibid.ask('What is the dose?', { llm });
 * ```
 *
 * The engine's own tools work with a handful of models and without instructions, so they are not used: tools are
 * described in the instructions. An engine answers one request at a time.
 */
export function webLlm(engine: WebLlmEngine, options: WebLlmOptions = {}): CustomModel {
  return {
    name: options.model ?? 'webllm',
    stream: (request, { signal }) => streamed(engine, options, request, signal),
  };
}

async function* streamed(
  engine: WebLlmEngine,
  options: WebLlmOptions,
  request: ModelRequest,
  signal: AbortSignal,
): AsyncGenerator<ModelPart> {
  signal.throwIfAborted();
  const interrupt = () => void engine.interruptGenerate();
  signal.addEventListener('abort', interrupt, { once: true });
  try {
    const text = new TextParts(request);
    let finish: string | null = null;
    for await (const { choices, usage } of await engine.chat.completions.create(wire(request, options))) {
      const [choice] = choices;
      if (choice?.delta.content) yield* text.push(choice.delta.content);
      finish = choice?.finish_reason ?? finish;
      if (!usage) continue;
      const { prompt_tokens: inputTokens, completion_tokens: outputTokens, total_tokens: totalTokens } = usage;
      yield { type: 'usage', usage: { inputTokens, outputTokens, totalTokens } };
    }
    signal.throwIfAborted();
    const rest = text.end(finish === 'stop');
    yield* rest;
    const called = rest.some(({ type }) => type === 'tool-call');
    yield {
      type: 'finish',
      reason: called ? 'tool-calls' : finish === 'length' ? 'length' : finish === 'stop' ? 'stop' : 'error',
    };
  } catch (error) {
    throw signal.aborted ? error : known(error);
  } finally {
    signal.removeEventListener('abort', interrupt);
  }
}

function wire(request: ModelRequest, options: WebLlmOptions): WebLlmRequest {
  const { messages, schema } = prompted(request);
  const model = request.model ?? options.model;
  return {
    messages,
    stream: true,
    stream_options: { include_usage: true },
    max_tokens: options.maxTokens ?? 2000,
    ...(options.temperature !== undefined && { temperature: options.temperature }),
    ...(model !== undefined && { model }),
    ...(schema && { response_format: { type: 'json_object', schema: JSON.stringify(schema) } }),
    ...(options.thinking !== undefined && { extra_body: { enable_thinking: options.thinking } }),
  };
}

function known(error: unknown): unknown {
  if (error instanceof IbidError) return error;
  const { name = '', message = String(error) } = error instanceof Error ? error : {};
  if (name === 'ContextWindowSizeExceededError' || /exceed context window size/i.test(message)) {
    return new IbidError('context-length', "The question does not fit the model's context window.", {
      hint: 'Load the model with a larger `context_window_size`, or lower `limit`.',
      cause: error,
    });
  }
  if (/^ModelNotLoaded|^SpecifiedModelNotFound/.test(name) || /model not loaded/i.test(message)) {
    return new IbidError('provider-not-found', `WebLLM has not loaded the model: ${message}`, { cause: error });
  }
  if (/^(DeviceLost|WebGPUNotAvailable|WebGPUNotFound)/.test(name)) {
    return new IbidError('provider-request', `WebLLM cannot use the graphics processor: ${message}`, {
      hint: 'A smaller model may fit; load the engine again.',
      cause: error,
    });
  }
  return error;
}
