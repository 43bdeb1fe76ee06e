import type { Facet, Filter } from '../search-types.js';

/** The field with a document's version, which a build of a site in several versions gives each. */
export const VERSION_FIELD = 'version';

/** The versions that a page without one in its address leads to. */
const USUAL = ['current', 'stable', 'latest'];

/** Returns the version that a page belongs to, by the folders of its address; `undefined` if none is usual. */
export function openVersion(values: Facet['values'], path: string): string | undefined {
  const known = values.map(({ value }) => String(value));
  const folders = path.split('/');
  return known.find((version) => folders.includes(version)) ?? USUAL.find((version) => known.includes(version));
}

/** Returns the filter for documents in one of these versions, and for those that are in none. */
export function inVersion(versions: readonly unknown[]): Filter {
  return { or: [{ [VERSION_FIELD]: versions }, { [VERSION_FIELD]: null }] };
}
