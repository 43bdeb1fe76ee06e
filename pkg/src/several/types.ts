import type { LoadedIndex } from '../ask/searched.js';
import type { IbidError } from '../error.js';
import type { SearchOptions, SearchResponse } from '../search-types.js';
import type { ByteSource, LoadOptions } from '../types.js';

/** An open index, an {@link Ibid}. */
export interface OpenIndex extends LoadedIndex {
  query(query: string, options?: SearchOptions): Promise<SearchResponse>;
  free(): void;
}

/** One of several indexes. */
export interface NamedIndex {
  /** The index or its address, as of {@link LoadOptions.index}. */
  index: ByteSource;
  /** The name for readers. Default: the last part of the address that is not `site.ibid`. */
  name?: string | undefined;
  /** The factor of its relevance when results are ranked, above 0. Default: 1. */
  weight?: number | undefined;
}

/** Options of `Ibid.load` for several indexes. */
export interface LoadSetOptions extends Omit<LoadOptions, 'index'> {
  /** The indexes, at least one. The other options are those of each. */
  indexes: readonly (string | URL | NamedIndex)[];
}

/** An index that did not answer a search. */
export interface SilentIndex {
  name: string;
  /** The reason; none if it was still at it after two seconds. */
  error?: IbidError | undefined;
}

/** The result of a search of several indexes. */
export interface SetResponse extends SearchResponse {
  /** The indexes that did not answer; the others' hits are there. */
  silent: SilentIndex[];
}
