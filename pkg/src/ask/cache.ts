import { Lru } from './lru.js';
import type { Searched } from './searched.js';

const MOST_SEARCHES = 64;

/** The searches of one version of an index, with their results. */
interface Found {
  version: number;
  hits: Lru<string>;
}

const searches = new WeakMap<Searched, Found>();

/** Searches an index, or finds what the same search has found since the index last changed. */
export async function cachedFind(index: Searched, query: string, signal?: AbortSignal): Promise<string> {
  const before = foundIn(index);
  const kept = before.hits.get(query);
  if (kept !== undefined) return kept;
  const hits = await index.find(query, signal);
  // The index may have changed during the search, which may then have found either.
  if (before.version === index.version) before.hits.set(query, hits);
  return hits;
}

function foundIn(index: Searched): Found {
  const { version } = index;
  let found = searches.get(index);
  if (found?.version !== version) {
    found = { version, hits: new Lru(MOST_SEARCHES) };
    searches.set(index, found);
  }
  return found;
}
