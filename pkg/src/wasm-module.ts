import { orAborted } from './abort.js';
import { checkStatus, fromDisk, request } from './bytes.js';
import type { EngineModule, WasmGlue, WasmInput } from './engine.js';
import { abortedError, IbidError, textOf } from './error.js';
import { nextTask } from './idle.js';
import { located, missing } from './package-files.js';
import type { LoadOptions } from './types.js';

/**
 * Loads a wasm module on first need, once, and hands the same one to all. A failed attempt is forgotten, so that the
 * next one starts afresh.
 */
export class WasmModule<M extends WasmGlue = EngineModule> {
  readonly #importGlue: () => Promise<M>;
  readonly #name: string;
  readonly #locate: () => URL;
  readonly #option: string;
  #loading: Promise<M> | undefined;

  /**
   * `name` is that of the files in the folder `wasm`, `locate` tells where the compiled one is by default, `option` is
   * the option that names it elsewhere.
   */
  constructor(importGlue: () => Promise<M>, name = 'ibid', locate = nowhere, option = 'wasm') {
    this.#importGlue = importGlue;
    this.#name = name;
    this.#locate = locate;
    this.#option = option;
  }

  /** Loads the initialized module. Aborting gives up the wait, not the load, which others may be waiting for. */
  async get(source: LoadOptions['wasm'], signal?: AbortSignal): Promise<M> {
    if (signal?.aborted) throw abortedError(signal.reason);
    if (this.#loading === undefined) {
      const attempt = this.#load(source);
      this.#loading = attempt;
      attempt.catch(() => {
        if (this.#loading === attempt) this.#loading = undefined;
      });
    }
    return await orAborted(this.#loading, signal);
  }

  async #load(source: LoadOptions['wasm']): Promise<M> {
    const [glue, input] = await Promise.all([this.#glue(), source ? wasmInput(source) : this.#own()]);
    try {
      await glue.default({ module_or_path: input });
      await nextTask();
    } catch (error) {
      throw new IbidError('wasm-load', `The wasm module could not be started: ${textOf(error)}`, {
        hint: hintFor(error, this.#name),
        cause: error,
      });
    }
    return glue;
  }

  /** Compiles the module of this package. */
  async #own(): Promise<WasmInput> {
    const address = located(this.#locate, 'wasm-load', 'wasm module', this.#option);
    try {
      return await wasmInput(address);
    } catch (error) {
      throw missing(error, `wasm/${this.#name}_bg.wasm`, this.#option);
    }
  }

  async #glue(): Promise<M> {
    try {
      return await this.#importGlue();
    } catch (error) {
      throw new IbidError('wasm-load', `The module wasm/${this.#name}.js could not be loaded.`, {
        hint: "Deploy this package's whole dist folder and keep its layout.",
        retryable: true,
        cause: error,
      });
    }
  }
}

/** The form for a module that is always given. */
const nowhere = (): URL => {
  throw new TypeError('No file of the package belongs to this module.');
};

async function wasmInput(input: NonNullable<LoadOptions['wasm']>): Promise<WasmInput> {
  if (typeof input === 'string' || input instanceof URL) {
    return fromDisk(input, 'wasm-load', 'wasm module') ?? (await request(input, 'wasm-load', 'wasm module'));
  }
  if (input instanceof Response) checkStatus(input, 'wasm-load', 'wasm module', input.url);
  return input as WasmInput;
}

function hintFor(error: unknown, name: string): string {
  const message = textOf(error);
  if (typeof WebAssembly === 'undefined')
    return 'WebAssembly is turned off in this browser, or the browser is too old.';
  if (/content.?security|unsafe-eval|CSP/i.test(message)) {
    return "The page's content security policy forbids it: add 'wasm-unsafe-eval' to script-src.";
  }
  if (/magic|doesn't start with|parse modul/i.test(message)) {
    return `The file is not a wasm module, perhaps an error page: check that wasm/${name}_bg.wasm is deployed where \`wasm\` points.`;
  }
  return `Check that wasm/${name}.js and wasm/${name}_bg.wasm have the same version, and that the browser supports wasm SIMD.`;
}
