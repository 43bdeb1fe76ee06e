/**
 * `ibid/site`: what `npx ibid site` does, for plug-ins of site generators.
 *
 * @packageDocumentation
 */

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

/**
 * Adds search to a built site: indexes its pages, copies the files that they need next to them, and adds one script to
 * each page, which puts the search box where the theme has its own. A site that was added to before is brought up to date.
 *
 * Fails with `io` if there is no program for this platform, and as the command does.
 */
export function addSearch(folder: string, options?: SiteOptions): Promise<void>;
