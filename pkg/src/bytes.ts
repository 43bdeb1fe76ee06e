import { abortedError, callBack, type ErrorCode, IbidError } from './error.js';
import { inTime, mayPass, patientFetch, SilentHost, waitAsked } from './patient-fetch.js';
import type { ByteSource, LoadProgress } from './types.js';

/** The way the file being loaded is called in progress reports and errors. */
export interface Part {
  part: LoadProgress['part'];
  code: Extract<ErrorCode, 'index-load' | 'model-load'>;
  name: string;
}

export const INDEX: Part = { part: 'index', code: 'index-load', name: 'index' };
export const MODEL: Part = { part: 'model', code: 'model-load', name: 'query table' };
export const TRANSFORMER: Part = { part: 'transformer', code: 'model-load', name: 'packed transformer' };
export const PROJECTION: Part = { part: 'model', code: 'model-load', name: 'projection' };

type OnProgress = ((progress: LoadProgress) => void) | undefined;
/** Called with the bytes so far, and with those in all where that is known. */
export type OnBytes = (loaded: number, total: number | null) => void;

/** Gets the bytes of the index or the query table from wherever they are. */
export async function readBytes(
  source: ByteSource,
  part: Part,
  signal: AbortSignal,
  onProgress?: OnProgress,
): Promise<Uint8Array> {
  if (source instanceof Uint8Array) return source;
  if (source instanceof ArrayBuffer) return new Uint8Array(source);
  if (source instanceof Response) return await readResponse(source, source.url, part, signal, onProgress);
  if (source instanceof Blob) return new Uint8Array(await source.arrayBuffer());
  if (typeof source === 'string' || source instanceof URL) {
    const local = fromDisk(source, part.code, part.name);
    if (local !== undefined) return local;
    const response = await request(source, part.code, part.name, signal);
    return await readResponse(response, String(source), part, signal, onProgress);
  }
  throw new IbidError('invalid-option', `\`${part.part}\` is neither bytes nor an address.`, {
    hint: 'Give a URL, a string, a Uint8Array, an ArrayBuffer, a Blob or a Response.',
  });
}

/** The functions that are used of two modules of Node. */
interface NodeModules {
  'node:fs': {
    readFileSync(path: string | URL): ReturnType<typeof Uint8Array.from>;
    statSync(path: string): { isDirectory(): boolean };
  };
  'node:url': { pathToFileURL(path: string): URL; fileURLToPath(address: string): string };
}

interface NodeProcess<N extends keyof NodeModules> {
  process?: { getBuiltinModule?(name: N): NodeModules[N] };
}

/** Returns a module of Node, which hands it out without an import that bundlers would follow; nothing in pages. */
export function ofNode<N extends keyof NodeModules>(name: N): NodeModules[N] | undefined {
  return (globalThis as NodeProcess<N>).process?.getBuiltinModule?.(name);
}

/** Reads a `file:` address, which Node does not fetch; `undefined` for any other, and in pages. */
export function fromDisk(address: string | URL, code: ErrorCode, name: string) {
  if (!String(address).startsWith('file:')) return undefined;
  try {
    return ofNode('node:fs')?.readFileSync(new URL(address));
  } catch (error) {
    throw new IbidError(code, `The ${name} at ${shown(address)} could not be read.`, { cause: error });
  }
}

/** Fetches `address`; no connection and, if it is `checked`, every HTTP error become an {@link IbidError}. */
export async function request(
  address: string | URL,
  code: ErrorCode,
  name: string,
  signal?: AbortSignal,
  init: RequestInit = {},
  checked = true,
): Promise<Response> {
  let response: Response;
  try {
    response = await patientFetch(address, init, signal);
  } catch (error) {
    throw broken(error, code, `The ${name} at ${shown(address)} could not be fetched.`, signal);
  }
  if (checked) checkStatus(response, code, name, shown(address));
  return response;
}

/** Throws where a response is an HTTP error; its body, an error page, is left unread. */
export function checkStatus(response: Response, code: ErrorCode, name: string, address: string): void {
  if (response.ok) return;
  const { status } = response;
  const passing = mayPass(status);
  throw new IbidError(code, `The ${name} at ${address} could not be fetched: HTTP ${status}.`, {
    retryAfter: waitAsked(response.headers),
    hint: passing ? 'Try again later.' : `Check that the file is deployed and that its address is correct.`,
    retryable: passing,
  });
}

async function readResponse(
  response: Response,
  address: string,
  part: Part,
  signal: AbortSignal,
  onProgress: OnProgress,
): Promise<Uint8Array> {
  const from = address === '' ? 'the given response' : shown(address);
  checkStatus(response, part.code, part.name, from);
  return await readBody(response, from, part, signal, reportOf(part, onProgress));
}

/** Tells `onProgress`, if there is one, of the bytes of a file. */
export function reportOf(part: Part, onProgress: OnProgress): OnBytes | undefined {
  if (onProgress === undefined) return undefined;
  return (loaded, total) => callBack(() => onProgress({ part: part.part, loaded, total }));
}

/** Reads a body to its end, and reports after each piece of it. */
export async function readBody(
  response: Response,
  from: string,
  part: Part,
  signal: AbortSignal,
  onBytes: OnBytes | undefined,
): Promise<Uint8Array> {
  try {
    if (response.body === null) return new Uint8Array(await response.arrayBuffer());
    return await readStream(response.body, declaredLength(response), signal, onBytes);
  } catch (error) {
    throw broken(error, part.code, `The download of the ${part.name} from ${from} broke off.`, signal);
  }
}

async function readStream(
  body: ReadableStream<Uint8Array>,
  declared: number | null,
  signal: AbortSignal,
  onBytes: OnBytes | undefined,
): Promise<Uint8Array> {
  const pieces: Uint8Array[] = [];
  let loaded = 0;
  const reader = body.getReader();
  try {
    for (;;) {
      const { done, value } = await inTime(reader.read(), signal);
      if (done) break;
      pieces.push(value);
      loaded += value.byteLength;
      // A compressed response declares its compressed length, which the bytes read here soon exceed.
      onBytes?.(loaded, declared !== null && loaded <= declared ? declared : null);
    }
  } catch (error) {
    reader.cancel().catch(() => {});
    throw error;
  }
  const bytes = new Uint8Array(loaded);
  let offset = 0;
  for (const piece of pieces) {
    bytes.set(piece, offset);
    offset += piece.byteLength;
  }
  return bytes;
}

function declaredLength(response: Response): number | null {
  if (response.headers.get('content-encoding') !== null) return null;
  const length = Number(response.headers.get('content-length') ?? Number.NaN);
  return Number.isSafeInteger(length) && length > 0 ? length : null;
}

/** Makes the error for a request or a download that failed without an answer. */
export function broken(error: unknown, code: ErrorCode, message: string, signal: AbortSignal | undefined): IbidError {
  if (signal?.aborted) return abortedError(signal.reason);
  if (error instanceof SilentHost) {
    const hint = 'The server does not answer, or the connection is lost: try again later.';
    return new IbidError(code, `${message} ${error.message}`, { hint, retryable: true, cause: error });
  }
  return new IbidError(code, message, {
    hint: 'Check the connection, and that the server allows this page to read the file (CORS, content security policy).',
    retryable: true,
    cause: error,
  });
}

/** Resolves an address that is relative to the page's; `undefined` for a malformed one. */
export function resolved(address: string | URL): URL | undefined {
  try {
    return new URL(address, globalThis.document?.baseURI ?? globalThis.location?.href);
  } catch {
    return undefined;
  }
}

/** Writes an address as it may stand in a message: without the query, where signed addresses keep their secrets. */
export function shown(address: string | URL): string {
  return String(address)
    .replace(/[?#].*$/s, '')
    .replace(/\/\/[^/@]*@/, '//');
}

/** Bytes as text, two digits each. */
export function hex(bytes: Uint8Array): string {
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');
}
