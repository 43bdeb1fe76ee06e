/** Ways to browse: an order of the results, and pages that the author of an index names. Other boxes never load this file. */
import type { IndexInfo } from '../types.js';
import { el } from './dom.js';
import { isPage } from './pages.js';
import { filled, type Words } from './words.js';

/** A page that an index's author names. */
type PopularPage = NonNullable<IndexInfo['popular']>[number];

/** Offers to sort by fields, each by a button before the filters; `change` is called with the field, or without to take it back. */
export function showSorts(
  place: HTMLElement,
  fields: readonly string[],
  sort: string | undefined,
  words: Words,
  change: (field: string | undefined) => void,
): void {
  const buttons = fields.map((field) => {
    const isOn = field === sort;
    const label = filled(words.sortBy, { field: field.replaceAll('_', ' ') });
    const button = el('button', { type: 'button', part: 'sort', 'aria-pressed': String(isOn) }, label);
    button.addEventListener('click', () => change(isOn ? undefined : field));
    return button;
  });
  place.prepend(...buttons);
  place.hidden = place.childElementCount === 0;
}

/** Shows the pages that an author names below what the visitor has opened before. */
export function showPopular(place: HTMLElement, pages: readonly PopularPage[], words: Words): void {
  const rows = pages.flatMap(({ title, url }) =>
    url && isPage(url) ? [el('li', { class: 'kept' }, el('a', { href: url }, title))] : [],
  );
  if (rows.length === 0) return;
  const title = words.popular;
  place.append(el('p', { class: 'label' }, title), el('ul', { 'aria-label': title, part: 'popular' }, ...rows));
}
