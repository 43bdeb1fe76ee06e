/**
 * Where the files of this package lie. `new URL('./file', import.meta.url)` is written out in full, since that is how
 * bundlers recognize which files to bring along; and all of it in this folder, so that a bundler which only joins the
 * code to one file looks for all of them beside that.
 */
import { type ErrorCode, IbidError, toIbidError } from './error.js';
import type { ByteSource } from './types.js';

export const builderWasm = () => new URL('./wasm/ibid_build_bg.wasm', import.meta.url);
const queryTable = () => new URL('./query-table.bin', import.meta.url);
const projection = () => new URL('./projection.bin', import.meta.url);

/** The query table as it is given by `option`, else this package's. */
export function tableSource(given: ByteSource | undefined, option: 'model' | 'table'): ByteSource {
  return given ?? located(queryTable, 'model-load', 'query table', option);
}

/** What belongs to the transformer, as it is given, else this package's. */
export function projectionSource(given: ByteSource | undefined): ByteSource {
  return given ?? located(projection, 'model-load', 'projection', 'projection');
}

/** The address of a file of this package, which `option` names elsewhere. */
export function located(locate: () => URL, code: ErrorCode, name: string, option: string): URL {
  let address: URL;
  try {
    address = locate();
  } catch (error) {
    throw new IbidError(code, `The ${name} has no address: a bundler has left out \`import.meta.url\`.`, {
      hint: `Bundle to the format \`esm\`, or serve the file and give its address as \`${option}\`.`,
      cause: error,
    });
  }
  // Where Vite puts code in development that it has joined, though the package's `dev` folder is there to prevent it.
  if (address.pathname.includes('/.vite/')) {
    throw new IbidError(code, `Vite has moved this package's code away from its ${name}.`, {
      hint: "Add `optimizeDeps: { exclude: ['ibid'] }` to the configuration of Vite.",
    });
  }
  return address;
}

/** The error for a file of this package that is not where it is looked for. The hint names what to serve there. */
export function missing(error: unknown, file: string, option: string): IbidError {
  const known = toIbidError(error);
  if (known.retryable || known.code === 'aborted') return known;
  return new IbidError(known.code, known.message, {
    hint: `Serve ${file} from this package's dist folder there, or give its address as \`${option}\`.`,
    cause: known,
  });
}
