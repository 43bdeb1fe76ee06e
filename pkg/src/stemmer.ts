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
  /** Puts the language's stop words there, with spaces between them; returns the length of all. */
  stop_words(): number;
}

/** A stemmer of one language. Its module has no generated JavaScript, so that all languages share this. */
class Stemmer implements WasmGlue {
  /** The language's stop words, with spaces between them. */
  declare stopWords: string;
  /** The stem of a word in lower case. */
  declare stem: (word: string) => string;

  async default(input?: { module_or_path: WasmInput }): Promise<void> {
    const given = input?.module_or_path;
    const module =
      given instanceof WebAssembly.Module
        ? given
        : await WebAssembly.compile(given instanceof Response ? await given.arrayBuffer() : (given as BufferSource));
    // Its import prepares a table for values of JavaScript, of which it has none.
    const nothing: WebAssembly.Imports = new Proxy(() => {}, { get: () => nothing }) as never;
    const instance = await WebAssembly.instantiate(module, nothing);
    const { memory, place, stem, stop_words } = instance.exports as unknown as StemmerExports;
    const [encoder, decoder] = [new TextEncoder(), new TextDecoder()];
    const text = (length: number) => decoder.decode(new Uint8Array(memory.buffer, place(length), length));
    this.stopWords = text(stop_words());
    this.stem = (word) => {
      const bytes = encoder.encode(word);
      const at = place(bytes.length);
      new Uint8Array(memory.buffer, at, bytes.length).set(bytes);
      return text(stem());
    };
  }
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
  module.stemBy(language, loaded.stem, loaded.stopWords);
}
