// Starts the page: loads the index, and connects the parts.

import { enableAsk, setUpAsk, showMode, stopAsking } from './ask.js';
import { byId } from './dom.js';
import { bytes, count, duration } from './format.js';
import { library } from './library.js';
import { setUpNarrowing } from './narrow.js';
import { clearProblem, showProblem } from './problem.js';
import { focusSearch, setUpSearch } from './search.js';
import { setUpSettings } from './settings.js';

const loaded = byId('loaded');
const progress = byId('load-progress');
const problem = byId('load-error');
const themeButton = byId('theme-button');

/** The opened index, or `null`. */
let ibid = null;
const opened = () => ibid;

setUpSettings(showMode);
setUpAsk(opened);
const search = setUpSearch(opened);
setUpTheme();
document.addEventListener('keydown', onKey);
load();

async function load() {
  const start = performance.now();
  clearProblem(problem);
  loaded.textContent = 'Loading the index…';
  progress.hidden = false;
  try {
    const { Ibid } = await library();
    ibid = await Ibid.load({ index: './site.ibid', onProgress: showProgress });
    const { info } = ibid;
    loaded.textContent = [
      count(info.documents, 'document'),
      count(info.chunks, 'passage'),
      `index of ${bytes(info.bytes)}`,
      `ready in ${duration(performance.now() - start)}`,
    ].join(' · ');
    loaded.title = `${info.model}, ${info.dimensions} dimensions, format ${info.formatVersion}`;
    enableAsk(true);
    await setUpNarrowing(ibid, search.refresh);
    search.refresh();
  } catch (error) {
    loaded.textContent = 'Not loaded: search and ask do not work.';
    showProblem(problem, error, [{ label: 'Try again', run: load }]);
  } finally {
    progress.hidden = true;
  }
}

const parts = new Map();

/** One bar for all downloads; without a moving end only once every total is known. */
function showProgress({ part, loaded: got, total }) {
  parts.set(part, { got, total });
  const all = [...parts.values()];
  if (all.some((entry) => entry.total === null)) {
    progress.removeAttribute('value');
    return;
  }
  progress.max = all.reduce((sum, entry) => sum + entry.total, 0);
  progress.value = all.reduce((sum, entry) => sum + entry.got, 0);
}

function onKey(event) {
  if (document.querySelector('dialog[open]') !== null) return;
  // Escape in the search box clears it; anywhere else it ends the run.
  if (event.key === 'Escape' && event.target.id !== 'search-input' && stopAsking()) event.preventDefault();
  const typing = event.target.closest?.('input, textarea, select, [contenteditable]');
  if (event.key === '/' && !typing && !event.ctrlKey && !event.metaKey && !event.altKey) {
    event.preventDefault();
    focusSearch();
  }
}

function setUpTheme() {
  const root = document.documentElement;
  const next = { system: 'light', light: 'dark', dark: 'system' };
  const show = () => {
    themeButton.textContent = `Theme: ${root.dataset.theme ?? 'system'}`;
  };
  themeButton.addEventListener('click', () => {
    const theme = next[root.dataset.theme ?? 'system'];
    if (theme === 'system') delete root.dataset.theme;
    else root.dataset.theme = theme;
    try {
      if (theme === 'system') localStorage.removeItem('ibid.theme');
      else localStorage.setItem('ibid.theme', theme);
    } catch {
      // Storage is switched off; the theme holds until the page closes.
    }
    show();
  });
  show();
}
