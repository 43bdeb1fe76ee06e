import { IbidError, textOf } from '../error.js';
import { done, onTakenAway, openDatabase } from '../storage/idb.js';

/** Options of {@link KeyStore}. */
export interface KeyStoreOptions {
  /** The name of its database in IndexedDB; stores of one name share their keys. Default: `ibid-keys`. */
  database?: string | undefined;
}

/** The name of the record that the others are encrypted by. */
const MASTER = 'master';
const KEYS = 'keys';

interface Encrypted {
  iv: Uint8Array<ArrayBuffer>;
  data: ArrayBuffer;
}

/**
 * Keeps API keys between visits, encrypted by AES-GCM with a key that the browser keeps and does not show:
 *
 * ```ts
 * const store = new KeyStore();
 * await store.set('openai', input.value);
 * const llm = { baseURL: 'https://api.openai.com/v1', model: 'gpt-5-mini', apiKey: () => store.get('openai') };
 * ```
 *
 * What is on the disk is of no use elsewhere. Scripts on the page's own origin can still ask the store, so it protects
 * from copied profiles and backups, not from foreign code in the page. Without a store, keys are in memory alone.
 *
 * All methods fail with `io` if the page is not secure, or where the browser does not let it keep anything.
 */
export class KeyStore {
  readonly #name: string;
  #opened: Promise<{ database: IDBDatabase; master: CryptoKey }> | undefined;

  constructor({ database = 'ibid-keys' }: KeyStoreOptions = {}) {
    this.#name = database;
  }

  /** Keeps a key under a name, in place of what was there. */
  async set(name: string, key: string): Promise<void> {
    const { database, master } = await this.#open();
    await kept(async () => {
      const iv = crypto.getRandomValues(new Uint8Array(12));
      const data = await crypto.subtle.encrypt(cipher(name, iv), master, new TextEncoder().encode(key));
      const record: Encrypted = { iv, data };
      await done(database.transaction(KEYS, 'readwrite'), KEYS, (keys) => keys.put(record, named(name)));
    });
  }

  /** Reads the key of that name. Fails with `provider-auth` if there is none, or it can no longer be read. */
  async get(name: string): Promise<string> {
    const { database, master } = await this.#open();
    const record = await kept(() =>
      done<Encrypted | undefined>(database.transaction(KEYS), KEYS, (keys) => keys.get(named(name))),
    );
    if (record === undefined) {
      throw new IbidError('provider-auth', `There is no key named ${name}.`, { hint: 'Ask the user for it.' });
    }
    try {
      return new TextDecoder().decode(await crypto.subtle.decrypt(cipher(name, record.iv), master, record.data));
    } catch (error) {
      throw new IbidError('provider-auth', `The key named ${name} can no longer be read.`, {
        hint: 'Ask the user for it again.',
        cause: error,
      });
    }
  }

  /** Forgets a key, if there is one. */
  async delete(name: string): Promise<void> {
    const { database } = await this.#open();
    await kept(() => done(database.transaction(KEYS, 'readwrite'), KEYS, (keys) => keys.delete(named(name))));
  }

  /** Lists the names under which keys are kept, in alphabetical order. */
  async list(): Promise<string[]> {
    const { database } = await this.#open();
    const names = await kept(() => done<IDBValidKey[]>(database.transaction(KEYS), KEYS, (keys) => keys.getAllKeys()));
    return names
      .map(String)
      .filter((name) => name !== MASTER)
      .map((name) => name.slice(1));
  }

  #open(): Promise<{ database: IDBDatabase; master: CryptoKey }> {
    const forget = () => {
      this.#opened = undefined;
    };
    const opened = this.#opened ?? kept(() => openStore(this.#name));
    this.#opened = opened;
    opened.then(({ database }) => onTakenAway(database, forget), forget);
    return opened;
  }
}

/** Makes the name of a record, which never is that of the master. */
function named(name: string): string {
  return `:${name}`;
}

/** The name is authenticated too, so that a record is of no use under another. */
function cipher(name: string, iv: Uint8Array<ArrayBuffer>): AesGcmParams {
  return { name: 'AES-GCM', iv, additionalData: new TextEncoder().encode(name) };
}

async function openStore(name: string): Promise<{ database: IDBDatabase; master: CryptoKey }> {
  const database = await openDatabase(name, { [KEYS]: 'given' });
  const fresh = await crypto.subtle.generateKey({ name: 'AES-GCM', length: 256 }, false, ['encrypt', 'decrypt']);
  // Asked and kept in one transaction: of two pages that open a new store at once, both get the same key.
  let master: CryptoKey = fresh;
  await done(database.transaction(KEYS, 'readwrite'), KEYS, (keys) => {
    const asked: IDBRequest<CryptoKey | undefined> = keys.get(MASTER);
    asked.onsuccess = () => {
      if (asked.result === undefined) keys.put(fresh, MASTER);
      else master = asked.result;
    };
    return asked;
  });
  return { database, master };
}

async function kept<T>(work: () => Promise<T>): Promise<T> {
  if (globalThis.crypto?.subtle === undefined || globalThis.indexedDB === undefined) {
    throw new IbidError('io', 'Keys cannot be stored here: the page is not secure.', {
      hint: 'Serve it by https, or from localhost.',
    });
  }
  try {
    return await work();
  } catch (error) {
    // The message of the browser's error names no key: those are never part of a request but encrypted.
    throw new IbidError('io', `The browser did not let the page store or read keys: ${textOf(error)}`, {
      hint: 'In a private window, or with storage turned off, keep keys in memory.',
      cause: error,
    });
  }
}
