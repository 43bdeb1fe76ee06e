import type { Facet, Filter } from '../search-types.js';

/** The field with a document's language, which a build of several languages gives each. */
export const LANGUAGE_FIELD = 'language';

/** The share of the main language's documents that a language needs to be searched alone. */
const NEARLY_ALL = 0.75;

const primary = (tag: string) => tag.toLowerCase().split(/[-_]/, 1)[0];

/**
 * Returns the filter for the readers of a language: documents in it, and those of no known one. Where fewer documents are in
 * it than in the main language, that is searched too, as a site shows it whose translation is not complete. `values` are those
 * of {@link LANGUAGE_FIELD}, the most frequent first; without another language, or one of the readers', there is no filter.
 */
export function inLanguage(values: Facet['values'], tag: string): Filter | undefined {
  const counts = values.map(({ value, count }) => ({ tag: String(value), count }));
  const exact = counts.filter((known) => known.tag.toLowerCase() === tag.toLowerCase());
  const own = exact.length > 0 ? exact : counts.filter((known) => primary(known.tag) === primary(tag));
  const [main] = counts;
  if (main === undefined || own.length === 0 || own.length === counts.length) return undefined;
  const documents = own.reduce((sum, { count }) => sum + count, 0);
  const searched = documents < NEARLY_ALL * main.count ? [...own, main] : own;
  const any = searched.map(({ tag }) => tag);
  return { or: [{ [LANGUAGE_FIELD]: any }, { [LANGUAGE_FIELD]: null }] };
}
