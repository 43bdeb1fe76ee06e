/**
 * The choices of a visitor besides the words: values of fields, the version that is open, an order, and pages that the
 * author of an index names. Boxes without any of these never load this file.
 */
import type { Ibid } from '../ibid.js';
import type { Facet, Filter, SearchOptions } from '../search-types.js';
import type { IndexInfo } from '../types.js';
import { el } from './dom.js';
import { LANGUAGE_FIELD } from './language.js';
import { isPage } from './pages.js';
import type { Chosen, Found } from './types.js';
import { hasSeveral, inVersion, VERSION_FIELD } from './version.js';
import { filled, type Words } from './words.js';

/** The most values of a field that are offered as filters. */
const MOST_VALUES = 8;

/** A search box, with the filter for its reader's language. */
type Box = HTMLElement & { readable(ibid: Ibid, fields: string[]): Promise<Filter | undefined> };

/** A search box, with what it says and where its pages are. */
type PageBox = { words: Words; located(page: PopularPage): PopularPage };

/** A page that an index's author names. */
type PopularPage = NonNullable<IndexInfo['popular']>[number];

export class Choices {
  /** The chosen values of each field. */
  readonly values: Chosen = new Map();
  /** The field that results are sorted by; `undefined` for their relevance. */
  sort: string | undefined;
  /** The fields to sort by that an index has. */
  readonly #sorts = new Set<string>();
  /** Settles once the version that is open is chosen. */
  #versioned: Promise<void> | undefined;
  readonly #box: Box;

  constructor(box: Box) {
    this.#box = box;
  }

  /** True if the visitor has chosen which pages to see, or in which order: without words these are listed. */
  get isList(): boolean {
    return this.sort !== undefined || [...this.values.keys()].some((field) => field !== VERSION_FIELD);
  }

  /** Lists the fields that an attribute of the box names. */
  #fields(attribute: string): string[] {
    return (this.#box.getAttribute(attribute) ?? '').split(/[\s,]+/).filter((field) => field !== '');
  }

  /** Gathers the options that all searches of the box have in common: by page, with the choices of all fields but one. */
  async options(ibid: Ibid, except?: string): Promise<SearchOptions> {
    // An index need not have every field that the page names.
    const isField = (name: string) => ibid.info.fields.some((field) => field.name === name);
    const facets = new Set(this.#fields('facets').filter(isField));
    for (const field of this.#fields('sort').filter(isField)) this.#sorts.add(field);
    if (hasSeveral(ibid, VERSION_FIELD)) {
      facets.add(VERSION_FIELD);
      // The open one, until its reader lets it go.
      this.#versioned ??= import('./readable.js').then(({ chooseVersion }) => chooseVersion(ibid, this.values));
      await this.#versioned;
    }
    const readable = this.values.has(LANGUAGE_FIELD) ? undefined : await this.#box.readable(ibid, [LANGUAGE_FIELD]);
    const chosen = [...this.values].filter(([field]) => isField(field) && field !== except);
    const and = chosen.map(([field, values]) =>
      field === VERSION_FIELD ? inVersion([...values]) : { [field]: [...values] },
    );
    if (readable !== undefined) and.push(readable);
    const sort = this.sort !== undefined && isField(this.sort) ? this.sort : undefined;
    return { groupBy: 'page', facets: [...facets], filter: and.length > 0 ? { and } : undefined, sort };
  }

  /** Counts the values of chosen fields as if none of their own were chosen, so that a reader can take another. */
  async recounted(ibid: Ibid, query: string, { mode, signal }: SearchOptions, found: Found): Promise<Found> {
    const facets = found.facets.map(async (facet) => {
      if (!this.values.has(facet.field)) return facet;
      const { filter = { and: [] }, ...shared } = await this.options(ibid, facet.field);
      const all = { ...shared, mode, signal, filter, facets: [facet.field], limit: 1, group: 1 };
      return (await ibid.query(query, all)).facets[0] ?? facet;
    });
    return { ...found, facets: await Promise.all(facets) };
  }

  /** Shows the orders that the box offers and the values of fields; `search` is called when one was pressed. */
  show(place: HTMLElement, facets: readonly Facet[], words: Words, search: () => void): void {
    const root = place.getRootNode() as ShadowRoot;
    const focused = place.contains(root.activeElement) ? (root.activeElement as HTMLButtonElement) : undefined;
    const buttons = [...this.#orders(words, search), ...this.#filters(facets, search)];
    place.setAttribute('aria-label', words.filters);
    place.hidden = buttons.length === 0;
    place.replaceChildren(...buttons);
    if (focused === undefined) return;
    const same = buttons.find(({ name, value }) => name === focused.name && value === focused.value);
    (same ?? root.querySelector('input'))?.focus();
  }

  #orders(words: Words, search: () => void): HTMLButtonElement[] {
    const fields = this.#fields('sort').filter((field) => this.#sorts.has(field));
    return fields.map((field) => {
      const label = filled(words.sortBy, { field: field.replaceAll('_', ' ') });
      return toggle({ part: 'sort', value: field }, label, field === this.sort, () => {
        this.sort = field === this.sort ? undefined : field;
        search();
      });
    });
  }

  #filters(facets: readonly Facet[], search: () => void): HTMLButtonElement[] {
    const isChosen = (field: string, value: string | number | boolean) => this.values.get(field)?.has(value) ?? false;
    const shown = facets.flatMap(({ field, values }) =>
      values
        .filter(({ value }, at) => at < MOST_VALUES || isChosen(field, value))
        .map(({ value, count }) => ({ field, value, count })),
    );
    // One that leaves nothing can be taken back.
    const all = [...this.values].flatMap(([field, values]) => [...values].map((value) => ({ field, value, count: 0 })));
    shown.push(...all.filter(({ field, value }) => !shown.some((one) => one.field === field && one.value === value)));
    return shown.map(({ field, value, count }) => {
      const attributes = { part: 'facet', name: field, value: String(value) };
      return toggle(attributes, `${value} (${count})`, isChosen(field, value), () => {
        const values = this.values.get(field) ?? new Set();
        if (!values.delete(value)) values.add(value);
        if (values.size > 0) this.values.set(field, values);
        else this.values.delete(field);
        search();
      });
    });
  }
}

/** Makes a button that is pressed or not. */
function toggle(attributes: Record<string, string>, label: string, isOn: boolean, press: () => void) {
  const button = el('button', { type: 'button', 'aria-pressed': String(isOn), ...attributes }, label);
  button.addEventListener('click', press);
  return button;
}

/** Shows the pages that an author names below what the visitor has opened before. */
export function showPopular(place: HTMLElement, pages: readonly PopularPage[], box: PageBox): void {
  const rows = pages
    .map((page) => box.located(page))
    .flatMap(({ title, url, anchor }) => {
      const href = url + (anchor === null ? '' : `#${encodeURIComponent(anchor)}`);
      return url && isPage(url) ? [el('li', { class: 'kept' }, el('a', { href }, title))] : [];
    });
  if (rows.length === 0) return;
  const title = box.words.popular;
  place.append(el('p', { class: 'label' }, title), el('ul', { 'aria-label': title, part: 'popular' }, ...rows));
}
