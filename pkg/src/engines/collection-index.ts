import type { Engine } from '../engine.js';
import { IbidError } from '../error.js';
import type { CollectionEngine } from './module.js';

/** Wraps a collection of a search engine instead of an index: what only an index can do, it refuses by name. */
export function collectionIndex(kind: 'qdrant' | 'chroma', engine: CollectionEngine): Engine {
  return {
    info: () => ({
      ...{ formatVersion: 0, sections: 0, bytes: 0, encoder: null, wordsAlone: null },
      ...{ chunking: {}, layout: {}, queryEncoder: 'table' },
      ...engine.info(),
      engine: kind,
    }),
    search: (query, signal) => engine.search(query, signal),
    find: (query, signal) => engine.find(query, signal),
    embedBy: (embed) => engine.embedBy(embed),
    replaceTable: (table) => engine.replaceTable(table),
    free: () => engine.free(),
    // The module that searches collections stems all languages.
    wantedStemmer: () => undefined,
    // Nothing is fetched ahead: the engine has the passages, and a query's rows of the table come with the query.
    prefetch: async () => {},
    directory: async () => {},
    candidates: refuses('rerank'),
    searchScored: refuses('rerank'),
    facets: refuses('facets'),
    suggest: refuses('suggest'),
    nearest: refuses('nearest'),
    replace: refuses('replace'),
    attach: refuses('add'),
    remove: refuses('remove'),
    file: refuses('export'),
  };
}

function refuses(name: string): () => never {
  return () => {
    throw new IbidError(
      'invalid-option',
      `\`${name}\` works with an index, but not with a collection in a search engine.`,
      { hint: 'Load the index file instead. `ibid push` changes a collection.' },
    );
  };
}
