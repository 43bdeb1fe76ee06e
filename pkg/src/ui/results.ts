import type { Hit, PageHits, Span } from '../search-types.js';
import { el } from './dom.js';
import { icon } from './icons.js';
import { address, bySection, isCode, pageTitle, section } from './pages.js';

/** A result that can be chosen, and what it leads to. */
export interface Option {
  hit: Hit;
  element: HTMLElement;
}

/**
 * Shows hits below their pages, as groups of options of a list box, behind the options that are there. Pages of several
 * indexes have the name of theirs, or stand below it if the search box has the attribute `grouped`.
 */
export function showPages(
  list: HTMLElement,
  options: Option[],
  pages: readonly PageHits[],
  box: HTMLElement,
): Option[] {
  const all = [...options];
  const links = box.getAttribute('links');
  const isGrouped = box.hasAttribute('grouped');
  let last: string | undefined;
  for (const { hits } of pages) {
    const [best] = hits;
    if (best === undefined) continue;
    const title = el('div', { class: 'title', part: 'page-title', id: `page-${all.length}` }, pageTitle(best));
    const name = best.index?.name;
    const label = name === undefined ? '' : el('span', { class: 'label', part: 'index' }, name);
    if (!isGrouped) title.append(label);
    else if (last !== name) list.append(label);
    last = name;
    const group = el('div', { role: 'group', part: 'page', 'aria-labelledby': title.id }, title);
    for (const hit of bySection(hits)) {
      const element = option(hit, all.length, links);
      all.push({ hit, element });
      group.append(element);
    }
    list.append(group);
  }
  return all;
}

/** An option is a link, so that it can be opened in another tab; one without an address shows its passage. */
function option(hit: Hit, at: number, links: string | null): HTMLElement {
  const href = links === 'absolute' && !/^https?:/i.test(hit.url ?? '') ? null : address(hit);
  const heading = section(hit);
  const label = heading === '' ? pageTitle(hit) : `${pageTitle(hit)}: ${heading}`;
  const shared = { role: 'option', part: 'result', id: `option-${at}`, 'aria-label': label, 'aria-selected': 'false' };
  const element = href === null ? el('div', shared) : el('a', { ...shared, href, tabindex: '-1' });
  return fillRow(element, hit, heading);
}

/** Shows a hit in its row: a sign that tells a section from a page, a heading, if there is one, and the excerpt. */
export function fillRow(row: HTMLElement, hit: Hit, heading: string): HTMLElement {
  row.append(icon(heading === '' ? 'page' : 'section'));
  if (heading !== '') row.append(el('span', { class: 'section', part: 'section' }, heading));
  const excerpt = marked(hit.excerpt, hit.excerptHighlights);
  row.append(el(isCode(hit) ? 'code' : 'span', { class: 'excerpt', part: 'excerpt' }, ...excerpt));
  return row;
}

/** Shows the whole passage in an option, or its excerpt again. */
export function togglePassage({ hit, element }: Option): void {
  const whole = element.querySelector('.whole');
  element.querySelector('.excerpt')?.toggleAttribute('hidden', whole === null);
  if (whole) whole.remove();
  else element.append(el('span', { class: 'whole', part: 'passage' }, ...marked(hit.text, hit.highlights)));
}

/** Returns the place of a row among new ones, or -1; if it `stays`, puts it there with the passage that it may show. */
export function keepRow(options: readonly Option[], row: Option | undefined, stays: boolean): number {
  const at = options.findIndex(({ hit }) => hit.id === row?.hit.id);
  const option = options[at];
  if (stays && option && row) {
    row.element.id = option.element.id;
    option.element.replaceWith(row.element);
    option.element = row.element;
  }
  return at;
}

/** Returns a text with its highlights marked. */
function marked(text: string, spans: readonly Span[]): (Node | string)[] {
  const parts: (Node | string)[] = [];
  let at = 0;
  for (const { start, end } of spans) {
    parts.push(text.slice(at, start), el('mark', { part: 'mark' }, text.slice(start, end)));
    at = end;
  }
  return [...parts, text.slice(at)];
}
