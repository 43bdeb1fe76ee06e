import type { Facet, Hit, HitIndex, PageHits, SearchResponse } from '../search-types.js';

/** The result of an index, and the factor of its relevance. */
export interface Weighted {
  found: SearchResponse;
  weight: number;
}

/**
 * Merges lists that are each in their order by relevance times weight. An item is worth what the best behind it is worth,
 * since its index ranks it above that: no list changes its order.
 */
function merged<T>(lists: readonly { items: readonly T[]; weight: number }[], relevance: (item: T) => number): T[] {
  const valued = lists.flatMap(({ items, weight }) => {
    let best = 0;
    return [...items]
      .reverse()
      .map((item) => {
        best = Math.max(best, relevance(item) * weight);
        return { item, value: best };
      })
      .reverse();
  });
  return valued.sort((one, other) => other.value - one.value).map(({ item }) => item);
}

const ofPage = ({ hits }: PageHits) => Math.max(0, ...hits.map(({ relevance }) => relevance));

/** Merges what several indexes have found, from `offset` on, in the order that is given; by default by relevance. */
export function mergedResponses(
  answers: readonly Weighted[],
  offset: number,
  limit: number,
  compare: (one: Hit, other: Hit) => number = () => 0,
): SearchResponse {
  const end = offset + limit;
  const facets = mergedFacets(answers.flatMap(({ found }) => found.facets));
  const total = answers.reduce((sum, { found }) => sum + found.total, 0);
  if (answers.every(({ found }) => found.pages === undefined)) {
    const lists = answers.map(({ found, weight }) => ({ items: found.hits, weight }));
    const hits = merged(lists, ({ relevance }) => relevance).sort(compare);
    return { hits: hits.slice(offset, end), total, facets };
  }
  const lists = answers.map(({ found, weight }) => ({ items: found.pages ?? [], weight }));
  const sorted = merged(lists, ofPage).sort(({ hits: [one] }, { hits: [other] }) =>
    one && other ? compare(one, other) : 0,
  );
  const pages = sorted.slice(offset, end);
  return { hits: pages.flatMap(({ hits }) => hits), pages, total, facets };
}

/** Adds up the values of the same fields. */
function mergedFacets(facets: readonly Facet[]): Facet[] {
  const fields = new Map<string, Facet>();
  for (const facet of facets) {
    const known = fields.get(facet.field);
    const counts = new Map(known?.values.map(({ value, count }) => [value, count]));
    for (const { value, count } of facet.values) counts.set(value, (counts.get(value) ?? 0) + count);
    const values = [...counts].map(([value, count]) => ({ value, count })).sort((a, b) => b.count - a.count);
    const { field, fieldType } = facet;
    fields.set(field, { field, fieldType, documents: facet.documents + (known?.documents ?? 0), values });
  }
  return [...fields.values()];
}

/** A passage, or a page of several. */
export interface Located {
  url: string | null;
  index?: HitIndex;
}

/** Says of a hit which index it is from. A path of another site than this one gets its host. */
export function located<H extends Located>(hit: H, index: HitIndex): H {
  const { location } = globalThis;
  let { url } = hit;
  if (url !== null && URL.canParse(index.url, location?.href)) {
    const base = new URL(index.url, location?.href);
    if (base.origin !== location?.origin && URL.canParse(url, base)) url = new URL(url, base).href;
  }
  return { ...hit, url, index };
}

/** Says so of all hits, whose ids are their index's alone. */
export function named(found: SearchResponse, index: HitIndex): SearchResponse {
  const own = (id: string) => `${index.name}/${id}`;
  const hit = (given: Hit): Hit => ({
    ...located(given, index),
    ...{ id: own(given.id), documentId: own(given.documentId) },
  });
  const page = ({ documentId, title, hits: given }: PageHits): PageHits => {
    const hits = given.map(hit);
    return { documentId: own(documentId), title, url: hits[0]?.url ?? null, hits };
  };
  const { pages, hits } = found;
  return { ...found, hits: hits.map(hit), ...(pages && { pages: pages.map(page) }) };
}
