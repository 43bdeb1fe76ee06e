// The search box: results as one types.

import { byId, el, examples } from './dom.js';
import { count, duration } from './format.js';
import { chosenFilter } from './narrow.js';
import { highlighted, openPassage, path, score } from './passage.js';
import { clearProblem, showProblem } from './problem.js';

const DEBOUNCE_MS = 120;
const FEW = 5;
const MORE = 10;
const EXAMPLES = [
  'child tugging at the ear',
  'safe blood pressure tablets in pregnancy',
  'trouble breathing after a wasp sting',
];

const form = byId('search-form');
const input = byId('search-input');
const results = byId('results');
const status = byId('search-status');
const problem = byId('search-error');
const more = byId('more-results');
const completions = byId('completions');

/** Makes the search box work; `opened` gives the index, or `null` while there is none. */
export function setUpSearch(opened) {
  let timer = 0;
  /** Only the newest search may show its results. */
  let newest = 0;

  const search = async (limit = FEW) => {
    clearTimeout(timer);
    newest += 1;
    const mine = newest;
    const query = input.value.trim();
    clearProblem(problem);
    if (query === '') return clear();
    const ibid = opened();
    if (ibid === null) {
      status.textContent = 'The index is not loaded yet.';
      return;
    }
    try {
      const start = performance.now();
      // The last word may not be finished, and any may be misspelt.
      const hits = await ibid.search(query, { limit, filter: chosenFilter(), prefix: true, typos: true });
      const took = performance.now() - start;
      if (mine === newest) show(hits, limit, took);
    } catch (error) {
      if (mine !== newest) return;
      clear();
      showProblem(problem, error, error.retryable ? [{ label: 'Try again', run: () => search(limit) }] : []);
    }
  };

  /** Offers headings that begin like what has been typed. */
  const complete = async () => {
    const typed = input.value;
    // Suggestions that cannot be fetched are left out.
    const found =
      (await opened()
        ?.suggest(typed, 6)
        .catch(() => [])) ?? [];
    if (input.value === typed) completions.replaceChildren(...found.map((value) => el('option', { value })));
  };

  const clear = () => {
    results.replaceChildren();
    status.textContent = '';
    more.hidden = true;
  };

  const show = (hits, limit, took) => {
    // Who is already among the results stays where they are, though these are of a search that ended later.
    const focused = [...results.children].findIndex((item) => item.contains(document.activeElement));
    results.replaceChildren(...hits.map(result));
    for (const item of results.children) offerMore(item);
    if (focused >= 0) (results.children[focused] ?? results.lastElementChild)?.querySelector('button').focus();
    more.hidden = hits.length < limit || limit >= MORE;
    const found = `${count(hits.length, 'passage')} in ${duration(took)}`;
    const isAny = hits.some(({ relevance }) => relevance >= 0.5);
    const place = chosenFilter() ? 'the documents of this kind' : 'the documents';
    if (hits.length === 0) status.textContent = `Nothing in ${place} matches. Try other words.`;
    else status.textContent = isAny ? found : `Nothing in ${place} matches well; this comes nearest.`;
  };

  input.addEventListener('input', () => {
    clearTimeout(timer);
    complete();
    timer = setTimeout(search, DEBOUNCE_MS);
  });
  form.addEventListener('submit', (event) => {
    event.preventDefault();
    search();
  });
  more.addEventListener('click', async () => {
    const before = results.children.length;
    await search(MORE);
    results.children[before]?.querySelector('button').focus();
  });
  input.addEventListener('keydown', (event) => {
    if (event.key === 'Escape') {
      // Not every browser clears a search field by itself.
      input.value = '';
      search();
    }
  });
  form.closest('section').addEventListener('keydown', moveByArrow);

  byId('search-examples').append(
    ...examples(EXAMPLES, (example) => {
      input.value = example;
      search();
    }),
  );
  return { refresh: () => search() };
}

function result(hit) {
  const text = el(
    'p',
    { className: 'result-text clamped' },
    ...highlighted({ text: hit.excerpt, highlights: hit.excerptHighlights }),
  );
  const title = el('button', { type: 'button', className: 'result-title', textContent: hit.title });
  title.addEventListener('click', () => openPassage(hit));
  return el(
    'li',
    { className: 'result' },
    el(
      'article',
      {},
      el(
        'header',
        { className: 'result-head' },
        el('h3', {}, title),
        el(
          'span',
          { className: 'score', title: 'Relevance to the query, at most 1; from 0.5 on a passage counts as relevant' },
          el('span', { className: 'hidden', textContent: 'Relevance ' }),
          score(hit),
          el('meter', { value: hit.relevance, max: 1, attributes: { 'aria-hidden': 'true' } }),
        ),
      ),
      el('p', { className: 'path' }, ...path(hit)),
      text,
    ),
  );
}

/** Only once it is on the page can it be seen whether a text is cut off. */
function offerMore(item) {
  const text = item.querySelector('.result-text');
  if (text.scrollHeight <= text.clientHeight + 1) return;
  const toggle = el('button', { type: 'button', className: 'quiet small', textContent: 'Show more' });
  toggle.setAttribute('aria-expanded', 'false');
  toggle.addEventListener('click', () => {
    const clamped = text.classList.toggle('clamped');
    toggle.textContent = clamped ? 'Show more' : 'Show less';
    toggle.setAttribute('aria-expanded', String(!clamped));
  });
  text.after(toggle);
}

/** Down from the box to the first result, and on; up the same way back. */
function moveByArrow(event) {
  if (event.key !== 'ArrowDown' && event.key !== 'ArrowUp') return;
  const stops = [input, ...results.querySelectorAll('.result-title')];
  const here = stops.indexOf(document.activeElement);
  const there = stops[here + (event.key === 'ArrowDown' ? 1 : -1)];
  if (here === -1 || there === undefined) return;
  event.preventDefault();
  there.focus();
}

/** Puts the cursor into the search box. */
export function focusSearch() {
  input.focus();
  input.select();
}
