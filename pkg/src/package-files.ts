/**
 * The place where the files of this package lie. `new URL('./file', import.meta.url)` is written out in full, since that is how
 * bundlers recognize which files to bring along; and all of it in this folder, so that a bundler which only joins the
 * code to one file looks for all of them next to that.
 */
import { ofNode, resolved } from './bytes.js';
import { type ErrorCode, IbidError, toIbidError } from './error.js';
import type { ByteSource } from './types.js';

/**
 * Starts the package's worker. No page may start one of another origin; but one of its own may import that. A page with
 * Trusted Types starts one by an address that it trusts.
 */
export function ownWorker(trusted: (address: string) => string): Worker {
  try {
    return new Worker(new URL('./worker.js', import.meta.url), { type: 'module' });
  } catch (error) {
    const worker = new URL('../worker.js', builderWasm());
    if (globalThis.location === undefined) throw error;
    const script = new Blob([`import ${JSON.stringify(worker.href)};`], { type: 'text/javascript' });
    const address = worker.origin === location.origin ? worker.href : URL.createObjectURL(script);
    return new Worker(trusted(address), { type: 'module' });
  }
}

export const builderWasm = () => new URL('./wasm/ibid_build_bg.wasm', import.meta.url);

/** The compiled stemmers of languages other than English. */
const STEMMERS: Record<string, () => URL> = {
  ar: () => new URL('./wasm/stem_ar_bg.wasm', import.meta.url),
  da: () => new URL('./wasm/stem_da_bg.wasm', import.meta.url),
  de: () => new URL('./wasm/stem_de_bg.wasm', import.meta.url),
  el: () => new URL('./wasm/stem_el_bg.wasm', import.meta.url),
  es: () => new URL('./wasm/stem_es_bg.wasm', import.meta.url),
  fi: () => new URL('./wasm/stem_fi_bg.wasm', import.meta.url),
  fr: () => new URL('./wasm/stem_fr_bg.wasm', import.meta.url),
  hu: () => new URL('./wasm/stem_hu_bg.wasm', import.meta.url),
  it: () => new URL('./wasm/stem_it_bg.wasm', import.meta.url),
  nl: () => new URL('./wasm/stem_nl_bg.wasm', import.meta.url),
  no: () => new URL('./wasm/stem_no_bg.wasm', import.meta.url),
  pt: () => new URL('./wasm/stem_pt_bg.wasm', import.meta.url),
  ro: () => new URL('./wasm/stem_ro_bg.wasm', import.meta.url),
  ru: () => new URL('./wasm/stem_ru_bg.wasm', import.meta.url),
  sv: () => new URL('./wasm/stem_sv_bg.wasm', import.meta.url),
  ta: () => new URL('./wasm/stem_ta_bg.wasm', import.meta.url),
  tr: () => new URL('./wasm/stem_tr_bg.wasm', import.meta.url),
};

/** Finds the address of the compiled stemmer of a language. */
export function stemmerWasm(language: string): URL {
  const locate = STEMMERS[language];
  if (locate === undefined) throw new IbidError('internal', `There is no stemmer of the language \`${language}\`.`);
  return locate();
}

/**
 * Chooses the query table as it is given, else that of the transformer, English if there is none, next to this package.
 */
export function tableSource(given: ByteSource | undefined, transformer?: Uint8Array): ByteSource {
  return given ?? besideModules(TABLES[isMultilingual(transformer) ? 1 : 0], 'query table', 'table');
}

const TABLES = ['query-table.bin', 'multilingual-table.bin'] as const;

/**
 * Finds the query tables where a build puts them, in the folder `ibid` next to the index; for an index without an
 * address, next to this package. First the one that the index probably needs: pages in another language than English
 * have documents in it.
 */
export function usualTables(index: unknown): [URL, URL] {
  const address = addressOf(index);
  const [english, multilingual] = TABLES.map((name) =>
    address
      ? new URL(`${address.pathname.endsWith('/') ? '../' : ''}ibid/${name}`, address)
      : besideModules(name, 'query table', 'model'),
  ) as [URL, URL];
  return /^en$/i.test(pageLanguage()) ? [english, multilingual] : [multilingual, english];
}

/** Finds the address of a file, if it has one that others can lie next to. */
function addressOf(source: unknown): URL | undefined {
  const address = source instanceof Response ? source.url : source;
  if (!(typeof address === 'string' || address instanceof URL)) return undefined;
  const url = resolved(address) ?? ofNode('node:url')?.pathToFileURL(String(address));
  return url && /^(https?|file):$/.test(url.protocol) ? url : undefined;
}

function besideModules(file: string, name: string, option: string): URL {
  return new URL(`../${file}`, located(builderWasm, 'model-load', name, option));
}

const pageLanguage = () => globalThis.document?.documentElement.lang.match(/^[a-z]{2,3}/i)?.[0] ?? 'en';

/** Makes the usual name of the query table at an address. */
export function tableName(source: ByteSource): string {
  return TABLES[(source as Partial<URL>).pathname?.includes(TABLES[1]) ? 1 : 0];
}

/** Chooses the bytes of a query table that are asked for first: its head, of the larger with Latin letters. */
export function tableHeadBytes(source: ByteSource): number {
  if (tableName(source) === TABLES[0]) return 50_000;
  return new Intl.Locale(pageLanguage()).maximize().script === 'Latn' ? 89_000 : 12_300;
}

/** Chooses the projection of a packed transformer as it is given, else next to the transformer, or to this package. */
export function projectionSource(
  given: ByteSource | undefined,
  transformer: Uint8Array,
  from?: ByteSource,
): ByteSource {
  const file = `${isMultilingual(transformer) ? 'multilingual-' : ''}projection.bin`;
  const address = addressOf(from);
  return given ?? (address ? new URL(file, address) : besideModules(file, 'projection', 'projection'));
}

/** Returns true if a packed transformer is the one for many languages, which the header of its file says. */
export function isMultilingual(transformer?: Uint8Array): boolean {
  return new TextDecoder('latin1').decode(transformer?.subarray(0, 4096)).includes('"multilingual-e5-small"');
}

/** Finds the address of a file of this package, which `option` names elsewhere. */
export function located(locate: () => URL, code: ErrorCode, name: string, option: string): URL {
  let address: URL;
  try {
    address = locate();
  } catch (error) {
    throw new IbidError(code, `The ${name} has no address: a bundler has removed \`import.meta.url\`.`, {
      hint: `Bundle as \`esm\`, or serve the file and give its address as \`${option}\`.`,
      cause: error,
    });
  }
  // Where Vite puts code in development that it has joined, though the package's `dev` folder is there to prevent it.
  if (address.pathname.includes('/.vite/')) {
    throw new IbidError(code, `Vite has separated this package's code from its ${name}.`, {
      hint: "Add `optimizeDeps: { exclude: ['ibid'] }` to the configuration of Vite.",
    });
  }
  return address;
}

/** Makes the error for a file of this package that is not where it is looked for. */
export function missing(error: unknown, file: string, option: string): IbidError {
  return notThere(
    error,
    `Put ${file} of this package there, as \`npx ibid copy\` does, or give its address as \`${option}\`.`,
  );
}

/** Makes the error for a query table that is not where a build puts it. */
export function missingTable(error: unknown, file: string): IbidError {
  return notThere(
    error,
    `Put ibid/${file} next to the index, as \`npx ibid build\` does, or give its address as \`model\`.`,
  );
}

function notThere(error: unknown, hint: string): IbidError {
  const known = toIbidError(error);
  if (known.retryable || known.code === 'aborted') return known;
  return new IbidError(known.code, known.message, { hint, cause: known });
}
