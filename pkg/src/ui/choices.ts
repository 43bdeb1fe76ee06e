/** The choices of a visitor besides the words: values of fields, the version that is open, and an order. */
import type { Ibid } from '../ibid.js';
import type { Facet, Filter, SearchOptions } from '../search-types.js';
import { hasSeveral } from './element.js';
import { LANGUAGE_FIELD } from './language.js';
import { type Chosen, showFacets } from './results.js';
import { inVersion, VERSION_FIELD } from './version.js';
import type { Words } from './words.js';

/** A search box, with the filter for its reader's language. */
type Box = HTMLElement & { readable(ibid: Ibid, fields: string[]): Promise<Filter | undefined> };

export class Choices {
  /** The chosen values of each field. */
  readonly values: Chosen = new Map();
  /** The field that results are sorted by; `undefined` for their relevance. */
  sort: string | undefined;
  /** The code of orders and popular pages, once a box needs it. */
  browsing: typeof import('./browse.js') | undefined;
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
  fields(attribute: string): string[] {
    return (this.#box.getAttribute(attribute) ?? '').split(/[\s,]+/).filter((field) => field !== '');
  }

  /** Gathers the options that all searches of the box have in common: by page, with what was chosen. */
  async options(ibid: Ibid): Promise<SearchOptions> {
    // An index need not have every field that the page names.
    const isField = (name: string) => ibid.info.fields.some((field) => field.name === name);
    const facets = new Set(this.fields('facets').filter(isField));
    if (this.fields('sort').length > 0) this.browsing ??= await import('./browse.js');
    if (hasSeveral(ibid, VERSION_FIELD)) {
      facets.add(VERSION_FIELD);
      // The open one, until its reader lets it go.
      this.#versioned ??= import('./readable.js').then(({ chooseVersion }) => chooseVersion(ibid, this.values));
      await this.#versioned;
    }
    const chosen = [...this.values].filter(([field]) => isField(field));
    const readable = this.values.has(LANGUAGE_FIELD) ? undefined : await this.#box.readable(ibid, [LANGUAGE_FIELD]);
    const and = chosen.map(([field, values]) =>
      field === VERSION_FIELD ? inVersion([...values]) : { [field]: [...values] },
    );
    if (readable !== undefined) and.push(readable);
    const sort = this.sort !== undefined && isField(this.sort) ? this.sort : undefined;
    return { groupBy: 'page', facets: [...facets], filter: and.length > 0 ? { and } : undefined, sort };
  }

  /** Shows the values of fields, and the orders that the box offers; `search` is called when one was pressed. */
  show(place: HTMLElement, facets: readonly Facet[], words: Words, search: () => void): void {
    showFacets(place, facets, this.values, words, search);
    this.browsing?.showSorts(place, this.fields('sort'), this.sort, words, (field) => {
      this.sort = field;
      search();
    });
  }
}
