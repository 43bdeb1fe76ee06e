import { IbidError } from './error.js';
import type { Fields, Hit, PageHits, SearchOptions, SearchResponse } from './search-types.js';

/** Writes a query as the wasm modules read it; `like` is for one that has no text. */
export function queryWire<F extends Fields>(text: string, options: SearchOptions<F>, like?: { chunk: number }): string {
  const { signal: _, freshness, vector, rerank, ...plain } = options;
  return wire({
    ...plain,
    text,
    ...(like && { like }),
    ...(rerank && { rerank: true }),
    ...(vector && { vector: Array.from(vector) }),
    ...(freshness && { freshness: { ...freshness, reference: day(freshness.reference ?? new Date()) } }),
  });
}

/** The options that the first part of the module reads, as `Query` of `crates/retrieve` does; all others are of its rest. */
const COMMON = 'text limit offset mode minRelevance group groupBy neighbours'.split(' ');

/** Returns true if a query has options that the rest of the module reads. */
export function needsRest(query: string): boolean {
  const says = (value: unknown) => value !== null && !(Array.isArray(value) && value.length === 0);
  return Object.entries(JSON.parse(query)).some(([name, value]) => says(value) && !COMMON.includes(name));
}

/** JSON, which leaves out what is undefined. It would write `null` for a number that is none, and so lose it. */
export function wire(value: object): string {
  return JSON.stringify(value, (name: string, entry: unknown) => {
    if (typeof entry !== 'number' || Number.isFinite(entry)) return entry;
    throw new IbidError('invalid-option', `\`${name}\` is not a finite number.`);
  });
}

function day(date: string | Date): string {
  if (typeof date === 'string') return date;
  if (Number.isNaN(date.getTime())) {
    throw new IbidError('invalid-option', '`freshness.reference` is an invalid date.');
  }
  return date.toISOString().slice(0, 10);
}

/** Checks the scores of a reranker, if they are what they have to be: a number for each text. */
export function checkedScores(scores: ArrayLike<number>, expected: number): Float32Array {
  const checked = Float32Array.from(scores);
  if (checked.length === expected && checked.every(Number.isFinite)) return checked;
  throw new IbidError('invalid-option', `\`rerank\` must return a number for each of ${expected} texts.`);
}

/** Parses a search's response; the wasm leaves out what it was not asked for. */
export function response<F extends Fields>(json: string, { groupBy }: SearchOptions<F>): SearchResponse<F> {
  const found: SearchResponse<F> = { facets: [], ...JSON.parse(json) };
  return groupBy === undefined ? found : { ...found, pages: pagesOf(found.hits) };
}

/** Puts hits together that stand page by page. */
function pagesOf<F extends Fields>(hits: Hit<F>[]): PageHits<F>[] {
  const pages: PageHits<F>[] = [];
  for (const hit of hits) {
    const { documentId, title, url } = hit;
    const last = pages.at(-1);
    if (last?.documentId === documentId) last.hits.push(hit);
    else pages.push({ documentId, title, url, hits: [hit] });
  }
  return pages;
}
