import { orAborted } from './abort.js';
import { AskRun } from './ask-run.js';
import type { AskWireOptions, Engine, LlmWireOptions, SearchWireOptions } from './engine.js';
import { abortedError, IbidError, toIbidError } from './error.js';
import { type Opened, openEngine } from './load.js';
import { Redactor } from './redact.js';
import type { IndexPieces, RemoteIndex } from './remote-index.js';
import type {
  AddOptions,
  AddReport,
  AskEvent,
  AskOptions,
  ByteSource,
  DocumentInput,
  Hit,
  IndexInfo,
  LlmOptions,
  LoadOptions,
  SearchOptions,
} from './types.js';
import { pageModule, type WasmModule } from './wasm-module.js';

/** `Symbol.dispose`, or a stand-in where the browser does not have it yet; such a browser has no `using` either. */
const DISPOSE: typeof Symbol.dispose = Symbol.dispose ?? (Symbol.for('Symbol.dispose') as typeof Symbol.dispose);

/**
 * An index, opened in the page: searches it, and answers questions from it.
 *
 * ```ts
 * const ibid = await Ibid.load({ index: './site.ibid' });
 * const hits = await ibid.search('fever in children');
 * ```
 */
export class Ibid implements Disposable {
  readonly #engine: Engine;
  readonly #remote: RemoteIndex | undefined;
  readonly #table: ByteSource;
  /** What was done to the index since it was opened, to be done again to a later version of its file. */
  readonly #changes: Change[] = [];
  /** Aborted by {@link Ibid.free}, and with it all work under way. */
  readonly #disposal = new AbortController();
  #info: IndexInfo;
  /** How much work is going on inside the engine; what is aborted is for a moment longer. */
  #working = 0;
  #freed = false;

  private constructor({ engine, remote, table }: Opened) {
    this.#engine = engine;
    this.#remote = remote;
    this.#table = table;
    this.#info = engine.info();
    remote?.watch((pieces) => this.#replace(pieces));
  }

  /**
   * Fetches the index, the query table and the wasm module side by side, and opens the index. Of an index at an
   * address, only what is needed is fetched, see {@link LoadOptions.range}.
   *
   * Fails with `wasm-load`, `index-load` or `model-load` where one cannot be got, with `index-foreign`,
   * `index-truncated`, `index-corrupt`, `index-version`, `model-invalid` or `model-mismatch` where one is not what it
   * should be, and with `aborted`.
   */
  static async load(options: LoadOptions): Promise<Ibid> {
    return await Ibid.loadWith(pageModule, options);
  }

  /** @internal The same with another source of the wasm module, for tests. */
  static async loadWith(wasm: WasmModule, options: LoadOptions): Promise<Ibid> {
    if (options.signal?.aborted) throw abortedError(options.signal.reason);
    return new Ibid(await openEngine(wasm, options));
  }

  /** What was loaded, as it now is: another object after every change. */
  get info(): IndexInfo {
    return this.#info;
  }

  /**
   * The passages nearest in meaning to `query`, best first; none where nothing is relevant. Their text is fetched where
   * it is not here yet.
   *
   * Fails with `query-empty`, `invalid-option`, `aborted` or `disposed`; and where text has to be fetched with `network`
   * or `index-corrupt`.
   */
  async search(query: string, options: SearchOptions = {}): Promise<Hit[]> {
    return await this.#work(() => this.#engine.search(query, searchWire(options)), options.signal);
  }

  /**
   * Chunks and embeds documents, as those of the index were, and adds them to it. One with the id of a document of the
   * index takes its place; one that cannot be read is left out and named in the report. The index in memory alone
   * changes: keep what {@link Ibid.export} gives, where the change is to last.
   *
   * A worker does the work, see {@link AddOptions.worker}.
   *
   * Fails with `invalid-option`, `wasm-load`, `model-load`, `model-invalid`, `model-mismatch`, `aborted` or `disposed`;
   * the index is then as it was.
   */
  async add(documents: readonly DocumentInput[], options: AddOptions = {}): Promise<AddReport> {
    const { signal } = options;
    return await this.#work(async () => {
      const { buildAddition } = await import('./build/add.js');
      const signals = [this.#disposal.signal, signal];
      const { index, report } = await buildAddition(documents, this.#info, this.#table, options, signals);
      for (const given of signals) if (given?.aborted) throw abortedError(given.reason);
      if (report.documents.length > 0) {
        this.#change((engine) => {
          engine.attach(index);
          return true;
        });
      }
      return report;
    }, signal);
  }

  /**
   * Takes a document out of the index, as {@link Ibid.add} puts one in; `false` where it has none of that id.
   *
   * Throws `disposed`.
   */
  remove(documentId: string): boolean {
    if (this.#disposal.signal.aborted) throw abortedError(this.#disposal.signal.reason);
    return this.#change((engine) => engine.remove(documentId));
  }

  /**
   * The index as it now is, as the bytes of a file. What has not been fetched yet is fetched first.
   *
   * Fails with `network`, `index-corrupt` or `disposed`.
   */
  async export(): Promise<Uint8Array> {
    return await this.#work(async () => {
      await this.#engine.complete();
      return this.#engine.toBytes();
    });
  }

  /**
   * Answers a question of 3 to 10,000 characters from the index: with {@link AskOptions.llm}, by a model that searches
   * and cites; without, by the best passages.
   *
   * The run fails with `question-length`, `invalid-option`, `disposed`, `aborted`, `network`, or one of the codes that
   * begin with `provider-`.
   */
  ask(question: string, options: AskOptions = {}): AskRun {
    return new AskRun(
      async (emit, signal) => {
        this.#working += 1;
        try {
          const llm = options.llm === undefined ? undefined : await llmWire(options.llm);
          if (signal.aborted) throw abortedError(signal.reason);
          const redactor = new Redactor([llm?.apiKey, ...Object.values(llm?.headers ?? {})]);
          try {
            const onEvent = (event: AskEvent) => emit(redactor.event(event));
            return await this.#engine.ask(question, askWire(options, llm), onEvent, signal);
          } catch (error) {
            throw redactor.error(this.#noted(error));
          }
        } finally {
          this.#working -= 1;
          this.#release();
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
    this.#remote?.close(this.#disposal.signal.reason);
    this.#release();
  }

  /** The same as {@link Ibid.free}, for `using`. */
  [DISPOSE](): void {
    this.free();
  }

  /** Lets the engine work, and gives up the wait for it where it is freed or the signal says so. */
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

  #change(change: Change): boolean {
    try {
      if (!change(this.#engine)) return false;
    } catch (error) {
      throw toIbidError(error);
    }
    if (this.#remote !== undefined) this.#changes.push(change);
    this.#info = this.#engine.info();
    return true;
  }

  /** Puts a later version of the file in the place of the one that was opened, with all that was changed since. */
  #replace({ offsets, pieces }: IndexPieces): void {
    this.#engine.replace(offsets, pieces);
    for (const change of this.#changes) change(this.#engine);
    this.#info = this.#engine.info();
  }

  /** Text that was kept from an earlier visit may be what is damaged: the next try gets it from the server. */
  #noted(error: unknown): IbidError {
    const known = toIbidError(error);
    if (known.code === 'index-corrupt') void this.#remote?.forget();
    return known;
  }

  /** The engine goes when nothing runs in it any more: the wasm side does not allow it earlier. */
  #release(): void {
    if (this.#freed || this.#working > 0 || !this.#disposal.signal.aborted) return;
    this.#freed = true;
    this.#engine.free();
  }
}

/** Something that was done to an engine, and can be done again; tells whether it changed anything. */
type Change = (engine: Engine) => boolean;

function searchWire(options: SearchOptions): SearchWireOptions {
  return defined({ limit: options.limit, threshold: options.threshold });
}

function askWire(options: AskOptions, llm: LlmWireOptions | undefined): AskWireOptions {
  const { maxTurns, maxSearches } = options;
  return { ...searchWire(options), ...defined({ llm, maxTurns, maxSearches }) };
}

async function llmWire(llm: LlmOptions): Promise<LlmWireOptions> {
  const { model, headers, temperature, maxTokens, maxRetries } = llm;
  const apiKey = await keyOf(llm);
  return {
    baseURL: String(llm.baseURL),
    model,
    ...defined({ apiKey, headers, temperature, maxTokens }),
    ...(maxRetries !== undefined && { retry: { maxRetries } }),
  };
}

async function keyOf({ apiKey }: LlmOptions): Promise<string | undefined> {
  if (apiKey === undefined) return undefined;
  let key: unknown = apiKey;
  if (typeof apiKey === 'function') {
    try {
      key = await apiKey();
    } catch (error) {
      if (error instanceof IbidError) throw error;
      // The message is left out, since it may name the key; the function's owner has it as the cause.
      throw new IbidError('provider-auth', 'The `apiKey` function failed.', { cause: error });
    }
  }
  if (typeof key === 'string') return key;
  throw new IbidError('invalid-option', '`llm.apiKey` is not a string, nor a function that returns one.');
}

/** The same object without the entries that are undefined, which the wasm side would take for values. */
function defined<T extends object>(object: T): { [K in keyof T]?: Exclude<T[K], undefined> } {
  return Object.fromEntries(Object.entries(object).filter(([, value]) => value !== undefined)) as {
    [K in keyof T]?: Exclude<T[K], undefined>;
  };
}
