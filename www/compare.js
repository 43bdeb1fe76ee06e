// Asks one question of ibid in three ways and of Pagefind, and shows what each finds, how fast, and for how many bytes.

import { Ibid } from './ibid/index.js';

/** The pages that each column shows. */
const LIMIT = 5;

const byId = (id) => document.getElementById(id);
const query = byId('query');
const status = byId('status');

const ibid = Ibid.load({ index: new URL('site.ibid', document.baseURI).href });
const pagefind = import('./pagefind/pagefind.js').then(async (module) => {
  // What a worker fetches, the page could not count.
  await module.options({ noWorker: true });
  return module;
});
/** Only the newest question may show what was found. */
let newest = 0;

const SEARCHES = [
  { name: 'Meaning and words', note: 'ibid, as it comes', find: (text) => byIbid(text, 'hybrid') },
  { name: 'Words', note: 'ibid, mode “lexical”', find: (text) => byIbid(text, 'lexical') },
  { name: 'Meaning', note: 'ibid, mode “vector”', find: (text) => byIbid(text, 'vector') },
  { name: 'Pagefind', note: 'its own index of this site', find: byPagefind },
];

for (const search of SEARCHES) search.place = column(search);
byId('question').addEventListener('submit', (event) => {
  event.preventDefault();
  compare(query.value.trim());
});
for (const button of document.querySelectorAll('#examples button')) {
  button.addEventListener('click', () => compare(button.textContent));
}
compare(new URLSearchParams(location.search).get('q') ?? '');

async function compare(text) {
  newest += 1;
  const mine = newest;
  query.value = text;
  if (text === '') return;
  const address = new URL(location.href);
  address.searchParams.set('q', text);
  history.replaceState(null, '', address);
  status.textContent = 'Searching …';
  // One after another, so that none waits for another's work.
  for (const { find, place } of SEARCHES) {
    const began = performance.now();
    const pages = await find(text).catch((error) => error);
    if (mine !== newest) return;
    show(place, pages, performance.now() - began);
  }
  status.textContent = '';
  tellCost();
}

async function byIbid(text, mode) {
  const { pages } = await (await ibid).query(text, { mode, groupBy: 'page', limit: LIMIT });
  return pages.map(({ title, hits: [best] }) => ({
    title,
    section: best.headingPath.at(-1),
    url: best.url && (best.anchor ? `${best.url.split('#')[0]}#${best.anchor}` : best.url),
    excerpt: best.excerpt,
  }));
}

async function byPagefind(text) {
  const { results } = await (await pagefind).search(text);
  const pages = await Promise.all(results.slice(0, LIMIT).map((result) => result.data()));
  return pages.map(({ meta, url, excerpt, sub_results: [first] }) => ({
    title: meta.title,
    section: first?.title,
    url: first?.url ?? url,
    // Its excerpts are HTML.
    excerpt: new DOMParser().parseFromString(first?.excerpt ?? excerpt, 'text/html').body.textContent,
  }));
}

function column({ name, note }) {
  const place = document.createElement('section');
  const title = Object.assign(document.createElement('h2'), { textContent: name });
  const told = Object.assign(document.createElement('p'), { className: 'note', textContent: note });
  const list = document.createElement('ol');
  place.append(title, told, list);
  place.setAttribute('aria-label', name);
  byId('columns').append(place);
  return { told, note, list };
}

function show({ told, note, list }, pages, took) {
  if (pages instanceof Error) {
    told.textContent = [pages.message, pages.hint].filter(Boolean).join(' ');
    list.replaceChildren();
    return;
  }
  told.textContent = `${note} · ${Math.max(1, Math.round(took))} ms`;
  if (pages.length === 0) told.textContent += ' · nothing found';
  list.replaceChildren(...pages.map(entry));
}

function entry({ title, section, url, excerpt }) {
  const place = document.createElement('li');
  const link = document.createElement('a');
  link.textContent = section && section !== title ? `${title}: ${section}` : title;
  if (url) link.href = url;
  const text = document.createElement('p');
  text.textContent = excerpt;
  place.append(link, text);
  return place;
}

/** Tells what both have fetched so far, code and index together, as the browser has measured it. */
function tellCost() {
  const fetched = performance.getEntriesByType('resource');
  const sum = (entries) => {
    const bytes = entries.reduce((total, { encodedBodySize }) => total + encodedBodySize, 0);
    return `${Math.round(bytes / 1000).toLocaleString('en')} kB in ${entries.length} requests`;
  };
  const own = fetched.filter(({ name }) => /\/ibid\/|site\.ibid/.test(name));
  const theirs = fetched.filter(({ name }) => name.includes('/pagefind/'));
  byId('cost').textContent =
    `Fetched so far, code and index: ibid ${sum(own)}, all three ways together; Pagefind ${sum(theirs)}.`;
}
