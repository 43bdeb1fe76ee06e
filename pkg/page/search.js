// The page that `ibid serve` shows: searches the index as one types. What an index says is shown as text, never as HTML.

import { Ibid } from './ibid/index.js';

const [input, status, problem, results] = ['query', 'status', 'problem', 'results'].map((id) =>
  document.getElementById(id),
);
const OPTIONS = { limit: 12, group: 3, prefix: true, typos: true };
/** Typing goes on for longer than this between two letters, mostly. */
const PAUSE_MS = 80;

let ibid;
let timer = 0;
/** Only the newest search may show what it found. */
let newest = 0;

/** Makes an element with properties and what is in it. */
function el(name, properties = {}, ...children) {
  const element = Object.assign(document.createElement(name), properties);
  element.append(...children);
  return element;
}

function fail(error) {
  const { message = String(error), hint, code } = error;
  status.textContent = '';
  problem.replaceChildren(el('strong', {}, message), hint ? ` ${hint}` : '', code ? ` [${code}]` : '');
  problem.hidden = false;
}

function counted(number, noun) {
  return `${number.toLocaleString('en')} ${noun}${number === 1 ? '' : 's'}`;
}

function tellReady() {
  const { documents, chunks } = ibid.info;
  status.textContent = `${counted(documents, 'document')}, ${counted(chunks, 'passage')}. Type to search.`;
}

/** Shows an excerpt with the words of the query marked. */
function marked(text, spans) {
  const parts = [];
  let at = 0;
  for (const { start, end } of spans) {
    parts.push(text.slice(at, start), el('mark', {}, text.slice(start, end)));
    at = end;
  }
  return [...parts, text.slice(at)];
}

/** Returns the address of a hit's page; a link only where it leads to a host, since this server has no such page. */
function linked({ url, anchor }, text) {
  const isWhole = /^https?:\/\//i.test(url ?? '');
  return isWhole ? el('a', { href: anchor && !url.includes('#') ? `${url}#${anchor}` : url }, text) : text;
}

function shown(hit) {
  const path = hit.headingPath.slice(1).join(' › ');
  const place = [`${hit.source}:${hit.line}`, ...(hit.url ? [hit.url] : [])].join(' · ');
  return el(
    'li',
    { className: 'hit' },
    ...(path === '' ? [] : [el('p', { className: 'path' }, linked(hit, path))]),
    el('p', {}, ...marked(hit.excerpt, hit.excerptHighlights)),
    el(
      'details',
      {},
      el('summary', {}, 'Whole passage'),
      el('pre', {}, hit.text),
      el('p', { className: 'place' }, place),
    ),
  );
}

/** Shows passages below the document that they are from, the document of the best one first. */
function show(hits) {
  const lists = new Map();
  results.replaceChildren();
  for (const hit of hits) {
    const list = lists.get(hit.documentId) ?? el('ol');
    if (!lists.has(hit.documentId)) {
      const title = el('h2', {}, linked({ ...hit, anchor: null }, hit.title));
      results.append(el('li', { className: 'document' }, title, list));
    }
    lists.set(hit.documentId, list);
    list.append(shown(hit));
  }
}

async function search() {
  clearTimeout(timer);
  newest += 1;
  const mine = newest;
  const query = input.value.trim();
  history.replaceState(null, '', query === '' ? '.' : `?q=${encodeURIComponent(query)}`);
  if (ibid === undefined) return;
  try {
    const hits = query === '' ? [] : await ibid.search(query, OPTIONS);
    if (mine !== newest) return;
    problem.hidden = true;
    show(hits);
    if (query === '') tellReady();
    else if (hits.length === 0) status.textContent = 'Nothing here matches. Try other words, or fewer.';
    else if (hits.some(({ relevance }) => relevance >= 0.5)) status.textContent = counted(hits.length, 'passage');
    else status.textContent = 'Nothing here matches well; this comes nearest.';
  } catch (error) {
    if (mine === newest) fail(error);
  }
}

/** Moves between the box and what can be opened below it. */
function move(event, by) {
  const stops = [input, ...results.querySelectorAll('a, summary')];
  const next = stops[stops.indexOf(document.activeElement) + by];
  if (next === undefined || !stops.includes(document.activeElement)) return;
  event.preventDefault();
  next.focus();
}

addEventListener('keydown', (event) => {
  const { key, ctrlKey, metaKey, altKey } = event;
  if (ctrlKey || metaKey || altKey) return;
  if (key === 'ArrowDown' || key === 'ArrowUp') move(event, key === 'ArrowDown' ? 1 : -1);
  else if ((key === '/' || key === 'Escape') && document.activeElement !== input) {
    event.preventDefault();
    input.select();
  }
});
input.addEventListener('input', () => {
  clearTimeout(timer);
  timer = setTimeout(search, PAUSE_MS);
});
input.form.addEventListener('submit', (event) => {
  event.preventDefault();
  search();
});

input.value = new URLSearchParams(location.search).get('q') ?? '';
try {
  ibid = await Ibid.load({ index: './site.ibid' });
  tellReady();
  await search();
} catch (error) {
  fail(error);
}
