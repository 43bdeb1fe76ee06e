import type { AskModule } from '../ask/module.js';
import { IbidError, textOf, toIbidError } from '../error.js';
import { askModule } from '../page-modules.js';
import { asked, completed, done, onTakenAway, openDatabase } from '../storage/idb.js';
import type { AuditLog, AuditLogOptions, AuditReport } from './types.js';

const MAX_BYTES = 5_000_000;
/** The share that is left where lines had to go, so that they need not go one by one. */
const LEFT = 0.9;
const LINES = 'lines';
const STATE = 'state';
/** The version of the layout of entries, as the crate's `agent::audit` has it. */
const VERSION = 1;

/** The state of the log besides its lines, in one record. */
interface State {
  /** The hash of the last line. */
  head?: string;
  /** The bytes of all lines, with the line feeds that end them. */
  bytes: number;
  /** The number of lines that were dropped. */
  dropped: number;
  /** The line that stands for those, in front of the others. */
  checkpoint?: string;
}

type AskWasm = Pick<typeof askModule, 'get'>;

/**
 * Opens the log of this site in the browser, which is empty the first time:
 *
 * ```ts
 * const audit = await openAuditLog();
 * const answer = await ibid.ask('What is the dose?', { llm, audit });
 * const { problems } = await audit.verify();
 * ```
 *
 * Each run leaves a line: the question without personal data, what the guards said, searches and what they found, hashes of
 * what was sent, tokens, flags, the answer; no keys. A line has the hash of the one before in it, so that a change shows.
 *
 * Fails with `io` if the browser does not let the page keep anything, and with `invalid-option`.
 */
export async function openAuditLog(options: AuditLogOptions = {}): Promise<AuditLog> {
  return await openAuditLogWith(askModule, options);
}

/** @internal The same with another source of the wasm module, for tests. Declarations name no module. */
export async function openAuditLogWith(module: AskWasm, options: AuditLogOptions = {}): Promise<AuditLog> {
  const { maxBytes = MAX_BYTES } = options;
  if (!(maxBytes > 0)) throw new IbidError('invalid-option', '`maxBytes` must be above 0.');
  const log = new StoredLog(module, options);
  await log.open();
  return log;
}

/**
 * The log in IndexedDB. An append is one transaction, from reading the last hash to writing the line: those of all tabs run
 * one after the other (IndexedDB 3.0, "transaction scheduling"), so that two tabs keep one chain without further locks.
 */
class StoredLog implements AuditLog {
  readonly required: boolean;
  readonly #module: AskWasm;
  readonly #options: AuditLogOptions;
  readonly #maxBytes: number;
  #database: Promise<IDBDatabase> | undefined;
  #closed = false;

  constructor(module: AskWasm, options: AuditLogOptions) {
    this.#module = module;
    this.#options = options;
    this.#maxBytes = options.maxBytes ?? MAX_BYTES;
    this.required = options.required ?? true;
  }

  async open(): Promise<IDBDatabase> {
    if (this.#closed) throw new IbidError('io', 'This audit log has been closed.', { hint: 'Open it again.' });
    if (this.#database === undefined) {
      const opened = stored(() => openStore(this.#options.name ?? 'ibid-audit'));
      this.#database = opened;
      const forget = () => {
        if (this.#database === opened) this.#database = undefined;
      };
      opened.then((database) => onTakenAway(database, forget), forget);
    }
    return await this.#database;
  }

  /** Loads the module that makes and checks lines. */
  async #loaded(): Promise<AskModule> {
    const module = await this.#module.get(this.#options.askWasm);
    await module.complete();
    return module;
  }

  async append(record: string): Promise<void> {
    const { auditLine } = await this.#loaded();
    const database = await this.open();
    await stored(async () => {
      // What a record tells must not be lost with the power, which browsers otherwise take into account.
      const transaction = database.transaction([LINES, STATE], 'readwrite', { durability: 'strict' });
      const end = completed(transaction);
      const [lines, states] = [transaction.objectStore(LINES), transaction.objectStore(STATE)];
      try {
        const before: State = (await asked(states.get(STATE))) ?? { bytes: 0, dropped: 0 };
        const line = auditLine(before.head, record);
        const state: State = { ...before, head: hashOf(line), bytes: before.bytes + bytesOf(line) };
        lines.add(line);
        if (state.bytes > this.#maxBytes) await this.#dropOldest(lines, state, auditLine);
        states.put(state, STATE);
      } catch (error) {
        end.catch(() => {});
        if (error instanceof DOMException) throw error;
        // Nothing of it takes effect.
        transaction.abort();
        throw toIbidError(error);
      }
      await end;
    });
  }

  /** Drops lines from the oldest on until there is room, but never the newest. */
  async #dropOldest(lines: IDBObjectStore, state: State, auditLine: AskModule['auditLine']): Promise<void> {
    let last: string | undefined;
    const request = lines.openCursor();
    for (let cursor = await asked(request); cursor !== null; cursor = await asked(request)) {
      const hash = hashOf(cursor.value);
      if (state.bytes <= this.#maxBytes * LEFT || hash === state.head) break;
      last = hash;
      state.bytes -= bytesOf(cursor.value);
      state.dropped += 1;
      cursor.delete();
      cursor.continue();
    }
    if (last === undefined) return;
    const { dropped } = state;
    const record = { version: VERSION, kind: 'checkpoint', time: new Date().toISOString(), dropped };
    state.checkpoint = auditLine(last, JSON.stringify(record));
  }

  async export(): Promise<string> {
    return (await this.#read()).text;
  }

  async verify(head?: string): Promise<AuditReport> {
    const { text, state } = await this.#read();
    if (text === '' && head === undefined) return { lines: 0, dropped: 0, problems: [], more: 0 };
    const { auditCheck } = await this.#loaded();
    try {
      return JSON.parse(auditCheck(text, head ?? state.head));
    } catch (error) {
      throw toIbidError(error);
    }
  }

  async clear(): Promise<void> {
    const database = await this.open();
    await stored(async () => {
      const transaction = database.transaction([LINES, STATE], 'readwrite');
      const end = completed(transaction);
      transaction.objectStore(LINES).clear();
      transaction.objectStore(STATE).clear();
      await end;
    });
  }

  close(): void {
    this.#closed = true;
    const opened = this.#database;
    this.#database = undefined;
    opened?.then(
      (database) => database.close(),
      () => {},
    );
  }

  async #read(): Promise<{ text: string; state: State }> {
    const database = await this.open();
    return await stored(async () => {
      const transaction = database.transaction([LINES, STATE]);
      const known: IDBRequest<State | undefined> = transaction.objectStore(STATE).get(STATE);
      const lines = await done<string[]>(transaction, LINES, (store) => store.getAll());
      const state = known.result ?? { bytes: 0, dropped: 0 };
      const all = state.checkpoint === undefined ? lines : [state.checkpoint, ...lines];
      return { text: all.map((line) => `${line}\n`).join(''), state };
    });
  }
}

function openStore(name: string): Promise<IDBDatabase> {
  if (globalThis.indexedDB === undefined) throw new Error('There is no IndexedDB here.');
  return openDatabase(name, { [LINES]: 'counted', [STATE]: 'given' });
}

function hashOf(line: string): string {
  return JSON.parse(line).hash;
}

function bytesOf(line: string): number {
  return new TextEncoder().encode(line).length + 1;
}

async function stored<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof IbidError) throw error;
    throw new IbidError('io', `The browser did not let the page store or read the audit log: ${textOf(error)}`, {
      hint: 'In a private window, with storage turned off or with a full disk, nothing can be stored.',
      cause: error,
    });
  }
}
