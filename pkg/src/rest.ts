import { fromDisk, request } from './bytes.js';
import { IbidError } from './error.js';

const NAME = 'second part of a wasm module';
/** The first part exports its table by this name and that of its version; the second, which imports it, has to be of the same. */
const VERSION = 'version-';

/**
 * The second of the two files that a module comes in: code for options that few use. A caller of the module with such
 * options has it come first ({@link Rest.join}); the module itself fetches nothing.
 */
export class Rest {
  readonly #locate: () => URL;
  /** The first part, as long as it is alone. */
  #first: WebAssembly.Exports | undefined;
  #joining: Promise<void> | undefined;

  constructor(locate: () => URL) {
    this.#locate = locate;
  }

  /** Takes the exports of the first part, or of a whole module, which has nothing to wait for. */
  follow(exports: WebAssembly.Exports): void {
    if (Object.keys(exports).some((name) => name.startsWith(VERSION))) this.#first = exports;
  }

  /** Joins it to the first part, once. A failed attempt is forgotten, so that the next one starts afresh. */
  async join(): Promise<void> {
    if (this.#first === undefined) return;
    this.#joining ??= this.#link(this.#first).finally(() => {
      this.#joining = undefined;
    });
    await this.#joining;
  }

  async #link(first: WebAssembly.Exports): Promise<void> {
    const module = await compiled(this.#locate());
    try {
      await WebAssembly.instantiate(module, { __wasm_split: first });
    } catch (cause) {
      const hint = 'Load the page again, or deploy all files of this package anew.';
      throw new IbidError('wasm-load', `The ${NAME} is of another version.`, { hint, cause });
    }
    this.#first = undefined;
  }
}

async function compiled(address: URL): Promise<WebAssembly.Module> {
  const local = fromDisk(address, 'wasm-load', NAME);
  return await WebAssembly.compile(local ?? (await (await request(address, 'wasm-load', NAME)).arrayBuffer()));
}
