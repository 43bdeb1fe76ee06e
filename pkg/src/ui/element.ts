import type { Ibid } from '../ibid.js';
import type { Filter, HitIndex } from '../search-types.js';
import { Base, el, styled } from './dom.js';
import { LANGUAGE_FIELD } from './language.js';
import { located } from './pages.js';
import { THEME } from './theme.js';
import type { AnyIbid } from './types.js';
import { hasSeveral, VERSION_FIELD } from './version.js';
import { english } from './words/en.js';
import { type Words, wordsOf } from './words.js';

/** A passage with its address, its file, and its index if there are several. */
export interface Passage {
  url: string | null;
  source: string;
  index?: HitIndex;
}

/** The indexes that elements of this page have opened, by address: two elements of one index share it. */
const opened = new Map<string, Promise<AnyIbid>>();

/** Asks for the wasm while the code that runs it is still on its way, where the package's files lie as it brings them. */
function preloadWasm(): void {
  const { url } = import.meta;
  if (!url.endsWith('/ui/index.js')) return;
  const { href } = new URL('../wasm/ibid_bg.wasm', url);
  document.head.append(el('link', { rel: 'preload', as: 'fetch', crossorigin: '', href }));
}

/** Keeps letters from a page whose own shortcuts would take them: it can't see that they are typed into a field. */
function keepKey(event: Event): void {
  const { ctrlKey, metaKey, altKey } = event as KeyboardEvent;
  if (!(ctrlKey || metaKey || altKey)) event.stopPropagation();
}

/** The base of both elements: an index that is loaded when it is needed, and words in the page's language. */
export abstract class IbidElement extends Base {
  /** @internal What the element says. */
  words: Words = english;
  #given: Promise<AnyIbid> | undefined;

  /** Builds what is in the shadow root, anew where words or attributes have changed. */
  protected abstract build(): void;

  /** The element's own styles. */
  protected abstract readonly styles: string;

  connectedCallback(): void {
    if (this.shadowRoot === null) {
      const root = this.attachShadow({ mode: 'open' });
      styled(root, THEME, this.styles);
      for (const type of ['keydown', 'keypress', 'keyup']) root.addEventListener(type, keepKey);
    }
    this.build();
    void this.#speak();
  }

  attributeChangedCallback(name: string, before: string | null, now: string | null): void {
    if (before === now || !this.isConnected || this.shadowRoot === null || name === 'index') return;
    if (name === 'lang') void this.#speak();
    else this.build();
  }

  /**
   * The index, which is fetched when it is first asked for; set it to one that the page has loaded, or to `undefined` for
   * the one that the attribute names.
   */
  get ibid(): Promise<AnyIbid> {
    return this.#given ?? this.#open();
  }

  set ibid(ibid: AnyIbid | Promise<AnyIbid> | undefined) {
    this.#given = ibid === undefined ? undefined : Promise.resolve(ibid);
  }

  /** Loads code and index before the first letter; what fails is told when it is used. */
  protected warm(): void {
    void this.ibid.catch(() => {});
  }

  protected within<T extends HTMLElement = HTMLElement>(selector: string): T | null {
    return this.shadowRoot?.querySelector<T>(selector) ?? null;
  }

  /** @internal A passage with the address that the attribute `links` wants. */
  located<P extends Passage>(passage: P): P {
    const index = new URL(passage.index?.url ?? this.getAttribute('index') ?? '', document.baseURI).href;
    return located(passage, this.getAttribute('links'), index);
  }

  /**
   * @internal Makes the filter for documents in the reader's language and in the open version, by those of `fields` that have
   * several.
   */
  async readable(ibid: Ibid, fields = [LANGUAGE_FIELD, VERSION_FIELD]): Promise<Filter | undefined> {
    const several = fields.filter((field) => hasSeveral(ibid, field));
    // With a single language there is nothing to choose, nor code for it to fetch.
    if (several.length === 0) return undefined;
    const { readable } = await import('./readable.js');
    return readable(ibid, several, this.language());
  }

  /** Sends an event that may be cancelled; returns false if it was. */
  protected tell(name: string, detail: unknown): boolean {
    return this.dispatchEvent(new CustomEvent(name, { detail, bubbles: true, composed: true, cancelable: true }));
  }

  async #open(): Promise<AnyIbid> {
    if (opened.size === 0) preloadWasm();
    const { Ibid, IbidError } = await import('../index.js');
    const index = this.getAttribute('index');
    if (!index) {
      const hint = `Set \`index\` to its address: <${this.localName} index="/site.ibid">.`;
      throw new IbidError('invalid-option', `<${this.localName}> has no index.`, { hint });
    }
    const addresses = index
      .trim()
      .split(/\s+/)
      .map((address) => new URL(address, document.baseURI).href);
    const key = [...addresses, this.getAttribute('names'), this.getAttribute('weights')].join(' ');
    const known = opened.get(key);
    if (known !== undefined) return known;
    const [first = '', ...more] = addresses;
    const opening: Promise<AnyIbid> = more.length
      ? import('./several.js').then(({ openAll }) => openAll(this, addresses))
      : Ibid.load({ index: first });
    opened.set(key, opening);
    // The next use tries again.
    opening.catch(() => opened.delete(key));
    return opening;
  }

  /** Reads the language of the page around the element. */
  protected language(): string {
    return this.closest<HTMLElement>('[lang]')?.lang || navigator.language || 'en';
  }

  async #speak(): Promise<void> {
    const words = await wordsOf(this.language());
    if (words === this.words) return;
    this.words = words;
    this.rebuild();
  }

  /** Builds all anew once words or a model have come, before which a reader may have begun to type. */
  protected rebuild(): void {
    if (!this.isConnected) return;
    const focused = this.shadowRoot?.activeElement?.localName;
    this.build();
    if (focused !== undefined) this.within(focused)?.focus();
  }
}

/** An error as it can be told: one without a code is of code that could not be fetched. */
export interface Told {
  code?: string;
  message?: string;
  hint?: string;
}

/** Errors of code and index: visitors cannot mend them, and are told no more than that. */
const OF_LOADING = /^(?:index|model|wasm)-/;

/** Returns what to say of an error, and the details for who has to mend it. */
export function problem({ code, message = '', hint = '' }: Told, words: Words): { say: string; details: string } {
  if (location.protocol === 'file:') return { say: words.fromFile, details: '' };
  if (navigator.onLine === false) return { say: words.offline, details: '' };
  if (code === undefined) return { say: words.failed, details: '' };
  if (code === 'network' || code === 'timeout') return { say: words.unreached, details: `${hint} [${code}]` };
  if (OF_LOADING.test(code)) return { say: words.failed, details: `${message} ${hint} [${code}]` };
  return { say: message, details: `${hint} [${code}]` };
}
