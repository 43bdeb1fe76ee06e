import type { ProviderName } from '../remote/providers.js';

/** A JSON schema, as an object. */
export type JsonSchema = Record<string, unknown>;

export type { ProviderName } from '../remote/providers.js';

/** A language model behind HTTP, of a provider or on the user's own machine. */
export interface LlmOptions {
  /** The provider whose interface the server speaks. Default: `openai`, the Chat Completions that most servers speak. */
  provider?: ProviderName | undefined;
  /** The address where the interface begins, such as `https://api.openai.com/v1`, or a proxy of yours. Default: the provider's own. */
  baseURL?: string | URL | undefined;
  /** The model's name, as the provider spells it. */
  model: string;
  /**
   * The API key, or a function that gets one, called once per run. It is sent to `baseURL` and nowhere else, is not
   * kept after the run, and is cut out of errors and events. Default: none, for local servers and proxies.
   */
  apiKey?: string | (() => string | Promise<string>) | undefined;
  /** Further request headers. Default: none. */
  headers?: Record<string, string> | undefined;
  /** The sampling temperature. Default: 0.3. */
  temperature?: number | undefined;
  /** The share of likelihood, 0 to 1, that words are drawn from. Default: the provider's own. */
  topP?: number | undefined;
  /** The number of words the next is drawn from; not sent where the format has no such setting. Default: the provider's own. */
  topK?: number | undefined;
  /** Texts at which the model stops; not sent to Responses. Default: none. */
  stop?: readonly string[] | undefined;
  /** A number by which the same request gets the same reply, as far as the provider can. Default: none. */
  seed?: number | undefined;
  /** The most tokens the model may write per turn. Default: 2000. */
  maxTokens?: number | undefined;
  /** The effort that the model spends on thinking, if it can. Default: as the provider has it. */
  reasoning?: 'none' | 'low' | 'medium' | 'high' | undefined;
  /**
   * In milliseconds, how long a model call may take in all (`stepMs`, 300,000), how long its first piece may take
   * (`firstChunkMs`, 60,000, and on this machine as long as the call), and each further one (`idleMs`, 60,000). A
   * stream's comments and pings are no pieces. A call that takes longer is not made again.
   */
  timeouts?:
    | { stepMs?: number | undefined; firstChunkMs?: number | undefined; idleMs?: number | undefined }
    | undefined;
  /** The number of times a request that failed in a passing way is sent again. Default: 2. */
  maxRetries?: number | undefined;
  /** The wait before it is, in milliseconds, where the server does not say; doubled each time. Default: 2000. */
  retryDelay?: number | undefined;
  /**
   * Further fields of the request's JSON. Objects are merged into those that are there, and `null` takes out what would
   * be. Default: none.
   */
  extraBody?: Record<string, unknown> | undefined;
  /** True if Anthropic is asked to cache the prompt's beginning. Default: `true`. */
  cache?: boolean | undefined;
  /**
   * Called with a `Request` instead of the page's `fetch`, to sign it or to send it another way. Pass on its `signal` and
   * follow no redirect: the request may hold a key. Default: the page's `fetch`.
   */
  fetch?: ((request: Request) => Promise<Response>) | undefined;
}

/**
 * A model that is reached in any other way: one in the page, a browser's own, or one behind a library of yours. It may
 * be an object with an async generator:
 *
 * ```ts
 * const model: CustomModel = {
 *   name: 'echo',
 *   async *stream({ messages }) {
 *     yield `You said: ${messages.at(-1)?.content}`;
 *   },
 * };
 * ```
 *
 * `ibid/llm` has those for WebLLM and for Chrome's Prompt API.
 */
export interface CustomModel {
  /** The model's name, for `Answer.model`. */
  name: string;
  /**
   * Answers one request, part by part; a string is a piece of text. A stream that ends without a `finish` ended as it
   * should. Has to stop when the signal aborts; it is not waited for.
   */
  stream(
    request: ModelRequest,
    options: { signal: AbortSignal },
  ):
    | AsyncIterable<ModelPart | string>
    | Iterable<ModelPart | string>
    | Promise<AsyncIterable<ModelPart | string> | Iterable<ModelPart | string>>;
}

/** A request to a model. */
export interface ModelRequest {
  /** Another model than by default, where {@link AskOptions.prepareStep} says so. */
  model?: string;
  /** The conversation so far, the instructions first. */
  messages: ModelMessage[];
  /** The images that go with the last message of the user, as base64; not there if there are none. */
  images?: { mediaType: string; data: string }[];
  /** The tools that it may call; may be empty. */
  tools: { name: string; description: string; parameters: JsonSchema }[];
  /** True if it may call one, must, must not, or must call that one. */
  toolChoice: 'auto' | 'none' | 'required' | { tool: string };
  /** The schema that its text has to follow as JSON. */
  output?: { name: string; schema: JsonSchema };
}

/** One message of a conversation with a model. */
export type ModelMessage =
  | { role: 'system' | 'user'; content: string }
  | { role: 'assistant'; content: string; toolCalls?: ModelToolCall[]; echo?: unknown }
  | { role: 'tool'; callId: string; content: string; isError?: boolean };

/** A tool call that a model made; `arguments` are JSON as it wrote them. */
export interface ModelToolCall {
  id: string;
  name: string;
  arguments: string;
}

/** A part of what a model answers. */
export type ModelPart =
  | { type: 'text'; delta: string }
  /** Its thoughts, which are no part of the answer. */
  | { type: 'reasoning'; delta: string }
  /** A whole call, its arguments as JSON or as what JSON stands for. */
  | { type: 'tool-call'; id?: string | undefined; name: string; arguments: string | Record<string, unknown> }
  /** A page that the model found by means of its own. */
  | { type: 'source'; url: string; title?: string | undefined }
  | { type: 'usage'; usage: Usage }
  | { type: 'finish'; reason: FinishReason };

/** The reason why the model stopped. */
export type FinishReason = 'stop' | 'length' | 'tool-calls' | 'content-filter' | 'error';

/** The tokens of the run, as the provider counts them. */
export interface Usage {
  inputTokens: number;
  outputTokens: number;
  /** Both together, where the provider counts them itself. */
  totalTokens?: number;
  /** Those of the input that the provider had kept, which cost less. */
  cachedInputTokens?: number;
  /** Those of the output that the model thought. */
  reasoningTokens?: number;
}
