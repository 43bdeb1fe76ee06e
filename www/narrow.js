// Narrowing the search to documents of one kind: a button for each value of a field, with how many documents have it.

import { byId, el } from './dom.js';

/** The field of the handbook's metadata that sorts its chapters. */
const FIELD = 'specialty';

const group = byId('narrow');
/** The chosen value, or `null`. */
let chosen = null;

/** The filter of the value that is chosen, for the options of a search. */
export function chosenFilter() {
  return chosen === null ? undefined : { [FIELD]: chosen };
}

/** Shows the values of an opened index; `changed` is called when another is chosen. */
export async function setUpNarrowing(ibid, changed) {
  chosen = null;
  const [facet] = ibid.info.fields.some(({ name }) => name === FIELD) ? await ibid.facets([FIELD]) : [];
  group.hidden = facet === undefined;
  if (facet === undefined) return;
  const buttons = facet.values.map(({ value, count }) => {
    const button = el(
      'button',
      { type: 'button', className: 'example', attributes: { 'aria-pressed': 'false' } },
      String(value),
      el('span', { className: 'narrow-count', textContent: ` ${count}` }),
    );
    button.addEventListener('click', () => {
      chosen = chosen === value ? null : value;
      for (const other of buttons) other.setAttribute('aria-pressed', String(other === button && chosen !== null));
      changed();
    });
    return button;
  });
  group.replaceChildren(...buttons);
}
