import type { ErrorCode } from './error.js';
import type { Answer, AskEvent, Calibration, Hit, IndexInfo } from './types.js';

/**
 * The boundary to the wasm module, as `src/web/` exports it. It is written down here, not taken from the generated
 * declarations, so that this package type-checks before the module is built, and a change on either side shows.
 */
export interface Engine {
  info(): IndexInfo;
  search(query: string, options: SearchWireOptions): Promise<Hit[]>;
  ask(
    question: string,
    options: AskWireOptions,
    onEvent: (event: AskEvent) => void,
    signal?: AbortSignal,
  ): Promise<Answer>;
  replace(offsets: Float64Array, pieces: Uint8Array[]): void;
  attach(index: Uint8Array): void;
  remove(documentId: string): boolean;
  complete(): Promise<void>;
  toBytes(): Uint8Array;
  free(): void;
}

/** Reads ranges of the index's file, start and end by turns; `null` after a call of {@link Engine.replace}. */
export type IndexReader = (ranges: Float64Array) => Promise<Uint8Array[] | null>;

/** What tells from a file's beginning which parts of it are needed. */
export interface IndexLayout {
  /** How many bytes the header takes, by at least the first 64 bytes of the file. */
  headLength(head: Uint8Array): number;
  /** Which ranges a search needs, start and end by turns. */
  neededRanges(head: Uint8Array): Float64Array;
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
export interface EngineModule extends IndexLayout, WasmGlue {
  readonly Engine: {
    new (index: Uint8Array, table: Uint8Array): Engine;
    ofPieces(offsets: Float64Array, pieces: Uint8Array[], table: Uint8Array, reader: IndexReader): Engine;
  };
}

/** What every generated module has: its initializer. */
export interface WasmGlue {
  default(input?: { module_or_path: WasmInput }): Promise<unknown>;
}

/** What makes an index file of documents. */
export interface BuilderEngine {
  /** Adds a file: its documents' ids, the number of their chunks, and what was passed over. */
  add(source: string, bytes: Uint8Array, metadata: FileMetadata): AddedFile;
  /** How many texts have still to be embedded. */
  readonly pending: number;
  /** Embeds the next texts, at most `limit`; returns how many those were. */
  embed(limit: number): number;
  finish(): Uint8Array<ArrayBuffer>;
  free(): void;
}

/** What became of a file. */
export interface AddedFile {
  documents: string[];
  chunks: number;
  warnings: string[];
  /** Documents in an archive that could not be read. */
  leftOut: { code: ErrorCode; message: string }[];
}

/** What is known about a file's documents from elsewhere. */
export interface FileMetadata {
  sidecar?: [name: string, content: string];
  fields?: [name: string, value: string][];
}

export interface BuilderWireOptions {
  chunking?: Record<string, unknown>;
  calibration?: Calibration;
}

/** The generated JavaScript module around the wasm that builds indexes. */
export interface BuilderModule extends WasmGlue {
  readonly Builder: new (
    options: BuilderWireOptions,
    table: Uint8Array,
    model?: Uint8Array,
    projection?: Uint8Array,
  ) => BuilderEngine;
  importModel(name: string, config: Uint8Array, vocab: Uint8Array, weights: Uint8Array): Uint8Array;
}
