/// <reference lib="esnext.disposable" preserve="true" />
import { orAborted } from './abort.js';
import type { OpenCollection } from './ask/collections.js';
import type { AskModule } from './ask/module.js';
import type { LoadedIndex, Searched } from './ask/searched.js';
import type { Memory } from './ask/start.js';
import type { AskOptions, Conversation, ConversationOptions } from './ask/types.js';
import { AskRun } from './ask-run.js';
import { applied, type Change, openedFile } from './changes.js';
import { Talk } from './conversation.js';
import type { EncoderLink } from './encoder/link.js';
import type { Engine } from './engine.js';
import { abortedError, IbidError, toIbidError } from './error.js';
import { savesData, whenIdle } from './idle.js';
import { type Opened, openEngine, type Remote } from './load.js';
import { askModule, pageModule, searchRest } from './page-modules.js';
import type { Facet, Fields, Filter, Hit, SearchOptions, SearchResponse } from './search-types.js';
import { checkedScores, needsRest, queryWire, response, wire } from './search-wire.js';
import type { IbidSet } from './several/set.js';
import type { LoadSetOptions } from './several/types.js';
import type { AddOptions, AddReport, ByteSource, DocumentInput, IndexInfo, LoadOptions } from './types.js';
import type { WasmModule } from './wasm-module.js';

/** `Symbol.dispose`, or a stand-in where the browser does not have it yet; such a browser has no `using` either. */
const DISPOSE: typeof Symbol.dispose = Symbol.dispose ?? (Symbol.for('Symbol.dispose') as typeof Symbol.dispose);

/** The bytes of the largest index that is fetched when a page is idle. */
const LARGEST_PREFETCHED = 2 * 1024 * 1024;

/**
 * An index, opened in the page: searches it, and answers questions from it.
 *
 * ```ts
 * const ibid = await Ibid.load({ index: './site.ibid' });
 * const hits = await ibid.search('fever in children');
 * ```
 */
export class Ibid<F extends Fields = Fields> implements Disposable, LoadedIndex {
  readonly #engine: Engine;
  readonly #remote: Remote;
  readonly #table: ByteSource;
  /** The module that answers questions. */
  readonly #asker: () => Promise<AskModule>;
  /** Opens a collection that a run names. */
  readonly #open: OpenCollection;
  readonly #encoder: EncoderLink | undefined;
  /** Changes of the index since it was opened, to be made again to a later version of its file, and to what is exported. */
  readonly #changes: Change[] = [];
  /** Aborted by {@link Ibid.free}, and with it all work under way. */
  readonly #disposal = new AbortController();
  #info: IndexInfo;
  /** Counts what may make a search find something else. */
  #version = 0;
  /** @internal The index as runs use it. */
  readonly searched: Searched = this.#asSearched();
  /** The number of calls going on inside the engine; what is aborted is for a moment longer. */
  #working = 0;
  /** The times that another version took the place of a changed index, and those after which it was changed again. */
  #replaced = 0;
  #remade = 0;
  #freed = false;
  /** Called after each search that may need vectors; plans to fetch what it did not need. */
  #startPrefetch: (text: string) => void = () => {};

  private constructor(
    { engine, remote, table, encoder, restem }: Opened,
    asker: () => Promise<AskModule>,
    open: OpenCollection,
    prefetch: Prefetch,
  ) {
    this.#asker = asker;
    this.#open = open;
    this.#engine = engine;
    this.#remote = remote;
    this.#table = table;
    this.#encoder = encoder;
    this.#info = this.#told();
    remote.index?.watch(({ offsets, pieces, whole }) => {
      this.#engine.replace(offsets, pieces, whole);
      // A search meanwhile, in a language that the page has not had before, says what it lacks.
      void restem().catch(() => {});
      if (this.#changes.length > 0) this.#replaced += 1;
      this.#changed();
    });
    remote.table?.watch(({ pieces }) => {
      this.#engine.replaceTable(pieces[0] ?? new Uint8Array());
      this.#changed();
    });
    const changed = () => this.#changed();
    encoder?.connect({ engine, signal: this.#disposal.signal, changed });
    this.#planPrefetch(prefetch);
  }

  #planPrefetch(prefetch: Prefetch = 'idle'): void {
    if (prefetch === 'never' || (this.#remote.index === undefined && this.#remote.table === undefined)) return;
    // What fails is fetched when a search needs it, which then tells.
    const start = (table: boolean) => void this.#work(() => this.#engine.prefetch(table)).catch(() => {});
    if (prefetch === 'now') start(true);
    else if (!savesData() && this.#info.bytes <= LARGEST_PREFETCHED) {
      let first: string | undefined;
      this.#startPrefetch = (text) => {
        first ??= text;
        // A visitor who searches for something else will go on. A query that is still being typed begins alike.
        if (text.slice(0, 3) === first.slice(0, 3)) return;
        this.#startPrefetch = () => {};
        whenIdle(() => start(false), this.#disposal.signal);
      };
    }
  }

  /**
   * Fetches the index, the query table and the wasm module side by side, and opens the index. Of an index at an
   * address, only what is needed is fetched, see {@link LoadOptions.range}.
   *
   * Fails with `wasm-load`, `index-load` or `model-load` if one cannot be got, with `index-foreign`,
   * `index-truncated`, `index-corrupt`, `index-version`, `model-invalid` or `model-mismatch` if one is not what it
   * should be, and with `aborted`.
   */
  static async load<F extends Fields = Fields>(options: LoadOptions): Promise<Ibid<F>>;
  /** Opens several indexes, which are searched as one; fails if none of them can be opened. */
  static async load(options: LoadSetOptions): Promise<IbidSet<Ibid>>;
  static async load<F extends Fields = Fields>(
    options: LoadOptions | LoadSetOptions,
  ): Promise<Ibid<F> | IbidSet<Ibid>> {
    if (!('indexes' in options)) return await Ibid.loadWith<F>(pageModule, options);
    const { IbidSet } = await import('./several/set.js');
    return await IbidSet.load(options, (one) => Ibid.load(one));
  }

  /** @internal The same with another source of the wasm modules, for tests. */
  static async loadWith<F extends Fields = Fields>(
    wasm: WasmModule,
    options: LoadOptions,
    asker = askModule,
  ): Promise<Ibid<F>> {
    if (options.signal?.aborted) throw abortedError(options.signal.reason);
    const { askWasm, enginesWasm, prefetch } = options;
    const opened = await openEngine(wasm, options);
    const open: OpenCollection = async (index) =>
      (await Ibid.loadWith(wasm, { index, model: opened.table, enginesWasm })).searched;
    return new Ibid<F>(opened, () => asker.get(askWasm), open, prefetch);
  }

  /** The index that was loaded, as it now is: another object after every change. */
  get info(): IndexInfo {
    return this.#info;
  }

  /**
   * Finds the passages that have most to do with `query`, best first; those of a relevance below 0.5 are the nearest
   * that there are. By default vectors find what means the same, words what says the same, and both are ranked
   * together. What a search needs of the index and is not here yet is fetched first. An empty `query` with a `filter` or
   * `sort` lists documents, each by its first passage.
   *
   * Fails with `query-empty`, `invalid-option`, `filter-invalid`, `aborted` or `disposed`; with `embedder-failed` where
   * what embeds queries in place of the table does; and if something has to be fetched, with `network` or
   * `index-corrupt`.
   */
  async search(query: string, options: SearchOptions<F> = {}): Promise<Hit<F>[]> {
    return (await this.query(query, options)).hits;
  }

  /** As {@link Ibid.search}, with their number, and pages, facets and an explanation where the options ask for them. */
  async query(query: string, options: SearchOptions<F> = {}): Promise<SearchResponse<F>> {
    const { rerank, signal } = options;
    try {
      const wire = queryWire(query, options);
      return await this.#read(
        async () => {
          if (rerank === undefined) return response(await this.#engine.search(wire, signal), options);
          const candidates: [number, string][] = JSON.parse(await this.#engine.candidates(wire, signal));
          const texts = candidates.map(([, text]) => text);
          const scores = texts.length === 0 ? [] : await rerank(query, texts, signal);
          const chunks = Uint32Array.from(candidates, ([chunk]) => chunk);
          const checked = checkedScores(scores, texts.length);
          return response(await this.#engine.searchScored(wire, chunks, checked, signal), options);
        },
        wire,
        signal,
      );
    } finally {
      if (options.mode !== 'lexical') this.#startPrefetch(query);
    }
  }

  /**
   * Fetches all words and all clusters of vectors, and all of the query table. Afterwards searches need the network only
   * for the text of hits.
   *
   * Fails with `index-load`, `model-load`, `network`, `index-corrupt`, `model-invalid`, `aborted` or `disposed`.
   */
  async prefetch(options: { signal?: AbortSignal | undefined } = {}): Promise<void> {
    await this.#work(() => this.#engine.prefetch(true), options.signal);
  }

  /**
   * Finds the passages most like one that is in the index, without those of its document.
   *
   * Fails as {@link Ibid.search} does; `invalid-option` if there is no such chunk.
   */
  async moreLikeThis(hit: Pick<Hit, 'chunk'>, options: SearchOptions<F> = {}): Promise<Hit<F>[]> {
    const { signal } = options;
    const wire = queryWire('', options, { chunk: hit.chunk });
    return await this.#read(async () => JSON.parse(await this.#engine.search(wire, signal)).hits, wire, signal);
  }

  /**
   * Counts the documents with each value of the fields, of all or of those that a filter matches.
   *
   * Fails with `filter-invalid` for a field that the index does not have, `network` or `disposed`.
   */
  async facets(fields: readonly string[], filter?: Filter<F>): Promise<Facet[]> {
    const wire = [JSON.stringify(fields), JSON.stringify(filter ?? null)] as const;
    return await this.#read(async () => {
      await searchRest.join();
      return JSON.parse(await this.#engine.facets(...wire));
    });
  }

  /** Titles and headings whose words begin like those of `prefix`, for a search box; 8 by default. The first call fetches them. */
  async suggest(prefix: string, limit = 8): Promise<string[]> {
    const found = await this.#read(async () => {
      await this.#prepareChanges();
      return JSON.parse(this.#engine.suggest(prefix, limit));
    });
    return found.map(({ text }: { text: string }) => text);
  }

  /**
   * The chunks nearest to a vector of the index's space, best first, without their text: for code that has other plans with
   * them than to show them. 10 by default.
   *
   * Fails with `embedder-failed` for a vector that is none of that space, `invalid-option`, `filter-invalid`, `network`,
   * `index-corrupt` or `disposed`.
   */
  async nearest(
    vector: ArrayLike<number>,
    options: { limit?: number; filter?: Filter<F> } = {},
  ): Promise<{ chunk: number; cosine: number }[]> {
    const query = wire(options);
    return await this.#read(async () => {
      await searchRest.join();
      return JSON.parse(await this.#engine.nearest(Float32Array.from(vector), query));
    });
  }

  /**
   * Chunks and embeds documents, as those of the index were, and adds them to it. One with the id of a document of the
   * index takes its place; one that cannot be read is left out and named in the report. The index in memory alone
   * changes: keep what {@link Ibid.export} gives, where the change is to last.
   *
   * A worker does the work, see {@link AddOptions.worker}.
   *
   * Fails with `invalid-option`, `embedder-failed`, `wasm-load`, `model-load`, `model-invalid`, `model-mismatch`, `aborted` or `disposed`;
   * the index is then as it was.
   */
  async add(documents: readonly DocumentInput[], options: AddOptions = {}): Promise<AddReport> {
    const { signal } = options;
    return await this.#work(async () => {
      const { buildAddition } = await import('./build/add.js');
      const signals = [this.#disposal.signal, signal];
      const encoder = this.#encoder?.encoder;
      const { index, report } = await buildAddition(documents, this.#info, this.#table, options, signals, encoder);
      for (const given of signals) if (given?.aborted) throw abortedError(given.reason);
      if (report.documents.length > 0) {
        await this.#prepareChanges();
        this.#change(index);
      }
      return report;
    }, signal);
  }

  /**
   * Takes a document out of the index, as {@link Ibid.add} puts one in; `false` if it has none of that id.
   *
   * Fails with `network` or `disposed`.
   */
  async remove(documentId: string): Promise<boolean> {
    return await this.#read(async () => {
      await this.#prepareChanges();
      return this.#change(documentId);
    });
  }

  /** @internal Has the code come that searches with such options need. */
  async prepare(options: SearchOptions<F>): Promise<void> {
    if (needsRest(queryWire('', options))) await searchRest.join();
  }

  /**
   * Writes the index as it now is, as the bytes of a file. What has not been fetched yet is fetched first. After
   * changes all is written anew, by the module that builds, which takes as long as building without embedding.
   *
   * Fails with `network`, `index-corrupt`, `wasm-load` or `disposed`.
   */
  async export(): Promise<Uint8Array> {
    return await this.#read(async () => {
      await searchRest.join();
      const file = await openedFile(this.#engine, this.#remote.index);
      if (this.#changes.length === 0) return file;
      const { rewriteIndex } = await import('./build/rewrite.js');
      return await rewriteIndex(file, this.#changes, this.#disposal.signal);
    });
  }

  /**
   * Answers a question of 3 to 10,000 characters from the index: with {@link AskOptions.llm}, by a model that searches
   * and cites; without, by the best passages. The first question fetches the module that answers them.
   *
   * The run fails with `question-length`, `invalid-option`, `disposed`, `aborted`, `wasm-load`, `network`,
   * `context-length`, or one of the codes that begin with `provider-`.
   */
  ask(question: string, options: AskOptions = {}): AskRun {
    return this.#ask(question, options);
  }

  /**
   * Begins a conversation, or goes on with one that was exported: questions that follow one another, each understood by
   * what was said before, with sources that keep their numbers.
   *
   * Throws `invalid-option` if `from` is no exported conversation.
   */
  conversation(options: ConversationOptions = {}): Conversation {
    return new Talk(options, (question, given, memory) => this.#ask(question, given, memory));
  }

  #ask(question: string, options: AskOptions, memory?: Memory): AskRun {
    return new AskRun(
      async (emit, signal) => {
        this.#working += 1;
        try {
          const asker = this.#asker();
          // Its failure counts from when the run comes to wait for it.
          asker.catch(() => {});
          const { startAsk } = await loadStart();
          return await startAsk(
            question,
            options,
            { own: this.searched, asker, memory, open: this.#open },
            emit,
            signal,
          );
        } finally {
          this.#working -= 1;
          this.#release();
          this.#startPrefetch(question);
        }
      },
      [this.#disposal.signal, options.signal],
    );
  }

  /**
   * Gives the memory back, and ends the runs under way. They, and whatever is called afterwards, fail with `disposed`.
   */
  free(): void {
    this.#disposal.abort(new IbidError('disposed', 'This index has been freed.', { hint: 'Load it again.' }));
    // What it found before is nothing that it can be asked for any more.
    this.#version += 1;
    for (const remote of Object.values(this.#remote)) remote.close(this.#disposal.signal.reason);
    this.#release();
  }

  /** The same as {@link Ibid.free}, for `using`. */
  [DISPOSE](): void {
    this.free();
  }

  /** Lets the engine work, and gives up the wait for it if it is freed or the signal says so. */
  async #work<T>(work: () => Promise<T>, signal?: AbortSignal): Promise<T> {
    for (const reason of [this.#disposal.signal, signal]) if (reason?.aborted) throw abortedError(reason.reason);
    this.#working += 1;
    const working = (async () => {
      try {
        return await work();
      } finally {
        this.#working -= 1;
        this.#release();
      }
    })();
    try {
      return await orAborted(working, this.#disposal.signal, signal);
    } catch (error) {
      throw this.#noted(error);
    }
  }

  /**
   * Lets the engine read the index, and once more where another version of it took its place meanwhile. The code that
   * a query needs comes first.
   */
  async #read<T>(work: () => Promise<T>, query?: string, signal?: AbortSignal): Promise<T> {
    return await this.#work(async () => {
      // A vector that comes from elsewhere is an option that few searches have.
      if (query !== undefined && (this.#encoder !== undefined || needsRest(query))) await searchRest.join();
      for (;;) {
        const replaced = this.#replaced;
        if (this.#remade < replaced) await this.#remake();
        const read = await work();
        if (replaced === this.#replaced) return read;
      }
    }, signal);
  }

  /** Makes all changes again, to another version of the index. One that fails is tried again by the next read. */
  async #remake(): Promise<void> {
    await this.#prepareChanges();
    // Another read may have been faster.
    if (this.#remade === this.#replaced) return;
    this.#remade = this.#replaced;
    for (const change of this.#changes) applied(this.#engine, change);
    this.#changed();
  }

  /** Has what changes of the index need come: the code, and then documents and headings. */
  async #prepareChanges(): Promise<void> {
    await searchRest.join();
    await this.#engine.directory();
  }

  #change(change: Change): boolean {
    try {
      if (!applied(this.#engine, change)) return false;
    } catch (error) {
      throw toIbidError(error);
    }
    this.#changes.push(change);
    this.#changed();
    return true;
  }

  #changed(): void {
    this.#info = this.#told();
    this.#version += 1;
  }

  #asSearched(): Searched {
    const ibid = this;
    return {
      get info() {
        return ibid.#info;
      },
      get version() {
        return ibid.#version;
      },
      get remote() {
        return ibid.#info.engine !== undefined || (ibid.#encoder?.encoder?.remote ?? false);
      },
      find: (query, signal) => ibid.#read(() => ibid.#engine.find(query, signal), query, signal),
      facets: (fields) => ibid.facets(fields),
      original: (error) => ibid.#encoder?.original(error) ?? error,
    };
  }

  #told(): IndexInfo {
    return { ...this.#engine.info(), ...(this.#encoder?.info ?? { queryEncoder: 'table' }) };
  }

  /** A piece kept from an earlier visit may be the damaged one: the next try gets it from the server. */
  #noted(error: unknown): IbidError {
    const known = toIbidError(error);
    if (known.code === 'index-corrupt') void this.#remote.index?.forget();
    if (known.code === 'model-invalid') void this.#remote.table?.forget();
    return this.#encoder?.original(known) ?? known;
  }

  /** The engine goes when nothing runs in it any more: the wasm side does not allow it earlier. */
  #release(): void {
    if (this.#freed || this.#working > 0 || !this.#disposal.signal.aborted) return;
    this.#freed = true;
    this.#engine.free();
  }
}

type Prefetch = LoadOptions['prefetch'];

/** Loads the parts that only asking needs, which the first question fetches besides the wasm. */
async function loadStart(): Promise<typeof import('./ask/start.js')> {
  try {
    return await import('./ask/start.js');
  } catch (error) {
    throw new IbidError('wasm-load', 'The modules that answer questions could not be loaded.', {
      hint: "Deploy this package's whole dist folder and keep its layout.",
      retryable: true,
      cause: error,
    });
  }
}
