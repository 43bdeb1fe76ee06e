import type { EmbedQuery, Engine } from '../engine.js';
import { IbidError } from '../error.js';
import type { IndexInfo } from '../types.js';
import type { CollectionEngine } from './module.js';

/** A collection of a search engine instead of an index: what only an index can do, it refuses by name. */
export class CollectionIndex implements Engine {
  readonly #kind: 'qdrant' | 'chroma';
  readonly #engine: CollectionEngine;

  constructor(kind: 'qdrant' | 'chroma', engine: CollectionEngine) {
    this.#kind = kind;
    this.#engine = engine;
  }

  info(): IndexInfo {
    const known = this.#engine.info();
    return {
      ...{ formatVersion: 0, sections: 0, bytes: 0, encoder: null, wordsAlone: null },
      ...{ chunking: {}, layout: {}, queryEncoder: 'table' as const },
      ...known,
      engine: this.#kind,
    };
  }

  search(query: string, signal?: AbortSignal): Promise<string> {
    return this.#engine.search(query, signal);
  }

  find(query: string, signal?: AbortSignal): Promise<string> {
    return this.#engine.find(query, signal);
  }

  embedBy(embed?: EmbedQuery): void {
    this.#engine.embedBy(embed);
  }

  /** The module that searches collections stems all languages. */
  wantedStemmer(): undefined {}

  replaceTable(table: Uint8Array): void {
    this.#engine.replaceTable(table);
  }

  /** Nothing is fetched ahead: the engine has the passages, and a query's rows of the table come with the query. */
  async prefetch(): Promise<void> {}

  free(): void {
    this.#engine.free();
  }

  async candidates(): Promise<string> {
    return refuse('rerank');
  }

  async searchScored(): Promise<string> {
    return refuse('rerank');
  }

  async facets(): Promise<string> {
    return refuse('facets');
  }

  suggest(): string {
    return refuse('suggest');
  }

  async nearest(): Promise<string> {
    return refuse('nearest');
  }

  replace(): void {
    refuse('replace');
  }

  attach(): void {
    refuse('add');
  }

  remove(): boolean {
    return refuse('remove');
  }

  /** The engine has it. */
  async directory(): Promise<void> {}

  file(): Uint8Array {
    return refuse('export');
  }
}

function refuse(name: string): never {
  throw new IbidError('invalid-option', `\`${name}\` is for an index; a collection in a search engine cannot do it.`, {
    hint: 'Load the index file for that. `ibid push` changes what a collection holds.',
  });
}
