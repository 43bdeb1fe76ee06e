import type { Ibid } from '../ibid.js';
import type { Facet, Filter } from '../search-types.js';

/** The field with a document's version, which a build of a site in several versions gives each. */
export const VERSION_FIELD = 'version';

const byNumber = new Intl.Collator('en', { numeric: true }).compare;

/** The versions that a page without one in its address leads to. */
const USUAL = ['current', 'stable', 'latest'];

/**
 * Returns the version that a page belongs to, by the folders of its address. A page in none, or in a folder that is another
 * name of a version, belongs to the usual one, or to the newest.
 */
export function openVersion(values: Facet['values'], path: string): string | undefined {
  const known = values.map(({ value }) => String(value));
  const folders = path.split('/');
  const open = known.find((version) => folders.includes(version));
  const newest = known.filter((version) => /^v?\d/.test(version)).sort(byNumber);
  return open ?? USUAL.find((version) => known.includes(version)) ?? newest.at(-1);
}

/** Returns the filter for documents in one of these versions, and for those that are in none. */
export function inVersion(versions: readonly unknown[]): Filter {
  return { or: [{ [VERSION_FIELD]: versions }, { [VERSION_FIELD]: null }] };
}

/** Returns true if the documents of an index have several values of a field. */
export function hasSeveral({ info }: Ibid, field: string): boolean {
  return info.fields.some(({ name, values }) => name === field && values > 1);
}
