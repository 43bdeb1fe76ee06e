import type { WasmGlue } from '../engine.js';
import type { Answer, AskEvent, Policy } from './answer-types.js';
import type { JsonSchema, LlmOptions } from './model-types.js';
import type { Prompts, Stages, StopCondition } from './types.js';

/**
 * The boundary to the wasm module that answers questions, as `src/web/ask/` exports it. Written down here for the same
 * reasons as the engine's.
 */
export interface AskModule extends WasmGlue {
  ask(
    question: string,
    options: AskWireOptions,
    host: AskHost,
    onEvent: (event: AskEvent) => void,
    signal?: AbortSignal,
  ): Promise<AskOutcome>;
}

export interface AskOutcome {
  answer: Answer;
  /** The conversation with this question and answer, which only the module understands. */
  conversation: string;
}

/** What a run does outside of the module. Texts are JSON in both directions. A function that is missing is never called. */
export interface AskHost {
  /** A query to hits, as an engine's {@link Engine.find}; of the first collection where none is named. */
  search(query: string, collection?: string, signal?: AbortSignal): Promise<string>;
  /** Has a custom model answer a request. */
  callModel?(request: string, onPart: (part: string) => void, signal?: AbortSignal): Promise<void>;
  /** The text that a tool gives the model; the message of an error is one too. */
  callTool?(name: string, args: string, callId: string, signal?: AbortSignal): Promise<string>;
  prepareStep?(state: string): Promise<string | undefined>;
  shouldStop?(state: string): Promise<boolean>;
  rerank?(query: string, texts: string): Promise<Float32Array>;
  /** Why a request to this address got no response, as a hint for a person. */
  explain?(address: string): Promise<string>;
}

export type LlmWireOptions = Pick<
  LlmOptions,
  | 'provider'
  | 'model'
  | 'headers'
  | 'temperature'
  | 'maxTokens'
  | 'reasoning'
  | 'timeouts'
  | 'maxResponseBytes'
  | 'structuredOutput'
  | 'extraBody'
  | 'streamUsage'
  | 'cache'
> & {
  baseURL?: string;
  apiKey?: string;
  retry?: { maxRetries?: number; initialDelayMs?: number };
};

/** Options of a run. No entry is ever `null` or `undefined`. */
export interface AskWireOptions {
  policy?: Policy;
  llm?: LlmWireOptions;
  /** The name of a model that {@link AskHost.callModel} calls. */
  customModel?: string;
  maxTurns?: number;
  maxSearches?: number;
  maxSteps?: number;
  limit?: number;
  threshold?: number;
  /** What all searches have in common: a query as JSON. */
  query?: string;
  timeoutMs?: number;
  stopWhen?: StopCondition;
  stopFunction?: boolean;
  prepareStep?: boolean;
  /** Whether {@link AskHost.rerank} is asked. */
  rerank?: boolean;
  budget?: { tokens?: number; cost?: number };
  prices?: Record<string, { input: number; output: number; cachedInput?: number }>;
  enhance?: { rewrite?: boolean; abbreviations?: Record<string, string> };
  evaluateTool?: boolean;
  doneTool?: boolean;
  bareToolCalls?: boolean;
  output?: { name?: string; schema: JsonSchema };
  prompts?: Prompts;
  tools?: ToolWire[];
  allowedTools?: string[];
  collections?: CollectionWire[];
  stages?: Stages;
  history?: string;
  historyTokens?: number;
  conversationId?: string;
}

export interface ToolWire {
  name: string;
  description: string;
  parameters: JsonSchema;
  readOnly?: boolean;
  stage?: string[];
}

export interface CollectionWire {
  name: string;
  description?: string;
  fields?: FieldWire[];
}

/** A field that the model may filter by. */
export interface FieldWire {
  name: string;
  type: 'keyword' | 'number' | 'boolean' | 'date';
  /** All the values that it has. */
  values?: string[];
}
