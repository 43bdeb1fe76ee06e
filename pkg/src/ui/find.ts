/** The searches of a search box: by words while letters come, then by vectors too. */
import type { Ibid } from '../ibid.js';
import type { PageHits, SearchOptions } from '../search-types.js';
import { joined } from './pages.js';
import type { AnyIbid, Choice, Found } from './types.js';

/** The pages that are shown at once, and the most passages of each. */
export const LIMIT = 8;
const OF_A_PAGE = 4;
/** The pages that are shown while letters come, with a passage each. */
const TYPED = 5;
/** The least relevance of a passage that counts as relevant. */
export const RELEVANT = 0.5;
/** The pages that are shown in any case, and the passages of each. */
const NEAREST = 3;
const NEAREST_OF_PAGE = 2;

/** The detail of the event `ibid-query`. */
export interface QueryDetail {
  /** The query without addresses and long numbers. */
  query: string;
  hits: number;
}

/** The detail of the event `ibid-click`. */
export interface ClickDetail extends QueryDetail {
  /** The address that is opened, `null` if the passage is shown in place. */
  href: string | null;
  /** The place among the results, from 1. */
  rank: number;
}

/** Finds pages by words and vectors. */
async function find(ibid: Ibid, query: string, shared: SearchOptions, offset: number, limit: number): Promise<Found> {
  const options = { ...shared, limit, offset, group: OF_A_PAGE, minRelevance: RELEVANT };
  const found = await ibid.query(query, options);
  const { pages = [] } = found;
  // The nearest are shown in any case, and more only where it counts as relevant: each hit's text has to be fetched.
  if (query === '' || shared.sort || offset > 0 || pages.length >= NEAREST) return { ...found, pages };
  const anyway = { ...options, limit: NEAREST, group: NEAREST_OF_PAGE, minRelevance: 0 };
  const { pages: nearest = [] } = await ibid.query(query, anyway);
  return { ...found, pages: joined(nearest, pages, limit) };
}

/** Finds pages by words alone, beginnings of words among them: in a round of requests or two. */
async function findWords(ibid: Ibid, query: string, shared: SearchOptions, limit: number): Promise<Found> {
  const found = await ibid.query(query, { ...shared, limit, group: 1 });
  return { ...found, pages: found.pages ?? [] };
}

/** New results of the same query; the pages that are shown stay where they are up to the one with what was chosen. */
export function refined(
  shown: readonly PageHits[],
  pages: PageHits[],
  chosen: { documentId: string } | undefined,
): PageHits[] {
  const end = shown.findIndex(({ documentId }) => documentId === chosen?.documentId) + 1;
  const kept = shown.slice(0, end);
  return [...kept, ...pages.filter((page) => !kept.some(({ documentId }) => documentId === page.documentId))];
}

/** The options of the searches of an index, the choices once these are known, and true if results stand by index. */
interface Asked {
  optionsOf(ibid: Ibid): Promise<SearchOptions>;
  chosen(): Choice | undefined;
  isGrouped: boolean;
}

/**
 * Finds pages by words and vectors, for letters that are still `typed` by words alone. Without a query it lists pages, or
 * counts the values of `facets`.
 */
export async function findIn(
  ibid: AnyIbid,
  query: string,
  asked: Asked,
  offset: number | 'typed' | 'facets',
): Promise<Found> {
  const from = typeof offset === 'number' ? offset : 0;
  const search = async (one: Ibid, first: number, limit: number): Promise<Found> => {
    const { filter, ...shared } = await asked.optionsOf(one);
    // All documents are listed where nothing says which.
    const options = { ...shared, filter: filter ?? (query === '' ? { and: [] } : undefined) };
    if (offset === 'typed') options.mode = 'lexical';
    const found = await (offset === from
      ? find(one, query, options, first, limit)
      : findWords(one, query, options, offset === 'typed' ? TYPED : 1));
    return (await asked.chosen()?.recounted(one, query, options, found)) ?? found;
  };
  if (!('each' in ibid)) return await search(ibid, from, LIMIT);
  const { findInAll } = await import('./several.js');
  return await findInAll(ibid, (one, limit) => search(one, 0, limit), asked, [from, LIMIT]);
}
