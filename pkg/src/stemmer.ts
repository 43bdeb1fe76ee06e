import type { EngineModule, WasmGlue, WasmInput } from './engine.js';
import { stemmerWasm } from './package-files.js';
import type { LoadOptions } from './types.js';
import { WasmModule } from './wasm-module.js';

/** The functions of a compiled stemmer, which works on the bytes of a word in its memory. */
interface StemmerExports {
  memory: WebAssembly.Memory;
  /** Makes room for that many bytes, and returns where they begin. */
  place(length: number): number;
  /** Stems the word that was put there; returns the length of the stem. */
  stem(): number;
}

/** A stemmer of one language. Its module has no generated JavaScript, so that all languages share this. */
class Stemmer implements WasmGlue {
  readonly #encoder = new TextEncoder();
  readonly #decoder = new TextDecoder();
  #exports: StemmerExports | undefined;

  async default(input?: { module_or_path: WasmInput }): Promise<void> {
    const given = input?.module_or_path;
    const module =
      given instanceof WebAssembly.Module
        ? given
        : await WebAssembly.compile(given instanceof Response ? await given.arrayBuffer() : (given as BufferSource));
    // Its import prepares a table for values of JavaScript, of which it has none.
    const imports: WebAssembly.Imports = {};
    for (const { module: from, name } of WebAssembly.Module.imports(module)) {
      imports[from] = { ...imports[from], [name]: () => {} };
    }
    const { exports } = await WebAssembly.instantiate(module, imports);
    this.#exports = exports as unknown as StemmerExports;
  }

  /** The stem of a word in lower case. */
  readonly stem = (word: string): string => {
    if (this.#exports === undefined) return word;
    const { memory, place, stem } = this.#exports;
    const bytes = this.#encoder.encode(word);
    const at = place(bytes.length);
    new Uint8Array(memory.buffer, at, bytes.length).set(bytes);
    const length = stem();
    return this.#decoder.decode(new Uint8Array(memory.buffer, place(length), length));
  };
}

const stemmers = new Map<string, WasmModule<Stemmer>>();

function stemmerModule(language: string): WasmModule<Stemmer> {
  let module = stemmers.get(language);
  if (module === undefined) {
    const stemmer = new Stemmer();
    module = new WasmModule(
      async () => stemmer,
      `stem_${language}`,
      () => stemmerWasm(language),
      'stemmer',
    );
    stemmers.set(language, module);
  }
  return module;
}

/**
 * Loads the stemmer of a language for the module that searches, which has only that of English. It is loaded once per
 * page; one that fails is tried again.
 */
export async function provideStemmer(
  module: Pick<EngineModule, 'stemBy'>,
  language: string,
  { stemmer }: Pick<LoadOptions, 'stemmer'>,
  signal?: AbortSignal,
): Promise<void> {
  const loaded = await stemmerModule(language).get(stemmer, signal);
  module.stemBy(language, loaded.stem);
}
