import type { IbidAsk } from './ask.js';
import { el } from './dom.js';

/** The attributes of a search box that are those of the element for answers in it. */
const SHARED = ['index', 'names', 'weights', 'provider', 'model', 'base-url', 'own-key', 'links', 'theme'];

/** Returns the element for answers in a search box, made when it is first looked for; `null` if it is to have none. */
export function ownAnswers(box: HTMLElement, place: HTMLElement | null): IbidAsk | null {
  const known = place?.querySelector('ibid-ask') ?? null;
  if (known !== null || !box.hasAttribute('answers')) return known;
  const own = el('ibid-ask', { part: 'answers', hidden: '', lang: box.closest<HTMLElement>('[lang]')?.lang });
  for (const name of SHARED) {
    const value = box.getAttribute(name);
    if (value !== null) own.setAttribute(name, value);
  }
  place?.append(own);
  return own;
}
