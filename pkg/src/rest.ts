import { fromDisk, request } from './bytes.js';
import { IbidError } from './error.js';

const NAME = 'second part of a wasm module';
/** The first part has a table of this name for each function of the second; the rest of the name is their version's. */
const TABLE = 'rest-';

/** Has a function load the second part of a module that comes in two; with none, it is there. */
export type RestBy = (load?: () => void) => void;

/**
 * The second of the two files that a module comes in: what most pages do not run. It is fetched when the page is about
 * to use it ({@link Rest.join}), or else, with the page waiting, when the first part calls into it.
 */
export class Rest {
  readonly #locate: () => URL;
  #restBy: RestBy = () => {};
  /** The first part, as long as it is alone. */
  #first: WebAssembly.Exports | undefined;
  #compiled: Promise<WebAssembly.Module> | undefined;

  constructor(locate: () => URL) {
    this.#locate = locate;
  }

  /**
   * Waits for being needed by this first part, whose `restBy` is the other argument. Where nothing can be read at once, as
   * in service workers, joins it.
   */
  async follow(exports: WebAssembly.Exports, restBy: RestBy): Promise<void> {
    if (!Object.keys(exports).some((name) => name.startsWith(TABLE))) return;
    this.#first = exports;
    this.#restBy = restBy;
    this.#restBy(() => this.#link(new WebAssembly.Module(readNow(this.#locate()))));
    const readsNow = typeof XMLHttpRequest !== 'undefined' || fromDisk(this.#locate(), 'wasm-load', NAME) !== undefined;
    if (!readsNow) await this.join();
  }

  /** Joins it to the first part, if that has not been done; does nothing where the module is whole. */
  async join(): Promise<void> {
    if (this.#first === undefined) return;
    this.#compiled ??= compiled(this.#locate());
    try {
      this.#link(await this.#compiled);
    } finally {
      this.#compiled = undefined;
    }
  }

  #link(module: WebAssembly.Module): void {
    if (this.#first === undefined) return;
    try {
      new WebAssembly.Instance(module, { first: this.#first });
    } catch (cause) {
      throw lost('is of another version', cause);
    }
    this.#first = undefined;
    this.#restBy();
  }
}

async function compiled(address: URL): Promise<WebAssembly.Module> {
  const local = fromDisk(address, 'wasm-load', NAME);
  return await WebAssembly.compile(local ?? (await (await request(address, 'wasm-load', NAME)).arrayBuffer()));
}

/** The bytes at an address, with the page waiting for them. */
function readNow(address: URL): BufferSource {
  const local = fromDisk(address, 'wasm-load', NAME);
  if (local !== undefined) return local;
  const asked = new XMLHttpRequest();
  try {
    asked.open('GET', address, false);
    // A page may not ask for bytes in this way; the characters of this encoding have them in their lower halves.
    asked.overrideMimeType('text/plain; charset=x-user-defined');
    asked.send();
  } catch (cause) {
    throw lost('could not be fetched', cause);
  }
  if (asked.status !== 200) throw lost('could not be fetched', `HTTP ${asked.status}`);
  return Uint8Array.from(asked.responseText, (character) => character.charCodeAt(0));
}

/** The module that called knows this code, and hands it on. */
function lost(what: string, cause: unknown): IbidError {
  const hint = 'Check the connection, load the page again, or deploy all files of this package anew.';
  return new IbidError('network', `The ${NAME} ${what}.`, { hint, retryable: true, cause });
}
