import type { ErrorCode } from './error.js';
import type { Calibration, DocumentPage, DocumentWarning, IndexInfo } from './types.js';

/**
 * Describes the boundary to the wasm module that `crates/web/src/search` exports. The declarations are written by hand, so
 * that this package type-checks before the module is built, and a change on either side shows.
 */
export interface Engine {
  info(): IndexInfo;
  /** A query to a `SearchResponse`, both as JSON. The signal is handed to the function that embeds. */
  search(query: string, signal?: AbortSignal): Promise<string>;
  /** The best candidates of a query, a list of numbers and texts as JSON, which a reranker is to score. */
  candidates(query: string, signal?: AbortSignal): Promise<string>;
  /** As {@link Engine.search}, with a reranker's scores of candidates. */
  searchScored(query: string, chunks: Uint32Array, scores: Float32Array, signal?: AbortSignal): Promise<string>;
  /** A query to its hits, both as JSON that only the wasm modules understand. */
  find(query: string, signal?: AbortSignal): Promise<string>;
  /** Fields and a filter (or `null`) to facets, all as JSON. */
  facets(fields: string, filter: string): Promise<string>;
  /** Fetches what suggestions and changes need. */
  directory(): Promise<void>;
  /** Titles and headings that begin so, as a JSON list. */
  suggest(prefix: string, limit: number): string;
  /** Options and what is nearest to a vector, as JSON. */
  nearest(vector: Float32Array, options: string): Promise<string>;
  /** Has queries embedded by a function from now on; by what the engine was opened with, if there is none. */
  embedBy(embed?: EmbedQuery): void;
  /** The language whose stemmer has to be given to {@link EngineModule.stemBy} before a search, if there is one. */
  wantedStemmer(): string | undefined;
  replace(offsets: Float64Array, pieces: Uint8Array[], whole: boolean): void;
  replaceTable(table: Uint8Array): void;
  attach(index: Uint8Array): void;
  remove(documentId: string): boolean;
  prefetch(table: boolean): Promise<void>;
  /** The file that was opened, without later changes; `undefined` if only pieces of it are here. */
  file(): Uint8Array | undefined;
  free(): void;
}

/**
 * Reads ranges of a file, start and end by turns; `null` after a call of {@link Engine.replace} or
 * {@link Engine.replaceTable}.
 */
export type PartReader = (part: 'index' | 'model', ranges: Float64Array) => Promise<Uint8Array[] | null>;

/**
 * Embeds a query: a vector of the index's dimensions, an empty one for a text without a token, or `null` where
 * the engine is to embed it.
 */
export type EmbedQuery = (text: string, signal?: AbortSignal) => Promise<Float32Array | null>;

/** A space of vectors, as the wasm modules read it; what no fingerprint is given for, gets one there. */
export interface ForeignSpace {
  name: string;
  dimensions: number;
  fingerprint?: string;
}

/** Functions that tell from a file's beginning which parts of it are needed. */
export interface FileLayouts {
  /** The number of bytes an index's header takes, by at least the first 64 bytes of the file. */
  headLength(head: Uint8Array): number;
  /** The ranges of an index that must be there before a search, start and end by turns. */
  neededRanges(head: Uint8Array): Float64Array;
  /** The language of an index whose stemmer is wanted, as far as the beginning of the file tells. */
  stemmerOf(head: Uint8Array): string | undefined;
  /** The number of bytes of a query table's beginning that a search needs, by at least the first 40. */
  tableHeadLength(head: Uint8Array): number;
}

/** The input of the module's initializer. */
export type WasmInput = URL | Response | BufferSource | WebAssembly.Module;

/** The generated JavaScript module around the wasm. */
export interface EngineModule extends FileLayouts, WasmGlue {
  /** Has the words of a language stemmed by a function of a word in lower case; its stop words lie between spaces. */
  stemBy(language: string, stem: (word: string) => string, stopWords: string): void;
  readonly Engine: {
    /** In place of a query table there may be the space that {@link Engine.embedBy} will have queries embedded in. */
    new (index: Uint8Array, table: Uint8Array | ForeignSpace): Engine;
    ofPieces(
      offsets: Float64Array,
      pieces: Uint8Array[],
      wholeIndex: boolean,
      table: Uint8Array | ForeignSpace,
      wholeTable: boolean,
      reader: PartReader,
    ): Engine;
  };
}

/** The part that every generated module has: its initializer. */
export interface WasmGlue {
  default(input?: { module_or_path: WasmInput }): Promise<unknown>;
}

/** The builder, which makes an index file of documents. */
export interface BuilderEngine {
  /** Adds a file. */
  add(source: string, bytes: Uint8Array, metadata: FileMetadata): void;
  /** Chunks the files that were added, and lets the documents agree on ids and types of fields. */
  settle(): SettledFiles;
  /** The number of texts that have still to be embedded. */
  readonly pending: number;
  /** Embeds the next texts, at most `limit`; returns how many those were. */
  embed(limit: number): number;
  /** The next texts that its caller has to embed, at most `limit`. */
  pendingTexts(limit: number): string[];
  /** Takes their vectors, one behind the other. */
  embedded(vectors: Float32Array): void;
  /** The language whose stemmer has to be given to {@link BuilderModule.stemBy} before it finishes, if there is one. */
  wantedStemmer(): string | undefined;
  /** The texts that its caller has to embed as queries before it can finish. */
  calibrationTexts(): string[];
  /** The index file, by the vectors of the texts for calibration. */
  finish(queries: Float32Array): Uint8Array<ArrayBuffer>;
  /** The reason why words alone rank in the index that was finished, if they do. */
  readonly wordsAlone: string | undefined;
  free(): void;
}

/** The outcome for the files that were added. */
interface SettledFiles {
  documents: string[];
  chunks: number;
  warnings: DocumentWarning[];
  /** Files that were left out, each with its code and message. */
  leftOut: [string, ErrorCode, string][];
  /** The text that most pages share, in a line. */
  shared?: string | null;
  /** True if no document has an address that its hits could lead to. */
  unlinked?: boolean;
}

/** Metadata of a file's documents from elsewhere. */
interface FileMetadata {
  sidecar?: [name: string, content: string];
  fields?: [name: string, value: string][];
  page?: DocumentPage;
}

export interface BuilderWireOptions {
  chunking?: Record<string, unknown>;
  calibration?: Calibration;
  language?: string;
}

/** The generated JavaScript module around the wasm that builds indexes. */
export interface BuilderModule extends WasmGlue {
  readonly Builder: {
    new (options: BuilderWireOptions, table: Uint8Array): BuilderEngine;
    byTransformer(options: BuilderWireOptions, table: Uint8Array, encoder: QueryEncoderEngine): BuilderEngine;
    byCaller(options: BuilderWireOptions, space: ForeignSpace): BuilderEngine;
    /** An index file with changes in order: index files that are added, and ids of documents that are removed. */
    ofIndex(index: Uint8Array, changes: (Uint8Array | string)[]): BuilderEngine;
  };
  readonly QueryEncoder: new (model: Uint8Array, projection: Uint8Array) => QueryEncoderEngine;
  stemBy: EngineModule['stemBy'];
}

/** The transformer with its projection. */
export interface QueryEncoderEngine {
  space(): ForeignSpace;
  /** The vectors of texts, one behind the other; zeros for a text without a token. */
  embed(texts: string[], task: 'query' | 'document'): Float32Array<ArrayBuffer>;
  free(): void;
}
