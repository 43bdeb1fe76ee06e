/** The documents of an index in several languages or versions that are for the reader of a page. */
import type { Ibid } from '../ibid.js';
import type { Filter } from '../search-types.js';
import { inLanguage, LANGUAGE_FIELD } from './language.js';
import type { Chosen } from './types.js';
import { inVersion, openVersion, VERSION_FIELD } from './version.js';

/** Returns the filter for the reader of a page by the fields that its index has several values of. */
export async function readable(ibid: Ibid, fields: readonly string[], language: string): Promise<Filter | undefined> {
  const facets = await ibid.facets(fields);
  const filters = facets.map(({ field, values }) => {
    if (field === LANGUAGE_FIELD) return inLanguage(values, language);
    const version = openVersion(values, location.pathname);
    return version === undefined ? undefined : inVersion([version]);
  });
  const and = filters.filter((filter) => filter !== undefined);
  return and.length > 1 ? { and } : and[0];
}

/** Chooses the version that the page of this document belongs to. */
export async function chooseVersion(ibid: Ibid, chosen: Chosen): Promise<void> {
  const [facet] = await ibid.facets([VERSION_FIELD]);
  const version = openVersion(facet?.values ?? [], location.pathname);
  if (version !== undefined) chosen.set(VERSION_FIELD, new Set([version]));
}
