// Choices that a person makes in the settings: lists to choose from, and what is remembered of them.

import { el } from './dom.js';

/** The options of a `select`; entries of a list are `{ id, name }`. */
export function options(list) {
  return list.map(({ id, name }) => el('option', { value: id, textContent: name }));
}

/** The id, where the list still has it. */
export function listed(list, id, otherwise = list[0].id) {
  return list.some((entry) => entry.id === id) ? id : otherwise;
}

/** What was remembered under this name, or `null`. */
export function remembered(name) {
  try {
    return JSON.parse(localStorage.getItem(name) ?? 'null');
  } catch {
    // Storage is switched off, or holds something else.
    return null;
  }
}

/** Remembers a choice; `null` forgets it. */
export function remember(name, choice) {
  try {
    if (choice === null) localStorage.removeItem(name);
    else localStorage.setItem(name, JSON.stringify(choice));
  } catch {
    // Storage is switched off; the choice holds until the page closes.
  }
}
