import type { Embedder, QueryEncoderKind, TransformerOptions } from './encoder/types.js';
import type { ErrorCode, IbidError } from './error.js';
import type { FieldType } from './search-types.js';
import type { ByteSource, EngineSource, WasmSource } from './sources.js';

/**
 * The description of the loaded index, as `Ibid.info` has it. For a collection of a search engine, counts that only a file has are 0,
 * and its lists and objects are empty.
 */
export interface IndexInfo {
  /** The search engine, if it is a collection; an index has none. */
  engine?: 'qdrant' | 'chroma';
  /** The version of the index file's format. */
  formatVersion: number;
  /** The program and version that wrote the index. */
  generator: string;
  /** The number of documents the index was built from. */
  documents: number;
  /** The number of sections, a heading and the text under it, those documents have. */
  sections: number;
  /** The number of chunks, the passages that are found and cited, the sections were cut into. */
  chunks: number;
  /** The number of dimensions of the embeddings. */
  dimensions: number;
  /** The model that embedded the documents. */
  model: string;
  /** Identifies the embedding space; an index opens only with a query table of the same fingerprint. */
  fingerprint: string;
  /**
   * The encoder of the documents; `table` if it embedded some of them. `null` for a collection, which does not say
   * it.
   */
  encoder: Encoder | null;
  /** Similarities in this index, measured when it was built. */
  calibration: Calibration;
  /** The way its documents were chunked. */
  chunking: ChunkingOptions;
  /** The fields of the documents' metadata, in the order of their names, each with the number of its different values. */
  fields: { name: string; type: FieldType; values: number }[];
  /** The analysis of words: the language that they are stemmed in, or `none`. */
  language: string;
  /** The reason why words alone rank by default, for a person; `null` if vectors rank as well. */
  wordsAlone: string | null;
  /** The pages that the index's author names for a start, or sections of them, by their `anchor`. */
  popular?: { title: string; url: string | null; source: string; anchor: string | null }[];
  /** The size in bytes of the file that was opened. */
  bytes: number;
  /** The bytes of each kind of section in it, by the four letters of its name. */
  layout: Record<string, number>;
  /** The encoder of queries at present; see {@link LoadOptions.queryEncoder}. */
  queryEncoder: QueryEncoderKind;
  /** The reason why that is the table although the transformer was to take its place. */
  queryEncoderFailure?: IbidError;
}

/**
 * The encoder of documents: a transformer, the token table that queries are embedded by as well, or an
 * {@link Embedder}.
 */
export type Encoder = 'transformer' | 'table' | 'embedder';

/** Similarities in an index, measured with questions made of its own text; all 0 if nothing was measured. */
export interface Calibration {
  /** The mean cosine of a question and a random passage. */
  unrelated: number;
  /** The median cosine of a question and the passage that is nearest to it. */
  near: number;
  /** The share of pairs in which a question is nearer to the passage it was made of than to a random one, 0 to 1. */
  separation: number;
  /** The clusters of vectors that a search compares. */
  probes: number;
  /** The share of the ten nearest passages that this number of clusters finds, 0 to 1. */
  recall: number;
}

/** The way documents are cut into chunks. A token is four characters. */
export interface ChunkingOptions {
  /** The most tokens that a chunk may have with its heading path, 16 to 32,768. Default: 180. */
  budget?: number | undefined;
  /** Merge sections smaller than this many tokens with tiny neighbours; 0 merges nothing. Default: 64. */
  minSize?: number | undefined;
  /** The number of sentences that the next chunk of a section repeats, at most 16. Default: 0. */
  overlap?: number | undefined;
}

export type { ByteSource, CollectionAddress, EngineSource } from './sources.js';

/** The progress of a download. */
export interface LoadProgress {
  /** The file: the index, the query table (`model`), or the packed transformer. */
  part: 'index' | 'model' | 'transformer';
  /** Bytes so far. */
  loaded: number;
  /** Bytes in all, or `null` if the server does not say. */
  total: number | null;
}

/** Options of `Ibid.load`. */
export interface LoadOptions {
  /**
   * The `.ibid` file, its address, or that of its folder with a slash at the end; in Node also a path. Or a collection of
   * a search engine, see `docs/large-collections.md`.
   */
  index: ByteSource | EngineSource;
  /** The query table, or its address. Default: `ibid/query-table.bin` next to the index, where a build puts it. */
  model?: ByteSource | undefined;
  /**
   * The compiled module, or its address: `wasm/ibid_whole.wasm`. Default: its first part, `wasm/ibid_bg.wasm` next to this
   * module, and `wasm/ibid_rest.wasm` when a change or a rare option needs it. The module is loaded once per page and
   * shared: once that has succeeded, this option has no effect.
   */
  wasm?: WasmSource | undefined;
  /**
   * The same for the compiled module that answers questions, which the first `Ibid.ask` loads: `wasm/ibid_ask_whole.wasm`.
   * Default: its first part, `wasm/ibid_ask_bg.wasm` next to this module, and `wasm/ibid_ask_rest.wasm` when a model or
   * options need it.
   */
  askWasm?: LoadOptions['wasm'];
  /**
   * The same for the compiled module that searches collections, which is loaded only for those. Default:
   * `wasm/ibid_engines_bg.wasm` next to this module.
   */
  enginesWasm?: LoadOptions['wasm'];
  /**
   * The same for the compiled module that stems words in the index's language. An index in English needs none. Default:
   * `wasm/stem_de_bg.wasm` for German, and so on, next to this module.
   */
  stemmer?: LoadOptions['wasm'];
  /**
   * True if index and query table at `http:` or `https:` addresses are fetched in parts: first what the first search
   * needs, then what {@link LoadOptions.prefetch} says, and the text of hits. Where the server does not serve parts, they
   * are fetched whole all the same. Default: `true`.
   */
  range?: boolean | undefined;
  /**
   * The time when the page fetches what later searches may need. `idle`: all words and clusters of an index of at most 2 MB,
   * once a visitor has searched for two things and the page has nothing else to do. Of a larger index, and for visitors whose
   * browser saves data, it fetches what searches touch. `now`: as soon as the index is open, whatever its size, with all of the
   * query table.
   * `never`: when `Ibid.prefetch` is called. Default: `idle`.
   */
  prefetch?: 'idle' | 'now' | 'never' | undefined;
  /**
   * Keeps the parts that were fetched in the Cache API (`cache`) or the origin private file system (`opfs`), so that a
   * later visit only asks whether they are still current. What cannot be kept, for want of room or of support, is
   * fetched again. Takes effect only on files that are fetched in parts. Default: nothing is kept.
   */
  persist?: 'cache' | 'opfs' | undefined;
  /**
   * The encoder of queries. `table`: a token table, 4.6 MB and microseconds a query. `transformer`: the model that
   * embedded the documents, 12 MB for English or 80, and milliseconds, which is better across languages; loading waits for
   * it and needs no table. `auto`: the table at first, and the transformer from when it has been loaded in the background. Or an {@link Embedder}, for an index that was
   * built with it. Default: `table`.
   */
  queryEncoder?: 'table' | 'transformer' | 'auto' | Embedder | undefined;
  /** The packed transformer, or its address, or more about it; `transformer` and `auto` need it. Default: none. */
  transformer?: ByteSource | TransformerOptions | undefined;
  /**
   * Called when another encoder embeds queries than before: with `auto`, when the transformer has been loaded, or when it
   * failed, with the failure. Default: none.
   */
  onQueryEncoder?: ((encoder: QueryEncoderKind, failure?: IbidError) => void) | undefined;
  /** Gives up loading. Default: none. */
  signal?: AbortSignal | undefined;
  /** Called as index and query table, as much of them as is needed, come in; not for what is prefetched. Default: none. */
  onProgress?: ((progress: LoadProgress) => void) | undefined;
}

/** A document to be put into an index. */
export interface DocumentInput {
  /** Its file's name, with `/` between folders; the ending tells the format. */
  source: string;
  /** The file's content; a string stands for its UTF-8 bytes. */
  content: string | Uint8Array | ArrayBuffer | Blob;
  /** Fields of the metadata by name, stronger than what the file says of itself; several keywords with commas between. */
  metadata?: Record<string, string> | undefined;
  /** A file next to the document that holds metadata: its name, which ends like `.meta.yaml`, and its text. */
  sidecar?: { name: string; content: string } | undefined;
  /** The page that a site generator makes of the document, which hits then link to. Default: none. */
  page?: DocumentPage | undefined;
}

/** A page of a site, and what its address follows from. */
export interface DocumentPage {
  /** The path of the document's file, from the folder of the site's content on. */
  path: string;
  /** The generator: `vitepress`, `docusaurus`, `starlight`, `mkdocs`, `sphinx`, `mdbook`, `hugo` or `jekyll`. */
  site?: string | undefined;
  /** The text of the generator's configuration. */
  configuration?: string | undefined;
  /** The address that pages are below. Default: what the configuration says, else `/`. */
  baseUrl?: string | undefined;
}

/** The progress of adding documents. */
export interface AddProgress {
  /** `chunk`: documents are read and cut. `embed`: their chunks are embedded. */
  phase: 'chunk' | 'embed';
  /** Documents or chunks so far. */
  done: number;
  /** Documents or chunks in all. */
  total: number;
}

/** Options of `Ibid.add`. */
export interface AddOptions {
  /**
   * A packed transformer (an `.ibidmodel` file) to embed the documents by. Default: what embeds the index's queries,
   * {@link IndexInfo.queryEncoder}. The query table is quick and needs no download, but finds long passages less well.
   */
  model?: ByteSource | undefined;
  /** The projection of the transformer. Default: `projection.bin` next to it. */
  projection?: ByteSource | undefined;
  /** Chunking options that are to differ from the index's own, {@link IndexInfo.chunking}. Default: none. */
  chunking?: ChunkingOptions | undefined;
  /** The compiled builder, or its address. Default: `wasm/ibid_build_bg.wasm` next to this module. */
  wasm?: LoadOptions['wasm'];
  /** The compiled stemmer of the index's language, as {@link LoadOptions.stemmer}. */
  stemmer?: LoadOptions['stemmer'];
  /**
   * Starts the module worker that does the work, or `false` for doing it in slices on this thread. Default: a worker
   * from `worker.js` next to this module; if none can be started, as above. A loaded transformer works
   * where it is, and an {@link Embedder} on this thread.
   */
  worker?: (() => Worker) | false | undefined;
  /** Gives up; the index is then as before. Default: none. */
  signal?: AbortSignal | undefined;
  /** Called as the work goes on. Default: none. */
  onProgress?: ((progress: AddProgress) => void) | undefined;
}

/** A document that was left out. */
export interface SkippedDocument {
  source: string;
  /** The code of the error, such as `invalid-document`. */
  code: ErrorCode;
  message: string;
}

/** Something in a document that was passed over, or read otherwise than it is written. */
export interface DocumentWarning {
  source: string;
  /** The kind of warning, in the same words for all documents. */
  kind: string;
  /** The whole of it, in words for a person. */
  message: string;
}

/** The outcome for the documents that were to be added. */
export interface AddReport {
  /** The ids of those that are in the index now, by which they can be removed. */
  documents: string[];
  /** The number of chunks they have. */
  chunks: number;
  /** The number of texts that had to be embedded: chunks that occur more than once count once. */
  embedded: number;
  /** Those that were left out, and why. */
  skipped: SkippedDocument[];
  /** Warnings of what was passed over in documents, and on what they had to agree. */
  warnings: DocumentWarning[];
  /** The text left out of pages in HTML since most of them share it, in a line for a person. */
  shared?: string;
  /** True if no document has an address that its hits could lead to: {@link DocumentInput.page} gives it one. */
  unlinked?: boolean;
}
