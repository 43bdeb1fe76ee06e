// How a passage looks, in the results, in the list of sources and in the dialog that shows it whole.

import { setUpDialog } from './dialog.js';
import { byId, el } from './dom.js';

/** The text as it stands in the source file, its highlights marked. Never HTML. */
export function highlighted({ text, highlights }) {
  const parts = [];
  let done = 0;
  for (const { start, end } of highlights) {
    if (start < done || end > text.length) continue;
    parts.push(text.slice(done, start), el('mark', { textContent: text.slice(start, end) }));
    done = end;
  }
  parts.push(text.slice(done));
  return parts;
}

/** The headings above a passage, without the first where that repeats the title. */
export function headings({ title, headingPath }) {
  return headingPath[0] === title ? headingPath.slice(1) : headingPath;
}

/** The heading path for reading: arrows for the eye, commas for the ear. */
export function path(hit) {
  const parts = headings(hit).flatMap((heading, index) =>
    index === 0 ? [heading] : [el('span', { className: 'path-arrow', textContent: ' › ' }), heading],
  );
  return parts.length > 0 ? parts : ['Introduction'];
}

export function score(hit) {
  return hit.relevance.toFixed(2);
}

/** The document's address where it is one that a link may have: this site's, or one of http or https. */
function address({ url, anchor }) {
  if (url === null) return null;
  try {
    const absolute = new URL(url, document.baseURI);
    if (absolute.protocol !== 'https:' && absolute.protocol !== 'http:') return null;
    if (anchor !== null && absolute.hash === '') absolute.hash = anchor;
    return absolute.href;
  } catch {
    return null;
  }
}

const dialog = byId('passage');
setUpDialog(dialog);

/** What a place in a source is to the claim that cites it. */
const EVIDENCE = { supported: 'Supports', partly: 'Supports in part', unsupported: 'Comes closest to' };

/**
 * Opens the dialog with a hit, or with a source, which has a number; where a place is given, a `span` with the `claim` that
 * it is evidence of, that is what is marked and shown first.
 */
export function openPassage(hit, place) {
  const link = address(hit);
  const facts = [
    ['File', `${hit.source}, line ${hit.line}`],
    ['Relevance', score(hit)],
    ...(link === null
      ? []
      : [['Document', el('a', { href: link, textContent: 'Open at this place', rel: 'noopener' })]]),
    ...(place?.claim ? [[EVIDENCE[place.status] ?? 'Beside', el('q', { textContent: place.claim })]] : []),
    ...(place?.coverage === undefined
      ? []
      : [['Of what it says', `${Math.round(place.coverage * 100)} % stands here`]]),
    ...(hit.instructions?.length > 0 ? [['Beware', 'What is underlined reads like instructions to a model.']] : []),
  ];
  byId('passage-title').textContent = hit.number === undefined ? hit.title : `[${hit.number}] ${hit.title}`;
  byId('passage-path').replaceChildren(...path(hit));
  const text = byId('passage-text');
  text.replaceChildren(...marked(hit, place));
  byId('passage-facts').replaceChildren(
    ...facts.map(([term, fact]) => el('div', {}, el('dt', { textContent: term }), el('dd', {}, fact))),
  );
  if (!dialog.open) dialog.showModal();
  text.scrollTop = 0;
  text.querySelector('.evidence')?.scrollIntoView({ block: 'center' });
}

/** The text with the evidence marked, or else its highlights, and with what reads like instructions. Never HTML. */
function marked({ text, highlights, instructions = [] }, place) {
  const ranges = [
    ...(place === undefined ? highlights.map((span) => ({ ...span, kind: 'highlight' })) : []),
    ...(place === undefined ? [] : [{ ...place.span, kind: 'evidence' }]),
    ...instructions.map((span) => ({ ...span, kind: 'instruction' })),
  ].filter(({ start, end }) => start < end && end <= text.length);
  const points = [...new Set([0, text.length, ...ranges.flatMap(({ start, end }) => [start, end])])];
  points.sort((a, b) => a - b);
  return points.slice(1).map((end, index) => {
    const start = points[index];
    const kinds = ranges.filter((range) => range.start < end && range.end > start).map(({ kind }) => kind);
    const words = text.slice(start, end);
    return kinds.length === 0 ? words : el('mark', { className: [...new Set(kinds)].join(' '), textContent: words });
  });
}
