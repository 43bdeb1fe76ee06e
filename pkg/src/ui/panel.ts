import { el } from './dom.js';
import { icon } from './icons.js';
import type { Words } from './words.js';

/** Makes the panel of a search box: the input, the place of the results, and what the keys do. */
export function searchPanel(words: Words, placeholder: string | null, isInline: boolean): HTMLElement {
  const input = el('input', {
    ...{ type: 'search', role: 'combobox', part: 'input', autocomplete: 'off', spellcheck: 'false' },
    ...{ 'aria-label': words.label, 'aria-expanded': 'false', 'aria-controls': 'results' },
    ...{ 'aria-autocomplete': 'list', 'aria-describedby': 'status', enterkeyhint: 'search' },
    placeholder: placeholder ?? words.placeholder,
  });
  const close = el('button', { type: 'button', class: 'plain close', 'aria-label': words.close }, icon('close'));
  const clear = el('button', { type: 'button', class: 'plain clear', part: 'clear' }, words.clear);
  const row = el('div', { class: 'row', part: 'row' }, icon('search'), input, clear);
  if (!isInline) row.append(close);
  const keys = [
    ['↑ ↓', words.toSelect],
    ['↵', words.toOpen],
    ['⇧ ↵', words.toAsk, 'to-ask'],
    ['Esc', words.toClose],
  ].map(([key, what, name]) => el('span', { class: name }, el('kbd', {}, key ?? ''), ` ${what}`));
  return el(
    'div',
    { class: 'panel', part: 'panel', role: 'search' },
    row,
    el(
      'div',
      { class: 'scroll', part: 'results' },
      el('button', { type: 'button', class: 'ask', part: 'ask', hidden: '' }),
      el('div', { class: 'facets', part: 'facets', role: 'group', hidden: '' }),
      el('p', { class: 'status', id: 'status', role: 'status' }),
      el('div', { class: 'start' }),
      el('div', { id: 'results', role: 'listbox', 'aria-label': words.results, hidden: '' }),
      el('button', { type: 'button', class: 'plain more', part: 'more', hidden: '' }, words.more),
    ),
    el('div', { class: 'keys', part: 'keys', 'aria-hidden': 'true' }, ...keys),
  );
}
