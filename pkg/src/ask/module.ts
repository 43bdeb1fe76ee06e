import type { WasmGlue } from '../engine.js';
import type { Answer, AskEvent } from './answer-types.js';
import type { ImageWire } from './images.js';
import type { LlmOptions } from './model-types.js';
import type { AskOptions, Tool } from './types.js';

/**
 * The boundary to the wasm module that answers questions, as `crates/web/src/ask` exports it. Written down here for the same
 * reasons as the engine's.
 */
export interface AskModule extends WasmGlue {
  /** Has the part of the module come that answers without a model do not run; all else is called after that. */
  complete(): Promise<void>;
  ask(
    question: string,
    options: AskWireOptions,
    host: AskHost,
    onEvent: (event: AskEvent) => void,
    signal?: AbortSignal,
  ): Promise<AskOutcome>;
  /** The blocks of an answer's text so far, as JSON; `knows` tells whether there is a source of a number. */
  partialTree(text: string, knows: (number: number) => boolean): string;
  /** An answer to its `Verification`, both as JSON; a long one is gone through in slices. */
  verify(answer: string): Promise<string>;
  /** An answer as JSON to its sources, in one of the formats. */
  bibliography(answer: string, format: string): string;
  /** Takes the rules for emergencies, before {@link inspect} looks for them; a run asks its host for them. */
  provideEmergencyRules(text: string): void;
  /** Takes the rules for personal data, before {@link redact} looks for them; a run asks its host for them. */
  providePiiRules(text: string): void;
  /** A question and its guard's options as JSON to a `Verdict` as JSON. */
  inspect(text: string, options: string): string;
  /** A text and `PiiOptions` as JSON to a `Redacted` as JSON. */
  redact(text: string, options: string): string;
  /** A record as JSON to the line of a log that follows the line with the hash `previous`. */
  auditLine(previous: string | undefined, record: string): string;
  /** The lines of a log, each ended, and the hash of one that has to be there, to an `AuditReport` as JSON. */
  auditCheck(lines: string, head?: string): string;
}

export interface AskOutcome {
  answer: Answer;
  /** The conversation with this question and answer, which only the module understands. */
  conversation: string;
  /** The record of the run as JSON, where it was asked for. */
  audit?: string;
}

/** The work of a run outside of the module. Texts are JSON in both directions. A function that is missing is never called. */
export interface AskHost {
  /** A query to hits, as an engine's {@link Engine.find}; of the first collection if none is named. */
  search(query: string, collection?: string, signal?: AbortSignal): Promise<string>;
  /** Has the custom model of that number, among {@link AskWireOptions.models}, answer a request. */
  callModel(at: number, request: string, onPart: (part: string) => void, signal?: AbortSignal): Promise<void>;
  /** The functions that are called instead of `fetch`, at the numbers of their models. */
  fetches: (LlmOptions['fetch'] | undefined)[];
  /** The text that a tool gives the model; the message of an error is one too. */
  callTool?(name: string, args: string, callId: string, signal?: AbortSignal): Promise<string>;
  /** The text of the rules for emergencies; called at most once, by a run that looks for them. */
  emergencyRules(): Promise<string>;
  /** The text of the rules for personal data; called at most once, by a run whose question leaves the page. */
  piiRules(): Promise<string>;
  prepareStep?(state: string): Promise<string | undefined>;
  /** Takes the run after each answer of a model or a tool. */
  checkpoint?(run: string): void;
  rerank?(query: string, texts: string): Promise<Float32Array>;
  /**
   * The reason why a request to this address, with headers of these names, got no response, as a hint for a person. Throws where
   * trying again does not help.
   */
  explain?(address: string, headers: readonly string[]): Promise<string>;
}

export type LlmWireOptions = Omit<LlmOptions, 'baseURL' | 'apiKey' | 'fetch' | 'maxRetries' | 'retryDelay'> & {
  baseURL?: string;
  apiKey?: string;
  retry?: { maxRetries?: number; initialDelayMs?: number };
};

/** Options of the page that the module has under other names, or not at all. */
type OfThePage =
  | 'llm'
  | 'search'
  | 'timeout'
  | 'prepareStep'
  | 'rerank'
  | 'images'
  | 'tools'
  | 'collections'
  | 'audit'
  | 'onApproval'
  | 'checkpoint'
  | 'signal';

/** Options of a run. No entry is ever `null` or `undefined`. */
export interface AskWireOptions extends Omit<AskOptions, OfThePage> {
  /** The models that answer, in the order in which they are asked: a provider's model, or a custom one by its name. */
  models?: ({ llm: LlmWireOptions } | { custom: string })[];
  /** The options of all searches: a query as JSON. */
  query?: string;
  timeoutMs?: number;
  prepareStep?: boolean;
  /** True if {@link AskHost.rerank} reranks. */
  rerank?: boolean;
  images?: ImageWire[];
  tools?: ToolWire[];
  collections?: CollectionWire[];
  history?: string;
  historyTokens?: number;
  conversationId?: string;
  /** True if {@link AskOutcome.audit} is wanted, which a failure carries as well, as its property `audit`. */
  audit?: boolean;
}

export interface ToolWire extends Pick<Tool, 'name' | 'description' | 'parameters' | 'readOnly'> {
  stage?: string[];
}

export interface CollectionWire {
  name: string;
  description?: string;
  fields?: FieldWire[];
  /** True if its searches leave the page; their queries go without personal data. */
  remote?: boolean;
}

/** A field that the model may filter by. */
export interface FieldWire {
  name: string;
  type: 'keyword' | 'number' | 'boolean' | 'date';
  /** All the values that it has. */
  values?: string[];
}
