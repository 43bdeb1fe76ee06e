import type { Ibid } from '../ibid.js';
import type { Facet, PageHits, SearchOptions } from '../search-types.js';
import { isElsewhere, keepPlace, keptPlace, type Place, readQuery, writeQuery } from './address.js';
import { ownAnswers } from './answers.js';
import { offerTo } from './assistant.js';
import { boxes, press } from './boxes.js';
import type { Choices } from './choices.js';
import { el } from './dom.js';
import { IbidElement, problem, type Told } from './element.js';
import { findIn, LIMIT, RELEVANT, refined } from './find.js';
import { icon } from './icons.js';
import { KeptStore } from './kept.js';
import { composes, isShortcut, shortcutName } from './keys.js';
import { LANGUAGE_FIELD } from './language.js';
import { anonymous, pageTitle, section } from './pages.js';
import { searchPanel } from './panel.js';
import { keepRow, type Option, showPages, togglePassage } from './results.js';
import { SEARCH_STYLE } from './search-style.js';
import { showStart } from './start.js';
import { keepTarget, showTarget } from './target.js';
import type { AnyIbid, Found } from './types.js';
import { hasSeveral, VERSION_FIELD } from './version.js';
import { filled } from './words.js';

/** The pauses after a letter from which words are searched for, and vectors too, and the time until a search was meant. */
const TYPING_MS = 80;
const PAUSE_MS = 250;
const MEANT_MS = 1000;

/** `<ibid-search index="/site.ibid">`: a button and a dialog, or with `inline` a form, that search an index. */
export class IbidSearch extends IbidElement {
  static readonly observedAttributes = ['index', 'lang', 'placeholder'];
  protected readonly styles = SEARCH_STYLE;
  /** Opens or closes the first search box of the page if an event is its shortcut. */
  static readonly press = press;

  /** Ends the search for what stood in the box before. */
  #superseded = new AbortController();
  #results: { query: string; pages: PageHits[] } | undefined;
  #typing: ReturnType<typeof setTimeout> | undefined;
  #meant: ReturnType<typeof setTimeout> | undefined;
  /** True from a letter on until what it finds is shown, and if Enter waits for that. */
  #searches = false;
  #enters = false;
  #options: Option[] = [];
  #active = -1;
  /** The place to go back to when results are there, and true while another page takes this one's place. */
  #place: Place | undefined;
  #leaves = false;
  /** The choices of the visitor besides the words, once there is something to choose. */
  #choices: Choices | undefined;
  readonly #kept = new KeptStore();
  #offered: AbortController | undefined;

  readonly #dialog = () => this.within<HTMLDialogElement>('dialog');
  readonly #input = () => this.within<HTMLInputElement>('input') as HTMLInputElement;
  readonly #list = () => this.within('#results') as HTMLElement;
  readonly #askButton = () => this.within('.ask') as HTMLElement;
  readonly #start = () => this.within('.start') as HTMLElement;
  readonly #scroller = () =>
    (this.hasAttribute('inline') ? document.scrollingElement : this.within('.scroll')) as HTMLElement;

  override connectedCallback(): void {
    super.connectedCallback();
    boxes.add(this);
    this.#offered = offerTo(this);
    showTarget();
    const question = this.hasAttribute('answers') ? readQuery('ask') : null;
    const query = readQuery(this.#parameter);
    if (question) {
      this.open(question);
      this.#ask();
    } else if (query) this.#reopen(query);
  }

  /** @internal */
  pressed(event: KeyboardEvent): void {
    if (event.defaultPrevented || this.getAttribute('shortcuts') === 'off' || !isShortcut(event)) return;
    event.preventDefault();
    event.stopImmediatePropagation();
    if (this.#dialog()?.open) this.close();
    else this.open();
  }

  /** @internal */
  comeBack(): void {
    const query = readQuery(this.#parameter);
    // A form that already shows it has nothing to go back to.
    const isShown = this.#dialog()?.open ?? this.#input().value === query;
    // WebKit resets the field of a page from its cache a moment later.
    this.#input().defaultValue = query ?? '';
    if (query && !isShown) this.#reopen(query);
  }

  /** @internal */
  fit(height: number): void {
    this.#dialog()?.style.setProperty('--_seen', `${height}px`);
  }

  #reopen(query: string): void {
    this.#place = keptPlace();
    this.open(query);
  }

  disconnectedCallback(): void {
    boxes.delete(this);
    this.#offered?.abort();
    this.#rest();
    this.#enters = false;
  }

  /** Loads the index, and the code that all searches of the box need. */
  protected override warm(): void {
    const prepare = async (ibid: Ibid) => ibid.prepare(await this.#optionsOf(ibid));
    const all = async (ibid: AnyIbid) => Promise.all(('each' in ibid ? ibid.loaded : [ibid]).map(prepare));
    void this.ibid.then(all).catch(() => {});
  }

  #rest(): void {
    clearTimeout(this.#typing);
    clearTimeout(this.#meant);
    this.#typing = undefined;
  }

  /** Opens the dialog, or goes to the form, and searches for `query` if one is given. */
  open(query?: string): void {
    const dialog = this.#dialog();
    this.#leaves = false;
    if (dialog !== null && !dialog.open) dialog.showModal();
    const input = this.#input();
    if (query !== undefined) input.value = query;
    if (dialog !== null) input.select();
    if (query === undefined) input.focus();
    void this.#search();
  }

  /** Closes the dialog. */
  close(): void {
    this.#dialog()?.close();
    // At once: the box of a closed dialog keeps the focus for a moment.
    this.within('.open')?.focus({ preventScroll: true });
  }

  get #parameter(): string | null {
    const name = this.getAttribute('query-parameter') ?? 'q';
    return name === 'none' ? null : name;
  }

  get #keeps(): boolean {
    return this.getAttribute('history') !== 'off';
  }

  protected override build(): void {
    const words = this.words;
    const query = this.within<HTMLInputElement>('input')?.value ?? '';
    const isOpen = this.#dialog()?.open ?? false;
    const panel = searchPanel(words, this.getAttribute('placeholder'), this.hasAttribute('inline'));
    if (this.hasAttribute('inline')) {
      this.shadowRoot?.replaceChildren(panel);
    } else {
      const hint = el('kbd', { 'aria-hidden': 'true', part: 'shortcut' }, shortcutName());
      const shown = el('span', { part: 'label' }, el('slot', {}, words.search));
      const open = el(
        'button',
        { type: 'button', class: 'open', part: 'button', 'aria-haspopup': 'dialog' },
        icon('search'),
      );
      open.append(shown, hint);
      open.setAttribute('aria-keyshortcuts', 'Control+K');
      const dialog = el('dialog', { part: 'dialog', 'aria-label': words.label }, panel);
      this.shadowRoot?.replaceChildren(open, dialog);
      open.addEventListener('click', () => this.open());
      for (const event of ['pointerenter', 'focus']) open.addEventListener(event, () => this.warm(), { once: true });
      dialog.addEventListener('click', (event) => event.target === dialog && this.close());
      dialog.addEventListener('close', () => this.#closed());
      if (isOpen) dialog.showModal();
    }
    this.#listen();
    if (query !== '') this.#input().value = query;
    if (query !== '' || isOpen) void this.#search();
  }

  #listen(): void {
    const input = this.#input();
    input.addEventListener('focus', () => this.warm(), { once: true });
    input.addEventListener('input', (event) => {
      clearTimeout(this.#typing);
      this.#select(-1);
      this.#searches = true;
      this.#enters = false;
      this.#place = undefined;
      const isWhole = (event as InputEvent).inputType === 'insertFromPaste';
      this.#typing = setTimeout(() => this.#search(!isWhole), TYPING_MS);
    });
    input.addEventListener('keydown', (event) => this.#key(event));
    this.within('.close')?.addEventListener('click', () => this.close());
    this.within('.clear')?.addEventListener('click', () => {
      this.#empty();
      input.focus();
    });
    this.#askButton().addEventListener('click', () => this.#ask());
    this.#list().addEventListener('click', (event) => {
      const at = this.#options.findIndex(({ element }) => event.composedPath().includes(element));
      if (at >= 0) this.#opened(at, event);
    });
    this.#list().addEventListener('pointermove', (event) => {
      const at = this.#options.findIndex(({ element }) => event.composedPath().includes(element));
      if (at >= 0 && at !== this.#active) this.#select(at, false);
    });
  }

  #key(event: KeyboardEvent): void {
    const { key } = event;
    const last = this.#options.length - 1;
    const next = { ArrowDown: this.#active + 1, ArrowUp: this.#active - 1, Home: 0, End: last }[key];
    if (composes(event) || event.ctrlKey || event.metaKey || event.altKey) return;
    this.#enters = false;
    if (next !== undefined && last >= 0 && (this.#active >= 0 || key.startsWith('Arrow'))) {
      event.preventDefault();
      // Around: behind the last comes the first.
      this.#select((next + last + 1) % (last + 1));
    } else if (key === 'Enter') {
      event.preventDefault();
      if (event.shiftKey && !this.#askButton().hidden) this.#ask();
      else this.#enter();
    } else if (key === 'Escape' && (this.#input().value !== '' || this.#dialog() !== null)) {
      event.preventDefault();
      // WebKit's search field keeps the key from the dialog.
      if (this.#input().value === '') this.close();
      else this.#empty();
    }
  }

  #empty(): void {
    this.#input().value = '';
    void this.#search();
  }

  /** Opens the chosen result, else the first; that of the last letters, once it is there. */
  #enter(): void {
    if (this.#active < 0 && this.#searches) {
      this.#enters = true;
      if (this.#typing !== undefined) void this.#search();
      return;
    }
    if (this.#active < 0) this.#select(0);
    this.#options[this.#active]?.element.click();
  }

  #select(at: number, scrolls = true): void {
    this.#options[this.#active]?.element.setAttribute('aria-selected', 'false');
    const option = this.#options[at]?.element;
    this.#active = option === undefined ? -1 : at;
    option?.setAttribute('aria-selected', 'true');
    if (scrolls) option?.scrollIntoView({ block: 'nearest' });
    if (option === undefined) this.#input().removeAttribute('aria-activedescendant');
    else this.#input().setAttribute('aria-activedescendant', option.id);
  }

  /** Gives up what is being searched for, and returns the signal that ends the next search. */
  #next(): AbortSignal {
    this.#rest();
    this.#superseded.abort();
    this.#superseded = new AbortController();
    return this.#superseded.signal;
  }

  /** Searches for what stands in the box: while letters come by words alone, and by vectors too once they pause. */
  async #search(isTyped = false, signal = this.#next()): Promise<void> {
    this.#rest();
    const query = this.#input().value.trim();
    writeQuery(this.#parameter, query);
    this.#own()?.toggleAttribute('hidden', true);
    this.#showAsk(query);
    if (query === '' && !this.#choices?.isList) return this.#showStart(signal);
    this.#searches = true;
    if (isTyped) this.#typing = setTimeout(() => this.#search(false, signal), PAUSE_MS - TYPING_MS);
    const isLate = () => this.#searches && !signal.aborted && this.#results?.query !== query;
    const late = setTimeout(() => isLate() && this.#say(this.words.loading), 300);
    const found = await this.#find(query, signal, isTyped ? 'typed' : 0).catch((error: Told) => error);
    clearTimeout(late);
    // Vectors may have come before words; and what words alone do not find, they may.
    if (signal.aborted || (isTyped && !(this.#searches && 'pages' in found && found.pages.length > 0))) return;
    if (isTyped && 'pages' in found) return this.#show(query, found);
    // Letters may have come that no search is on its way for yet: Enter waits for theirs.
    this.#searches = this.#input().value.trim() !== query;
    if ('pages' in found) this.#show(query, found);
    else this.#fail(found);
  }

  async #find(query: string, signal: AbortSignal, offset: number | 'typed' | 'facets'): Promise<Found> {
    const optionsOf = async (one: Ibid) => ({ ...(await this.#optionsOf(one)), signal });
    const asked = { optionsOf, chosen: () => this.#choices, isGrouped: this.hasAttribute('grouped') };
    const found = await findIn(await this.ibid, query, asked, offset);
    const pages = found.pages.map((page) => ({ ...page, hits: page.hits.map((hit) => this.located(hit)) }));
    return { ...found, pages };
  }

  get #offers(): boolean {
    return this.hasAttribute('facets') || this.hasAttribute('sort');
  }

  async #optionsOf(ibid: Ibid): Promise<SearchOptions> {
    if (this.#offers || hasSeveral(ibid, VERSION_FIELD)) {
      const { Choices } = await import('./choices.js');
      this.#choices ??= new Choices(this);
    }
    if (this.#choices) return this.#choices.options(ibid);
    return { groupBy: 'page', filter: await this.readable(ibid, [LANGUAGE_FIELD]) };
  }

  /** Shows the pages behind those that are shown. */
  async #more(query: string, offset: number): Promise<void> {
    const { signal } = this.#superseded;
    const found = await this.#find(query, signal, offset).catch((error: Told) => error);
    if (signal.aborted) return;
    if (!('pages' in found)) return this.#fail(found);
    const { length } = this.#options;
    this.#options = showPages(this.#list(), this.#options, found.pages, this);
    this.#showMore(query, found, offset + LIMIT);
    this.#input().focus();
    this.#select(length);
  }

  #showMore(query: string, { total }: Found, offset: number): void {
    const button = this.within('.more') as HTMLButtonElement;
    button.hidden = offset >= total;
    button.onclick = () => void this.#more(query, offset);
  }

  #show(query: string, found: Found): void {
    const words = this.words;
    // What was chosen while these were looked for stays so, and where it is if they are for the same query.
    const chosen = this.#options[this.#active];
    const before = this.#results?.query === query ? this.#results.pages : undefined;
    const pages = before ? refined(before, found.pages, chosen?.hit) : found.pages;
    this.#results = { query, pages };
    const hits = pages.flatMap(({ hits }) => hits);
    this.#start().replaceChildren(
      ...(found.silent ?? []).map(({ name }) => el('p', { class: 'problem small' }, filled(words.silent, { name }))),
    );
    this.#list().replaceChildren();
    this.#options = showPages(this.#list(), [], pages, this);
    this.#list().hidden = hits.length === 0;
    if (!before) (this.within('.scroll') as HTMLElement).scrollTop = 0;
    this.#input().setAttribute('aria-expanded', String(hits.length > 0));
    this.#select(keepRow(this.#options, chosen, before !== undefined));
    // While vectors are on their way, more would not be what comes behind.
    this.#showMore(query, found, this.#searches ? Number.POSITIVE_INFINITY : LIMIT);
    this.#showChoices(found.facets);
    // Words have been found, and vectors are on their way.
    const count = filled(words.found, { count: Math.max(this.#searches ? 0 : found.total, pages.length) });
    if (this.#searches) {
      this.#say(count);
      return;
    }
    if (this.#enters) {
      this.#enters = false;
      this.#select(0);
      this.#enter();
    }
    this.#goBack();
    const isAny = hits.some(({ relevance }) => relevance >= RELEVANT);
    if (hits.length === 0) this.#say(filled(words.none, { query }));
    else this.#say(isAny ? count : words.weak);
    if (query === '') return;
    this.#meant = setTimeout(() => {
      if (this.#keeps && isAny) this.#kept.searched(query);
      this.tell('ibid-query', { query: anonymous(query), hits: hits.length });
    }, MEANT_MS);
  }

  /** Goes to the row that the visitor has come back from. */
  #goBack(): void {
    if (this.#place === undefined) return;
    this.#scroller().scrollTop = this.#place.scrolled;
    this.#select(this.#place.row);
    this.#place = undefined;
  }

  #showChoices(facets: readonly Facet[]): void {
    this.#choices?.show(this.within('.facets') as HTMLElement, facets, this.words, () => void this.#search());
  }

  /** Shows what there is before the first letter: what was searched for and opened before, or what to do. */
  #showStart(signal: AbortSignal): void {
    this.#clear(this.#offers);
    const kept = el('div');
    this.#start().append(kept);
    const isKept = this.#keeps && showStart(kept, this.#kept, this.words, (query) => this.open(query));
    this.#say(isKept || this.hasAttribute('inline') ? '' : this.words.start);
    void this.#showOffers(signal).catch(() => {});
  }

  /** Shows what the index offers before the first letter: pages that its author names, and filters. */
  async #showOffers(signal: AbortSignal): Promise<void> {
    const ibid = await this.ibid;
    const popular = 'each' in ibid ? await ibid.popular() : ibid.info.popular;
    if (popular?.length) {
      const { showPopular } = await import('./choices.js');
      if (!signal.aborted) showPopular(this.#start(), popular, this);
    }
    if (signal.aborted || !this.#offers) return;
    const { facets } = await this.#find('', signal, 'facets');
    if (!signal.aborted) this.#showChoices(facets);
  }

  #clear(keepsChoices = false): void {
    this.#results = undefined;
    this.#searches = false;
    this.#enters = false;
    this.#options = [];
    this.#select(-1);
    this.#list().replaceChildren();
    this.#list().hidden = true;
    this.#start().replaceChildren();
    this.#input().setAttribute('aria-expanded', 'false');
    (this.within('.more') as HTMLElement).hidden = true;
    (this.within('.facets') as HTMLElement).hidden ||= !keepsChoices;
  }

  #fail(error: Told): void {
    this.#clear();
    const { say, details } = problem(error, this.words);
    this.#say(say);
    const again = el('button', { type: 'button', class: 'plain again' }, this.words.again);
    again.addEventListener('click', () => void this.#search());
    this.#start().replaceChildren(el('p', { class: 'problem small' }, details), again);
  }

  #say(text: string): void {
    (this.within('.status') as HTMLElement).textContent = text;
  }

  /** The element that answers questions, where the page has one, or with `answers` that of the search box itself. */
  get #asker(): (HTMLElement & { ask(question: string): void }) | null {
    return this.#own() ?? document.querySelector(this.getAttribute('ask') ?? 'ibid-ask');
  }

  readonly #own = () => ownAnswers(this, this.within('.scroll'));

  #showAsk(query: string): void {
    const button = this.#askButton();
    button.hidden = query === '' || this.#asker === null;
    button.replaceChildren(icon('ask'), filled(this.words.askAbout, { query }));
    (this.within('.to-ask') as HTMLElement).hidden = button.hidden;
  }

  #ask(): void {
    const question = this.#input().value.trim();
    const asker = this.#asker;
    const own = this.#own();
    if (own === null) this.close();
    else {
      this.#next();
      this.#clear();
      this.#say('');
      this.#showAsk('');
      own.ibid = this.ibid;
      own.hidden = false;
    }
    asker?.scrollIntoView({ block: 'start' });
    asker?.ask(question);
  }

  #opened(at: number, event: MouseEvent): void {
    const chosen = this.#options[at];
    if (chosen === undefined) return;
    const { hit, element } = chosen;
    const href = element.getAttribute('href');
    const query = this.#input().value.trim();
    const detail = { query: anonymous(query), hits: this.#options.length, href, rank: at + 1 };
    if (!this.tell('ibid-click', detail)) event.preventDefault();
    if (event.defaultPrevented) return;
    if (href === null) {
      togglePassage(chosen);
      return;
    }
    if (this.#keeps) {
      this.#kept.searched(query);
      this.#kept.opened({ title: pageTitle(hit), section: section(hit), href });
    }
    keepTarget(hit, element as HTMLAnchorElement);
    // A page in another tab leaves this one as it is.
    if (event.ctrlKey || event.metaKey || event.shiftKey) return;
    this.#next();
    this.#leaves = isElsewhere(href);
    writeQuery(this.#parameter, query); // The last letters may not have been searched for.
    if (this.#leaves) keepPlace({ row: at, scrolled: this.#scroller().scrollTop });
    this.close();
  }

  #closed(): void {
    this.#enters = false;
    this.#next();
    // The address that is left has the query, for those who come back to it.
    if (!this.#leaves) writeQuery(this.#parameter, '');
    this.within('.open')?.focus({ preventScroll: true });
  }
}
