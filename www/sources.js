// The sources of one answer: known by number while it is written, listed when it is there.

import { byId, el } from './dom.js';
import { openPassage, path, score } from './passage.js';

/** What a reader should know of a source that speaks to the model. */
const INSTRUCTED = 'Holds text that reads like instructions to a model.';

const section = byId('sources');
const list = byId('source-list');

export function clearSources() {
  section.hidden = true;
  list.replaceChildren();
}

/** Lists an answer's sources, those it cites first. */
export function showSources({ sources, citations }) {
  const cited = new Set(citations.map((citation) => citation.number));
  const sorted = [...sources].sort(
    (a, b) => Number(cited.has(b.number)) - Number(cited.has(a.number)) || a.number - b.number,
  );
  list.replaceChildren(...sorted.map((source) => item(source, cited.has(source.number))));
  section.hidden = sorted.length === 0;
}

function item(source, cited) {
  const title = el('button', { type: 'button', className: 'source-title', textContent: source.title });
  title.setAttribute('aria-label', `Open source ${source.number}: ${source.title}`);
  title.addEventListener('click', () => openPassage(source));
  return el(
    'li',
    { className: cited ? 'source cited' : 'source', value: source.number },
    el('span', {
      className: 'source-number',
      textContent: `[${source.number}]`,
      attributes: { 'aria-hidden': 'true' },
    }),
    el(
      'div',
      {},
      title,
      el('p', { className: 'path' }, ...path(source)),
      ...(source.instructions?.length > 0 ? [el('p', { className: 'source-warning', textContent: INSTRUCTED })] : []),
    ),
    el('span', { className: 'source-kind', textContent: cited ? 'cited' : `not cited · ${score(source)}` }),
  );
}
