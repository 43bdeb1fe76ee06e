import { checkStatus, request } from './bytes.js';
import type { EngineModule, WasmInput } from './engine.js';
import { abortedError, IbidError } from './error.js';
import type { LoadOptions } from './types.js';

/**
 * Loads the wasm module on first need, once, and hands the same one to every index. A failed attempt is forgotten, so
 * that the next one starts afresh.
 */
export class WasmModule {
  readonly #importGlue: () => Promise<EngineModule>;
  #loading: Promise<EngineModule> | undefined;

  constructor(importGlue: () => Promise<EngineModule>) {
    this.#importGlue = importGlue;
  }

  /** The initialized module. Aborting gives up the wait, not the load, which others may be waiting for. */
  async get(source: LoadOptions['wasm'], signal: AbortSignal): Promise<EngineModule> {
    if (signal.aborted) throw abortedError(signal.reason);
    if (this.#loading === undefined) {
      const attempt = this.#load(source);
      this.#loading = attempt;
      attempt.catch(() => {
        if (this.#loading === attempt) this.#loading = undefined;
      });
    }
    const loading = this.#loading;
    return await new Promise((resolve, reject) => {
      const onAbort = () => reject(abortedError(signal.reason));
      signal.addEventListener('abort', onAbort, { once: true });
      loading.then(resolve, reject).finally(() => signal.removeEventListener('abort', onAbort));
    });
  }

  async #load(source: LoadOptions['wasm']): Promise<EngineModule> {
    const [glue, input] = await Promise.all([this.#glue(), wasmInput(source)]);
    try {
      await glue.default({ module_or_path: input });
    } catch (error) {
      throw new IbidError('wasm-load', `The wasm module could not be started: ${text(error)}`, {
        hint: hintFor(error),
        cause: error,
      });
    }
    return glue;
  }

  async #glue(): Promise<EngineModule> {
    try {
      return await this.#importGlue();
    } catch (error) {
      throw new IbidError('wasm-load', `The module wasm/ibid.js could not be loaded: ${text(error)}`, {
        hint: 'Deploy the whole dist folder of this package, its wasm folder included, and keep its layout.',
        retryable: true,
        cause: error,
      });
    }
  }
}

/** The one module of this page. */
export const pageModule = new WasmModule(() => import('./wasm/ibid.js'));

async function wasmInput(source: LoadOptions['wasm']): Promise<WasmInput> {
  const input = source ?? new URL('./wasm/ibid_bg.wasm', import.meta.url);
  if (typeof input === 'string' || input instanceof URL) return await request(input, 'wasm-load', 'wasm module');
  if (input instanceof Response) checkStatus(input, 'wasm-load', 'wasm module', input.url);
  return input as WasmInput;
}

function hintFor(error: unknown): string {
  const message = text(error);
  if (typeof WebAssembly === 'undefined') return 'This browser has WebAssembly switched off, or is too old for it.';
  if (/content.?security|unsafe-eval|CSP/i.test(message)) {
    return "The page's content security policy forbids it: add 'wasm-unsafe-eval' to script-src.";
  }
  if (/magic|doesn't start with|parse modul/i.test(message)) {
    return 'The file is no wasm module, perhaps an error page: check that wasm/ibid_bg.wasm is deployed where `wasm` points.';
  }
  return 'Check that wasm/ibid.js and wasm/ibid_bg.wasm are of the same version, and that the browser knows wasm SIMD.';
}

function text(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
