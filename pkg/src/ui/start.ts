import { el } from './dom.js';
import { icon } from './icons.js';
import type { KeptPage, KeptStore } from './kept.js';
import { filled, type Words } from './words.js';

/** Shows earlier searches, pages and favourites. Returns false if there are none. */
export function showStart(place: HTMLElement, kept: KeptStore, words: Words, search: (query: string) => void): boolean {
  const { searches, pages } = kept.get();
  const again = () => showStart(place, kept, words, search);
  const rows = (wanted: boolean) =>
    pages.filter(({ favourite = false }) => favourite === wanted).map((page) => pageRow(page, kept, words, again));
  const searched = searches.map((query) => searchRow(query, search));
  const parts = [
    ...titled(words.favourites, rows(true)),
    ...titled(words.recentPages, rows(false)),
    ...titled(words.recentSearches, searched),
  ];
  if (parts.length > 0) {
    const clear = el('button', { type: 'button', class: 'plain small' }, words.forgetAll);
    clear.addEventListener('click', () => {
      kept.clear();
      again();
    });
    parts.push(clear);
  }
  place.replaceChildren(...parts);
  return parts.length > 0;
}

function titled(title: string, rows: HTMLElement[]): HTMLElement[] {
  return rows.length === 0 ? [] : [el('p', { class: 'label' }, title), el('ul', { 'aria-label': title }, ...rows)];
}

function searchRow(query: string, search: (query: string) => void): HTMLElement {
  const button = el('button', { type: 'button' }, query);
  button.addEventListener('click', () => search(query));
  return el('li', { class: 'kept' }, button);
}

function pageRow({ title, section, href, favourite }: KeptPage, kept: KeptStore, words: Words, again: () => void) {
  const page = section === '' ? title : `${title}: ${section}`;
  const tool = (name: 'star' | 'close', label: string, change: () => void) => {
    const button = el('button', { type: 'button', class: 'plain', 'aria-label': filled(label, { page }) }, icon(name));
    button.addEventListener('click', () => {
      change();
      again();
    });
    return button;
  };
  const star = tool('star', favourite ? words.removeFavourite : words.addFavourite, () => kept.toggle(href));
  star.setAttribute('aria-pressed', String(favourite === true));
  return el(
    'li',
    { class: 'kept' },
    el('a', { href }, page),
    star,
    tool('close', words.forget, () => kept.forget(href)),
  );
}
