/**
 * Puts the search box into a page where its theme has its own: `npx ibid site` adds this script to
 * each page of a built site.
 *
 * ```html
 * <script src="/ibid/ui/site.js" defer data-answers=""></script>
 * ```
 *
 * It is no module: browsers run none in a page that is opened from a file, which then says what is wrong.
 *
 * Attributes that begin with `data-` are those of `<ibid-search>`; `data-place` is a selector of the
 * place. The index is `site.ibid` next to the folder of the package.
 */
import { isShortcut } from './keys.js';
import type { IbidSearch } from './search.js';

/** The place where a theme has its search. */
interface Theme {
  /** The element that only this theme has, and where the search box goes from there. */
  place: string;
  where: InsertPosition;
  /** The theme's own search, which it replaces. */
  hide?: string;
  /** The theme's own colour of links. */
  accent?: string;
}

const THEMES: readonly Theme[] = [
  // VitePress.
  { place: '.VPNavBarSearch', where: 'afterbegin', hide: '#local-search', accent: '--vp-c-brand-1' },
  // Docusaurus.
  { place: '.navbar__items--right', where: 'beforeend', hide: '[class*="navbarSearch"]', accent: '--ifm-link-color' },
  // Starlight.
  { place: 'header .title-wrapper + div', where: 'afterbegin', hide: 'site-search', accent: '--sl-color-text-accent' },
  // Material for MkDocs.
  {
    place: '.md-header__inner',
    where: 'beforeend',
    hide: '.md-search, [for="__search"]',
    accent: '--md-typeset-a-color',
  },
  // Themes on PyData's, such as the Sphinx Book Theme.
  {
    place: '.search-button',
    where: 'beforebegin',
    hide: '.search-button, .search-button-field',
    accent: '--pst-color-link',
  },
  // Furo and other themes of Sphinx.
  {
    place: 'form[action$="search.html"]',
    where: 'beforebegin',
    hide: 'form[action$="search.html"]',
    accent: '--color-link',
  },
  // mdBook.
  {
    place: '.left-buttons',
    where: 'beforeend',
    hide: '[id$="search-toggle"], [id$="search-wrapper"]',
    accent: '--links',
  },
  // Anything else.
  { place: 'header nav', where: 'beforeend' },
  { place: 'nav', where: 'beforeend' },
  { place: 'header', where: 'beforeend' },
  { place: 'body', where: 'afterbegin' },
];

/** On a narrow screen a header has no room for words. */
const NARROW = `@media (max-width: 48rem) {
  ibid-search.ibid-site::part(shortcut) { display: none; }
  ibid-search.ibid-site::part(label) { position: absolute; clip-path: inset(50%); width: 1px; overflow: hidden; }
}
.ibid-site { margin: 0.25rem 0.5rem; }`;

const script = (document.currentScript ??
  document.querySelector('script[src$="ui/site.js"]')) as HTMLScriptElement | null;
const { place: own, ...given } = script?.dataset ?? {};
const { shortcuts } = given;
const isFile = location.protocol === 'file:';

/** True once a visitor has pressed the key of a box that is not there yet. */
let isWanted = false;
/** Gives keys to the box, once its code is there: a theme may have begun to listen since this script ran. */
let press: typeof IbidSearch.press | undefined;

function early(event: KeyboardEvent): void {
  press?.(event);
  if (press !== undefined) return;
  if (shortcuts === 'off' || !isShortcut(event)) return;
  event.preventDefault();
  event.stopImmediatePropagation();
  isWanted = true;
}

/** Makes the search box, or says why there can be none. */
function made(): HTMLElement {
  if (isFile) {
    const note = document.createElement('p');
    note.className = 'ibid-site';
    note.textContent = 'Search needs a web server: run `npx ibid serve` in the folder of this site.';
    return note;
  }
  const search = document.createElement('ibid-search');
  const index = new URL('../../site.ibid', script?.src).href;
  for (const [name, value] of Object.entries({ index, links: 'source', ...given })) {
    search.setAttribute(
      name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`),
      value ?? '',
    );
  }
  search.className = 'ibid-site';
  return search;
}

function put(): void {
  if (document.querySelector('ibid-search, p.ibid-site') !== null) return;
  const themes: readonly Theme[] = own === undefined ? THEMES : [{ place: own, where: 'beforeend' }];
  for (const { place, where, hide, accent } of themes) {
    const element = document.querySelector(place);
    if (element === null) continue;
    const search = made();
    if (accent !== undefined) addStyle(`:where(ibid-search) { --ibid-accent: var(${accent}); }`);
    if (hide !== undefined && !isFile) addStyle(`${hide} { display: none !important; }`);
    element.insertAdjacentElement(where, search);
    follow(search);
    return;
  }
}

const added = new Set<string>();

function addStyle(css: string): void {
  if (added.has(css)) return;
  added.add(css);
  const sheet = new CSSStyleSheet();
  sheet.replaceSync(css);
  document.adoptedStyleSheets.push(sheet);
}

/** Gives the search box the scheme of the page's own background, whichever way the theme switches it. */
function follow(search: HTMLElement): void {
  if (search.hasAttribute('theme')) return;
  const isDark = () => {
    const colours = [document.body, document.documentElement].map((at) => getComputedStyle(at).backgroundColor);
    const [red = 255, green = 255, blue = 255, opacity = 1] =
      colours.map((colour) => (colour.match(/[\d.]+/g) ?? []).map(Number)).find(([, , , alpha = 1]) => alpha > 0) ?? [];
    return opacity > 0 && 0.299 * red + 0.587 * green + 0.114 * blue < 128;
  };
  const apply = () => search.setAttribute('theme', isDark() ? 'dark' : 'light');
  apply();
  // Themes fade from one scheme to the other.
  const later = () => setTimeout(apply, 400);
  const watch = new MutationObserver(() => {
    // One that a framework has thrown away has a successor.
    if (!search.isConnected) return watch.disconnect();
    apply();
    later();
  });
  for (const at of [document.documentElement, document.body]) watch.observe(at, { attributes: true });
  matchMedia('(prefers-color-scheme: dark)').addEventListener('change', later);
}

async function start(): Promise<void> {
  try {
    press = (await box)?.IbidSearch.press;
  } catch (error) {
    removeEventListener('keydown', early, { capture: true });
    throw error;
  }
  addStyle(NARROW);
  put();
  if (isWanted) document.querySelector<IbidSearch>('ibid-search:not([shortcuts=off])')?.open();
  // Pages that a framework builds anew lose what is not its own.
  new MutationObserver(put).observe(document.body, { childList: true, subtree: true });
}

// The box's code comes behind the key that opens it, so that a visitor of a slow network need not press it twice.
if (!isFile) addEventListener('keydown', early, { capture: true });
const box = isFile ? undefined : import('./index.js');
/** The times, 50 ms apart, that a framework has to take over the page's markup. */
let waits = 60;

/** Returns true in a page without the place of a Vue app, or once the app has taken that over. */
function isTaken(): boolean {
  const app = document.getElementById('app');
  return app === null || '__vue_app__' in app;
}

// A framework takes over the page's markup as it was sent, and complains of what else it finds there.
const whenQuiet = () => {
  if (!isTaken() && waits-- > 0) setTimeout(whenQuiet, 50);
  else (globalThis.requestIdleCallback ?? setTimeout)(start);
};
if (document.readyState === 'complete') whenQuiet();
else addEventListener('load', whenQuiet, { once: true });
