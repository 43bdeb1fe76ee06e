import type { Answer, AskEvent, Hit, IndexInfo } from './types.js';

/**
 * The boundary to the wasm module, as `src/web/` exports it. It is written down here, not taken from the generated
 * declarations, so that this package type-checks before the module is built, and a change on either side shows.
 */
export interface Engine {
  info(): IndexInfo;
  search(query: string, options: SearchWireOptions): Hit[];
  ask(
    question: string,
    options: AskWireOptions,
    onEvent: (event: AskEvent) => void,
    signal?: AbortSignal,
  ): Promise<Answer>;
  free(): void;
}

export interface SearchWireOptions {
  limit?: number;
  threshold?: number;
}

export interface LlmWireOptions {
  baseURL: string;
  model: string;
  apiKey?: string;
  headers?: Record<string, string>;
  temperature?: number;
  maxTokens?: number;
  retry?: { maxRetries: number };
}

export interface AskWireOptions extends SearchWireOptions {
  llm?: LlmWireOptions;
  maxTurns?: number;
  maxSearches?: number;
}

/** What the module's initializer takes. */
export type WasmInput = URL | Response | BufferSource | WebAssembly.Module;

/** The generated JavaScript module around the wasm. */
export interface EngineModule {
  default(input?: { module_or_path: WasmInput }): Promise<unknown>;
  readonly Engine: new (index: Uint8Array, table: Uint8Array) => Engine;
}
