import { AskRun } from './ask-run.js';
import { INDEX, MODEL, readBytes } from './bytes.js';
import type { AskWireOptions, Engine, LlmWireOptions, SearchWireOptions } from './engine.js';
import { abortedError, IbidError, toIbidError } from './error.js';
import { Redactor } from './redact.js';
import type { AskEvent, AskOptions, Hit, IndexInfo, LlmOptions, LoadOptions, SearchOptions } from './types.js';
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
  /** What was loaded. */
  readonly info: IndexInfo;
  readonly #engine: Engine;
  /** Aborted by {@link Ibid.free}, and with it every run under way. */
  readonly #disposal = new AbortController();
  /** How many runs are at work inside the engine; an aborted one is for a moment longer. */
  #working = 0;
  #freed = false;

  private constructor(engine: Engine) {
    this.#engine = engine;
    this.info = engine.info();
  }

  /**
   * Fetches the index, the query table and the wasm module side by side, and opens the index.
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
    const { signal, onProgress } = options;
    if (signal?.aborted) throw abortedError(signal.reason);
    // The first failure, or the caller, stops the downloads that are still running.
    const stop = new AbortController();
    const onAbort = () => stop.abort(signal?.reason);
    signal?.addEventListener('abort', onAbort, { once: true });
    try {
      const table = options.model ?? new URL('./query-table.bin', import.meta.url);
      const [module, index, model] = await Promise.all([
        wasm.get(options.wasm, stop.signal),
        readBytes(options.index, INDEX, stop.signal, onProgress),
        readBytes(table, MODEL, stop.signal, onProgress),
      ]);
      if (signal?.aborted) throw abortedError(signal.reason);
      return new Ibid(new module.Engine(index, model));
    } catch (error) {
      throw toIbidError(error);
    } finally {
      signal?.removeEventListener('abort', onAbort);
      stop.abort();
    }
  }

  /**
   * The passages nearest in meaning to `query`, best first; none where nothing is relevant.
   *
   * Fails with `query-empty`, `invalid-option` or `disposed`.
   */
  async search(query: string, options: SearchOptions = {}): Promise<Hit[]> {
    if (this.#disposal.signal.aborted) throw abortedError(this.#disposal.signal.reason);
    try {
      return this.#engine.search(query, searchWire(options));
    } catch (error) {
      throw toIbidError(error);
    }
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
            throw redactor.error(toIbidError(error));
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
    this.#release();
  }

  /** The same as {@link Ibid.free}, for `using`. */
  [DISPOSE](): void {
    this.free();
  }

  /** The engine goes when nothing runs in it any more: the wasm side does not allow it earlier. */
  #release(): void {
    if (this.#freed || this.#working > 0 || !this.#disposal.signal.aborted) return;
    this.#freed = true;
    this.#engine.free();
  }
}

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
