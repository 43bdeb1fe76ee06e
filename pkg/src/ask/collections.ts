import { IbidError, toIbidError } from '../error.js';
import type { FieldType } from '../search-types.js';
import { type EngineSource, isCollection } from '../sources.js';
import { cachedFind } from './cache.js';
import type { CollectionWire, FieldWire } from './module.js';
import type { Searched } from './searched.js';
import type { AskOptions, Collection } from './types.js';

/** A field is offered with its values if it has at most this many; of others a model could only guess one. */
const MOST_VALUES = 24;
const LONGEST_VALUE = 60;
/** Each field costs tokens in every call of the model. */
const MOST_FIELDS = 12;
const NAME = /^[\w-]{1,64}$/;

/** The types that a model knows by another name. */
const TYPES: Partial<Record<FieldType, FieldWire['type']>> = {
  integer: 'number',
  float: 'number',
  keywords: 'keyword',
};
const typeOf = (type: FieldType) => TYPES[type] ?? (type as FieldWire['type']);

/** Opens a collection of a search engine, with the query table of the index that was asked. */
export type OpenCollection = (source: EngineSource) => Promise<Searched>;

/** The collections that runs have opened, by the index that was asked; a page writes their addresses with each question. */
const openedBy = new WeakMap<Searched, Map<string, Promise<Searched>>>();

interface Searchable {
  index: Searched;
  description?: string | undefined;
}

/** The indexes that a run searches, by name; the first is the one that is searched if none is named. */
export class Collections {
  readonly #all: Map<string, Searchable>;
  readonly #first: Searched;

  /** `own` is the index that was asked; `open` opens a collection of a search engine. */
  static async of(own: Searched, options: AskOptions, open: OpenCollection): Promise<Collections> {
    const named = Object.entries(options.collections ?? {}).map(
      async ([name, value]): Promise<[string, Searchable]> => [name, await collectionOf(name, value, own, open)],
    );
    return new Collections(own, options, await Promise.all(named));
  }

  private constructor(own: Searched, { collections }: AskOptions, given: readonly [string, Searchable][]) {
    if (collections && given.length === 0) throw new IbidError('invalid-option', '`collections` names no index.');
    this.#all = new Map(given.length > 0 ? given : [['documents', { index: own }]]);
    this.#first = given[0]?.[1].index ?? own;
  }

  get indexes(): Set<Searched> {
    return new Set([...this.#all.values()].map(({ index }) => index));
  }

  /**
   * Describes them for a run; `undefined` if there is none. Without a model there is nobody to choose among several,
   * or among their fields, but what leaves the page matters all the same.
   */
  async wire(model: boolean): Promise<CollectionWire[] | undefined> {
    const all = [...this.#all].map(async ([name, { index, description }]) => {
      const fields = model ? await fieldsOf(index) : [];
      return {
        name,
        ...(description && { description }),
        ...(fields.length > 0 && { fields }),
        ...(index.remote && { remote: true }),
      };
    });
    const wire = await Promise.all(all);
    return wire.length > 1 || wire[0]?.fields || wire[0]?.remote ? wire : undefined;
  }

  async search(query: string, name: string | undefined, signal?: AbortSignal): Promise<string> {
    const index = name === undefined ? this.#first : this.#all.get(name)?.index;
    if (index === undefined) throw new IbidError('invalid-option', `There is no collection named ${name}.`);
    // A collection changes when somebody pushes, which nobody tells the page.
    return index.info.engine === undefined ? await cachedFind(index, query, signal) : await index.find(query, signal);
  }

  original(error: IbidError): IbidError {
    return [...this.indexes].reduce((known, index) => index.original(known), error);
  }
}

/** Lists the fields of an index that a model may filter by: those with few values, and numbers and dates. */
async function fieldsOf(index: Searched): Promise<FieldWire[]> {
  const { fields } = index.info;
  const keywords = fields.filter(({ type }) => typeOf(type) === 'keyword').map(({ name }) => name);
  const values = keywords.length > 0 ? await valuesOf(index, keywords) : new Map<string, string[]>();
  return fields
    .map(({ name, type }) => ({
      name,
      type: typeOf(type),
      ...(values.has(name) && { values: values.get(name) ?? [] }),
    }))
    .filter(({ type, values }) => type !== 'keyword' || values !== undefined)
    .slice(0, MOST_FIELDS);
}

async function collectionOf(
  name: string,
  value: NonNullable<AskOptions['collections']>[string],
  own: Searched,
  open: OpenCollection,
): Promise<Searchable> {
  if (!NAME.test(name)) {
    throw new IbidError('invalid-option', `A collection cannot be named ${JSON.stringify(name)}.`, {
      hint: 'Use letters, digits, `_` and `-`, at most 64.',
    });
  }
  const { index, description } = 'index' in value ? (value as Collection) : { index: value };
  const searched: Searched | undefined = isCollection(index) ? await opened(index, own, open) : index?.searched;
  if (searched !== undefined) return { index: searched, description };
  throw new IbidError('invalid-option', `The collection ${name} is not a loaded index.`);
}

/** Opens a collection that runs over an index name, once for each address. A failure is forgotten. */
function opened(source: EngineSource, own: Searched, open: OpenCollection): Promise<Searched> {
  const known = openedBy.get(own) ?? new Map<string, Promise<Searched>>();
  openedBy.set(own, known);
  const key = JSON.stringify(source);
  const opening = known.get(key) ?? open(source);
  known.set(key, opening);
  opening.catch(() => known.delete(key));
  return opening;
}

/** Finds the values of those fields that have few. */
async function valuesOf(index: Searched, fields: string[]): Promise<Map<string, string[]>> {
  try {
    const found = await index.facets(fields);
    const facets = found.map(({ field, values }) => [field, values.map(({ value }) => String(value))]);
    return new Map(
      (facets as [string, string[]][]).filter(
        ([, values]) =>
          values.length > 0 && values.length <= MOST_VALUES && values.every(({ length }) => length <= LONGEST_VALUE),
      ),
    );
  } catch (error) {
    const known = toIbidError(error);
    if (known.code === 'disposed') throw known;
    // A search without filters is better than none: it will tell what is the matter with the index.
    return new Map();
  }
}
