import type { Ibid } from '../ibid.js';
import type { PageHits, SearchOptions, SearchResponse } from '../search-types.js';
import type { IbidSet } from '../several/set.js';
import type { SilentIndex } from '../several/types.js';

/** An index, or several that are searched as one. */
export type AnyIbid = Ibid | IbidSet<Ibid>;

/** The result of a search, by page, and of several indexes those that did not answer. */
export type Found = SearchResponse & { pages: PageHits[]; silent?: SilentIndex[] };

/** The chosen values of each field. */
export type Chosen = Map<string, Set<string | number | boolean>>;

/** The choices that go for all indexes: values, and the field to sort by. */
export interface Choice {
  values: Chosen;
  sort: string | undefined;
  /** Counts the values of chosen fields as if none of their own were chosen. */
  recounted(ibid: Ibid, query: string, options: SearchOptions, found: Found): Promise<Found>;
}
