import type { IbidError } from '../error.js';
import type { Facet } from '../search-types.js';
import type { IndexInfo } from '../types.js';

/** An index that was loaded, an {@link Ibid}, as options name it. */
export interface LoadedIndex {
  readonly info: IndexInfo;
  /** @internal The index as runs use it. */
  readonly searched: Searched;
}

/** An index as runs use it: what {@link Ibid} shows them and nobody else. The same object for as long as it lives. */
export interface Searched {
  readonly info: IndexInfo;
  /** Another number whenever the same search may find something else. */
  readonly version: number;
  /** True if searches send their queries out of the page. */
  readonly remote: boolean;
  /** A query to its hits, both as JSON that only the wasm modules understand. */
  find(query: string, signal?: AbortSignal): Promise<string>;
  facets(fields: readonly string[]): Promise<Facet[]>;
  /** The error that was thrown in the page, in place of the copy of it that came back through the wasm. */
  original(error: IbidError): IbidError;
}
