// How an error looks: what happened, what can be done about it, and a button that does it.

import { el } from './dom.js';

/** Shows an IbidError in `place`; `actions` are `{ label, run }`. */
export function showProblem(place, error, actions = []) {
  const buttons = actions.map(({ label, run }) => el('button', { type: 'button', textContent: label, onclick: run }));
  place.replaceChildren(
    el(
      'div',
      { className: 'notice problem', attributes: { role: 'alert' } },
      el('p', { className: 'problem-message', textContent: error.message }),
      ...(error.hint ? [el('p', { className: 'problem-hint', textContent: error.hint })] : []),
      el(
        'div',
        { className: 'problem-foot' },
        ...buttons,
        el('code', { className: 'problem-code', textContent: error.code ?? 'internal' }),
      ),
    ),
  );
}

export function clearProblem(place) {
  place.replaceChildren();
}
