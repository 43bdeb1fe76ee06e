/**
 * `ibid/site`: what `npx ibid site` does, for plug-ins of site generators.
 *
 * @packageDocumentation
 */
import { readdir, readFile, writeFile } from 'node:fs/promises';
import { dirname, join, relative, sep } from 'node:path';
import { IbidError } from '../error.js';
import { build } from './build-command.js';
import { copyParts } from './copy-command.js';
import { note } from './terminal.js';

/** Options of {@link addSearch}. */
export interface SiteOptions {
  /** Lets the search box answer questions too. Default: `false`. */
  answers?: boolean | undefined;
  /** Fields of the metadata whose values become filters, separated by commas. Default: none. */
  facets?: string | undefined;
  /** A selector of the element that the search box goes into. Default: where the theme has its search. */
  place?: string | undefined;
  /** Further attributes of `<ibid-search>`, such as `{ model: 'gpt-5-mini' }`. Default: none. */
  attributes?: Record<string, string> | undefined;
  /** The address that the site's pages are below. Default: what its configuration says, else `/`. */
  baseUrl?: string | undefined;
  /** Keeps vectors for the next build, in `.ibid-cache`. Default: `true`. */
  cache?: boolean | undefined;
}

/** The script as it was added before, with the line that it stands in. */
const ADDED = /\n?<script src="[^"]*ibid\/ui\/site\.js"[^>]*><\/script>/;

/**
 * Adds search to a built site: indexes its pages, copies the package's files next to them, and adds one script to each page,
 * which puts the search box where the theme has its own. A site that was added to before is brought up to date.
 *
 * Fails with `invalid-option` where the folder has no page, with `io`, and as a build does.
 */
export async function addSearch(folder: string, options: SiteOptions = {}): Promise<void> {
  const { answers = false, facets, place, attributes = {}, baseUrl, cache = true } = options;
  const pages = await pagesIn(folder);
  if (pages.length === 0) {
    const hint = 'Name the folder that the generator writes, such as _site, dist, build or public.';
    throw new IbidError('invalid-option', `There is no page in \`${folder}\`.`, { hint });
  }
  await build([
    folder,
    ...['--output', join(folder, 'site.ibid')],
    ...(baseUrl === undefined ? [] : ['--base-url', baseUrl]),
    ...(cache ? [] : ['--no-cache']),
  ]);
  await copyParts(['search', 'ui', 'ask'], join(folder, 'ibid'));
  const data = Object.entries({ ...(answers && { answers: '' }), facets, place, ...attributes })
    .map(([name, value]) => (value === undefined ? '' : ` data-${name}="${escaped(value)}"`))
    .join('');
  let changed = 0;
  for (const page of pages) changed += (await addTo(page, folder, data)) ? 1 : 0;
  note(`${folder}: the search box is in ${changed} pages`);
}

function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('"', '&quot;').replaceAll('<', '&lt;');
}

/** The HTML files of a site that are whole pages. */
async function pagesIn(folder: string): Promise<string[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true }).catch((error: Error) => {
    throw new IbidError('io', `\`${folder}\` cannot be read: ${error.message}.`, { cause: error });
  });
  const own = join(folder, 'ibid') + sep;
  return entries
    .filter((entry) => entry.isFile() && /\.html?$/i.test(entry.name))
    .map((entry) => join(entry.parentPath, entry.name))
    .filter((path) => !path.startsWith(own))
    .sort();
}

/** Adds the script to a page, by an address that holds wherever the site is. */
async function addTo(page: string, folder: string, attributes: string): Promise<boolean> {
  const text = await readFile(page, 'utf8');
  const plain = text.replace(ADDED, '');
  const end = plain.search(/<\/head>/i);
  if (end < 0) return false;
  const path = relative(dirname(page), join(folder, 'ibid/ui/site.js')).split(sep).join('/');
  // A page that is not found is shown at any address.
  const isAnywhere = /^404\.html?$/i.test(relative(folder, page));
  if (isAnywhere) return false;
  const script = `\n<script src="${path}" defer${attributes}></script>`;
  const added = plain.slice(0, end) + script + plain.slice(end);
  if (added !== text) await writeFile(page, added);
  return true;
}
