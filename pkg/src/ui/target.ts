import type { Hit } from '../search-types.js';

const NAME = 'ibid-target';
/** The time that a page may take to open. */
const FRESH_MS = 30_000;

interface Target {
  page: string;
  words: string[];
  at: number;
}

/** Remembers which words the page that a link leads to is to highlight, for {@link showTarget} there. */
export function keepTarget({ excerpt, excerptHighlights }: Hit, link: HTMLAnchorElement): void {
  const words = excerptHighlights.map(({ start, end }) => excerpt.slice(start, end).toLowerCase());
  const target: Target = { page: nameOf(link), words: [...new Set(words)], at: Date.now() };
  try {
    sessionStorage.setItem(NAME, JSON.stringify(target));
  } catch {
    // Then the page opens without highlights.
  }
}

/**
 * Highlights the words of the result that led to this page below the heading that it opens at, or that heading, by the CSS
 * Custom Highlight API. `<ibid-search>` does so on its own; a page without that element calls it once.
 */
export function showTarget(): void {
  if (!('highlights' in CSS)) return;
  const words = taken();
  if (words === undefined) return;
  const show = () => {
    const anchor = document.getElementById(decodeURIComponent(location.hash.slice(1).split(':~:')[0] ?? ''));
    const ranges = rangesOf(words, anchor);
    // A passage that was found by its meaning has none of the words.
    if (ranges.length === 0 && anchor !== null) {
      const heading = new Range();
      heading.selectNodeContents(anchor.querySelector('h1, h2, h3, h4, h5, h6') ?? anchor);
      ranges.push(heading);
    }
    if (ranges.length === 0) return;
    CSS.highlights.set('ibid-target', new Highlight(...ranges));
    const sheet = new CSSStyleSheet();
    sheet.replaceSync('::highlight(ibid-target) { background: light-dark(#ffe9a8, #5c4a12); }');
    document.adoptedStyleSheets.push(sheet);
  };
  if (document.readyState === 'loading') addEventListener('DOMContentLoaded', show, { once: true });
  else show();
}

/** Reads the address of a page without what hosts add to it or leave out. */
function nameOf({ origin, pathname }: Pick<URL, 'origin' | 'pathname'>): string {
  return origin + pathname.replace(/\/(?:index\.html?)?$|\.html?$/i, '');
}

/** Reads the words of the result that led to this page, nothing where none did. */
function taken(): string[] | undefined {
  try {
    const { page, words, at }: Target = JSON.parse(sessionStorage.getItem(NAME) ?? 'null');
    if (page !== nameOf(location) || Date.now() - at > FRESH_MS) return undefined;
    sessionStorage.removeItem(NAME);
    return words;
  } catch {
    return undefined;
  }
}

/**
 * Finds the places of words behind an element and up to the next heading of its level; in the whole page without one.
 */
function rangesOf(words: readonly string[], from: Element | null): Range[] {
  const level = /^H[1-6]$/.test(from?.tagName ?? '') ? from?.tagName : undefined;
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  const ranges: Range[] = [];
  for (let node = walker.nextNode(); node !== null; node = walker.nextNode()) {
    if (from !== null && !(from.compareDocumentPosition(node) & Node.DOCUMENT_POSITION_FOLLOWING)) continue;
    const heading = level === undefined ? null : node.parentElement?.closest(level);
    if (heading && heading !== from) break;
    const text = node.nodeValue?.toLowerCase() ?? '';
    for (const word of words) {
      for (let at = text.indexOf(word); at >= 0; at = text.indexOf(word, at + word.length)) {
        const range = new Range();
        range.setStart(node, at);
        range.setEnd(node, at + word.length);
        ranges.push(range);
      }
    }
  }
  return ranges;
}
