import type { Hit } from '../search-types.js';

const NAME = 'ibid-target';
/** How long a page may take to open. */
const FRESH_MS = 30_000;

interface Target {
  page: string;
  words: string[];
  at: number;
}

/** Remembers which words the page that a link leads to is to highlight, for {@link showTarget} there. */
export function keepTarget({ excerpt, excerptHighlights }: Hit, link: HTMLAnchorElement): void {
  const words = excerptHighlights.map(({ start, end }) => excerpt.slice(start, end).toLowerCase());
  const target: Target = { page: link.origin + link.pathname, words: [...new Set(words)], at: Date.now() };
  try {
    sessionStorage.setItem(NAME, JSON.stringify(target));
  } catch {
    // Then the page opens without highlights.
  }
}

/**
 * Highlights the words of the result that led to this page below the heading that it opens at, by the CSS Custom Highlight
 * API. `<ibid-search>` does so on its own; a page without that element calls it once.
 */
export function showTarget(): void {
  if (!('highlights' in CSS)) return;
  const words = taken();
  if (words.length === 0) return;
  const show = () => {
    const anchor = document.getElementById(decodeURIComponent(location.hash.slice(1).split(':~:')[0] ?? ''));
    const ranges = rangesOf(words, anchor);
    if (ranges.length === 0) return;
    CSS.highlights.set('ibid-target', new Highlight(...ranges));
    const sheet = new CSSStyleSheet();
    sheet.replaceSync('::highlight(ibid-target) { background: light-dark(#ffe9a8, #5c4a12); }');
    document.adoptedStyleSheets.push(sheet);
  };
  if (document.readyState === 'loading') addEventListener('DOMContentLoaded', show, { once: true });
  else show();
}

function taken(): string[] {
  try {
    const { page, words, at }: Target = JSON.parse(sessionStorage.getItem(NAME) ?? 'null');
    if (page !== location.origin + location.pathname || Date.now() - at > FRESH_MS) return [];
    sessionStorage.removeItem(NAME);
    return words;
  } catch {
    return [];
  }
}

/** The places of words behind an element and up to the next heading of its level; in the whole page without one. */
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
