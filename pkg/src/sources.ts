/** Bytes, or where to get them. A string is an address, relative to the page's. */
export type ByteSource = string | URL | Uint8Array | ArrayBuffer | Blob | Response;

/** A compiled module, or where to get it. */
export type WasmSource = string | URL | Uint8Array | ArrayBuffer | WebAssembly.Module | Response;

/** A collection that `ibid push` has filled, and the engine that has it. */
export type EngineSource =
  | { qdrant: CollectionAddress }
  | { chroma: CollectionAddress & { tenant?: string | undefined; database?: string | undefined } };

/** The place of a collection, and the way its engine is called. */
export interface CollectionAddress {
  /** The engine's address, or that of a proxy before it. */
  url: string | URL;
  /** The collection's name. Default: the last part of `url`. */
  collection?: string | undefined;
  /** A key, which readers of the page can see: give it one that only reads. Default: none. */
  apiKey?: string | undefined;
  /** Further headers of each request, as a proxy may want them. Default: none. */
  headers?: Record<string, string> | undefined;
  /** Milliseconds that an answer may take. Default: 30,000. */
  timeoutMs?: number | undefined;
}

/** Returns true if something to be searched is a collection of a search engine. */
export function isCollection(source: unknown): source is EngineSource {
  return typeof source === 'object' && source !== null && ('qdrant' in source || 'chroma' in source);
}
