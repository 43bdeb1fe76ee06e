import type { Hit, PageHits, Span } from '../search-types.js';

type Titled = Pick<Hit, 'headingPath' | 'title'>;

/** Returns the hits of a page, of those below one heading the best. */
export function bySection(hits: readonly Hit[]): Hit[] {
  return hits.filter((hit, at) => hits.findIndex((other) => section(other) === section(hit)) === at);
}

/** Returns the first pages of both lists, those of the first list first; a page of both has the hits of both. */
export function joined(nearest: readonly PageHits[], relevant: readonly PageHits[], limit: number): PageHits[] {
  const rest = new Map(relevant.map((page) => [page.documentId, page]));
  const first = nearest.map((page) => {
    const more = rest.get(page.documentId)?.hits ?? [];
    rest.delete(page.documentId);
    return {
      ...page,
      hits: [...page.hits, ...more.filter(({ chunk }) => !page.hits.some((hit) => hit.chunk === chunk))],
    };
  });
  return [...first, ...rest.values()].slice(0, limit);
}

/** Returns the title of a hit's page: its first heading, where the title is that with the name of the site. */
export function pageTitle({ headingPath, title }: Titled): string {
  const [first = ''] = headingPath.slice(headingPath[0] === title ? 1 : 0);
  return first !== '' && title.startsWith(first) ? first : title;
}

/** Returns the headings above a hit below its page's title; empty where it stands at the top. */
export function section(hit: Titled): string {
  const below = hit.headingPath.slice(hit.headingPath[0] === hit.title ? 1 : 0);
  return below.slice(below[0] === pageTitle(hit) ? 1 : 0).join(' › ');
}

/** Returns true if the excerpt of a hit is a part of a code block. */
export function isCode({ text, excerpt }: Hit): boolean {
  const at = text.indexOf(excerpt.replace(/^…\s*/, '').slice(0, 24));
  if (at < 0) return false;
  return (text.slice(0, at).match(/^\s{0,3}(?:```|~~~)/gm)?.length ?? 0) % 2 === 1;
}

/** The words that a text fragment names at most, and at least if there is a heading: fewer may stand above it, too. */
const MOST_WORDS = 6;
const LEAST_WORDS = 3;

/**
 * Returns the address of a hit: its page, the heading above it, and the words that the browser is to highlight, as a text
 * fragment (https://wicg.github.io/scroll-to-text-fragment/). `null` if the hit has no address.
 */
export function address(hit: Hit, fragments = hasFragments()): string | null {
  if (!hit.url || !isPage(hit.url)) return null;
  const anchor = hit.url.includes('#') || !hit.anchor ? '' : `#${encodeURIComponent(hit.anchor)}`;
  const hasAnchor = anchor !== '' || hit.url.includes('#');
  const words = fragments ? phrase(hit.excerpt, hit.excerptHighlights) : [];
  if (words.length < (hasAnchor ? LEAST_WORDS : 1)) return hit.url + anchor;
  const directive = `:~:text=${encodeURIComponent(words.join(' ')).replaceAll('-', '%2D')}`;
  return `${hit.url}${anchor}${hasAnchor ? '' : '#'}${directive}`;
}

/** Returns true if an address leads to a page. Documents name their addresses, and one of `javascript:` would run. */
export function isPage(url: string): boolean {
  try {
    return /^(?:https?|file):$/.test(new URL(url, globalThis.document?.baseURI ?? 'http://localhost/').protocol);
  } catch {
    return false;
  }
}

/**
 * Returns a passage with the address that the attribute `links` wants: with `source` that of its file, in the folder of
 * the index, wherever a site is deployed and whatever its pages name.
 */
export function located<P extends { url: string | null; source: string }>(
  passage: P,
  links: string | null,
  index: string,
): P {
  if (links !== 'source') return passage;
  const file = passage.source.replace(/(^|\/)index\.html?$/i, '$1');
  const path = file.split('/').map(encodeURIComponent).join('/');
  return { ...passage, url: new URL(`./${path}`, index.replace(/\/$/, '')).href };
}

function hasFragments(): boolean {
  return 'fragmentDirective' in globalThis.document;
}

/** Returns a few words of an excerpt from its first highlight on, none of which another element is likely to end. */
function phrase(excerpt: string, highlights: readonly Span[]): string[] {
  const [first] = highlights;
  const line = first && excerpt.slice(first.start).split(/[\n:;!?|…]|\.(?!\w)/, 1)[0];
  return line?.match(/\S+/g)?.slice(0, MOST_WORDS) ?? [];
}

/** Returns a text without what may tell who wrote it: addresses, links and long numbers become `…`. */
export function anonymous(query: string): string {
  return query.replace(/\S+@\S+|https?:\/\/\S+|\+?\d[\d\s().-]{4,}\d/g, '…');
}
