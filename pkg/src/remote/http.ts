import { LinkedAbort, orAborted } from '../abort.js';
import { Redactor } from '../ask/redact.js';
import { abortedError, type ErrorCode, IbidError } from '../error.js';
import { sleep, waitAsked } from '../patient-fetch.js';
import type { ServiceRow } from './service-row.js';

/** The most bytes of a response that are taken in; of a refusal, whose message is all that matters, fewer. */
const MAX_RESPONSE = 64 << 20;
const MAX_REFUSAL = 64 << 10;
/** The longest wait before a retry in milliseconds. */
const LONGEST_WAIT = 60_000;
/** The most characters of a service's message that go into an error. */
const MAX_MESSAGE = 500;

/** The way a service is called. */
export interface ServiceOptions {
  /** The service's address, for a proxy or a server of your own. Default: the provider's. */
  baseURL?: string | undefined;
  /**
   * The API key, or a function that returns it or a promise of it, which is called for each request. A key in a public
   * page is a public key: let a proxy add it, by `baseURL`. Default: none is sent.
   */
  apiKey?: string | (() => string | Promise<string>) | undefined;
  /** Further headers; one of the name that carries the key takes its place. Default: none. */
  headers?: Record<string, string> | undefined;
  /** The time that an answer may take, in milliseconds. Default: 60,000. */
  timeoutMs?: number | undefined;
  /** The number of times a request is sent again that failed for a reason that may pass. Default: 2. */
  maxRetries?: number | undefined;
  /** The wait before the first retry in milliseconds, doubled before each further one. Default: 2,000. */
  retryDelayMs?: number | undefined;
}

/** Posts JSON to a service, again where that may help. */
export class Service {
  readonly name: string;
  readonly #options: ServiceOptions;
  readonly #row: ServiceRow;
  readonly #url: string;

  /** Checks the options; a key or header value is never quoted. */
  constructor(row: ServiceRow, path: string, options: ServiceOptions) {
    this.name = row.name;
    this.#row = row;
    this.#options = options;
    this.#url = endpoint(options.baseURL ?? row.baseURL, path);
    const { timeoutMs = 1, maxRetries = 0, retryDelayMs = 0 } = options;
    if (!(timeoutMs > 0) || !Number.isInteger(maxRetries) || maxRetries < 0 || !(retryDelayMs >= 0)) {
      throw new IbidError('invalid-option', '`timeoutMs`, `maxRetries` and `retryDelayMs` must be numbers from 0 up.');
    }
  }

  /** The reader of the service's answer. `read` gives a text for one that is not as documented: what is wrong with it. */
  async post<T>(body: unknown, read: (json: unknown) => T | string, signal?: AbortSignal): Promise<T> {
    const { maxRetries = 2, retryDelayMs = 2000 } = this.#options;
    for (let attempt = 0; ; attempt += 1) {
      const tried = await this.#attempt(body, read, signal);
      if (!(tried instanceof FailedTry)) return tried.value;
      const { error, asked } = tried;
      if (!error.retryable || attempt >= maxRetries) throw (await this.#redirected(error, signal)) ?? error;
      // Before its time a service would refuse once more, and a person waits.
      if (asked !== undefined && asked > LONGEST_WAIT) throw error;
      await sleep(asked ?? Math.min(retryDelayMs * 2 ** attempt, LONGEST_WAIT), signal);
    }
  }

  /** Makes the error for a response that is not what the service's documentation says. */
  #strange(what: string): IbidError {
    return new IbidError('provider-protocol', `${this.name} answered unexpectedly: ${what}.`, {
      hint: 'Check that the model is of this kind, and that the base URL belongs to this service.',
    });
  }

  async #attempt<T>(
    body: unknown,
    read: (json: unknown) => T | string,
    signal: AbortSignal | undefined,
  ): Promise<{ value: T } | FailedTry> {
    if (signal?.aborted) throw abortedError(signal.reason);
    const { timeoutMs = 60_000 } = this.#options;
    const key = await this.#key(signal);
    const redactor = new Redactor([key, ...Object.values(this.#options.headers ?? {})]);
    const headers = this.#headers(key);
    // A redirect would carry key and text to another address.
    const request = { method: 'POST', headers, body: JSON.stringify(body), redirect: 'error' } as const;
    const linked = new LinkedAbort([signal]);
    const late = new IbidError('timeout', `${this.name} did not answer in ${timeoutMs / 1000} s.`, {
      hint: 'Try again, or allow more time with `timeoutMs`.',
      retryable: true,
    });
    const timer = setTimeout(() => linked.abort(late), timeoutMs);
    try {
      const response = await fetch(this.#url, { ...request, signal: linked.signal });
      const text = await this.#text(response);
      if (!response.ok) {
        const asked = waitAsked(response.headers);
        return new FailedTry(redactor.error(this.#refusal(response, text, key, asked)), asked);
      }
      const value = read(parsed(text));
      if (typeof value === 'string') throw redactor.error(this.#strange(value));
      return { value };
    } catch (thrown) {
      if (signal?.aborted) throw abortedError(signal.reason);
      if (linked.signal.aborted) return new FailedTry(late);
      if (thrown instanceof IbidError) throw thrown;
      // What was thrown is not passed on: it may name the address, which a proxy may have put a key into.
      return new FailedTry(
        new IbidError('network', `${this.name} could not be reached.`, {
          hint: `Check that it runs at this address. From a web page it must also allow requests from the page's origin (CORS), and the page's content security policy must allow the address.`,
          retryable: true,
        }),
      );
    } finally {
      clearTimeout(timer);
      linked.release();
    }
  }

  /** Makes the error for a redirect, where that is why a service was not reached; the page cannot see it. */
  async #redirected(error: IbidError, signal: AbortSignal | undefined): Promise<IbidError | undefined> {
    if (error.code !== 'network') return undefined;
    const { redirectOf } = await import('../ask/reach.js');
    const names = this.#headers(this.#options.apiKey === undefined ? undefined : 'none').keys();
    return await redirectOf(this.#url, [...names], signal);
  }

  async #key(signal: AbortSignal | undefined): Promise<string | undefined> {
    const { apiKey } = this.#options;
    const key = typeof apiKey === 'function' ? await orAborted((async () => apiKey())(), signal) : apiKey;
    if (key !== undefined && typeof key !== 'string') throw new IbidError('invalid-option', '`apiKey` is no string.');
    return key?.trim();
  }

  #headers(key: string | undefined): Headers {
    const { keyHeader } = this.#row;
    try {
      const headers = new Headers({ 'content-type': 'application/json' });
      if (key) headers.set(keyHeader ?? 'authorization', keyHeader === undefined ? `Bearer ${key}` : key);
      for (const [name, value] of Object.entries(this.#options.headers ?? {})) headers.set(name, value);
      return headers;
    } catch {
      throw new IbidError('invalid-option', `${this.name}'s API key or a header cannot be sent: HTTP forbids it.`, {
        hint: 'Copy the key again, without the text around it.',
      });
    }
  }

  async #text(response: Response): Promise<string> {
    const limit = response.ok ? MAX_RESPONSE : MAX_REFUSAL;
    const decoder = new TextDecoder();
    let [text, length] = ['', 0];
    const reader = response.body?.getReader();
    for (;;) {
      const { done, value } = (await reader?.read()) ?? { done: true, value: undefined };
      if (done) return text + decoder.decode();
      length += value.length;
      if (length > limit) {
        await reader?.cancel();
        if (!response.ok) return text;
        throw this.#strange(`with more than ${limit} bytes`);
      }
      text += decoder.decode(value, { stream: true });
    }
  }

  #refusal({ status }: Response, text: string, key: string | undefined, retryAfter: number | undefined): IbidError {
    const [code, what, hint] = meaning(status, key !== undefined || this.#options.headers !== undefined);
    const message = withoutStart(messageOf(text), key);
    const end = message === '' ? '.' : `: ${message}`;
    const retryable = [408, 409, 429].includes(status) || status >= 500;
    return new IbidError(code, `${this.name} ${what} (HTTP ${status})${end}`, { hint, retryable, retryAfter });
  }
}

/** An attempt that failed, and how many milliseconds the service asks to wait. */
class FailedTry {
  constructor(
    readonly error: IbidError,
    readonly asked?: number | undefined,
  ) {}
}

function meaning(status: number, hasKey: boolean): [ErrorCode, string, string] {
  if (status === 401 || status === 403) {
    const hint = hasKey
      ? 'Check that the API key is complete and has the right permissions.'
      : 'Set an API key: none was sent.';
    return ['provider-auth', 'refused access', hint];
  }
  if (status === 404) {
    const hint = 'Check the address and the names in it.';
    return ['provider-not-found', 'does not know the requested address or name', hint];
  }
  if (status === 429) return ['provider-rate-limit', 'gets too many requests', 'Wait a little, then try again.'];
  if (status >= 500) return ['provider-unavailable', 'failed', "Try again later, and check the server's log."];
  const hint = "Read the server's message, and check that its version is supported.";
  if (status >= 400) return ['provider-request', 'did not accept the request', hint];
  return ['provider-protocol', 'answered unexpectedly', hint];
}

/** Parses the JSON of a body; undefined for anything else, which the reader refuses. */
function parsed(body: string): unknown {
  try {
    return JSON.parse(body);
  } catch {
    return undefined;
  }
}

/** Services like to echo a key with its middle starred out; its beginning is nobody's business either. */
function withoutStart(message: string, key: string | undefined): string {
  if (key === undefined || key.length < 12) return message;
  const words = message.split(/(?=[ "',])|(?<=[ "',])/);
  return words.map((word) => (word.startsWith(key.slice(0, 6)) ? '[secret]' : word)).join('');
}

/** Reads the message of an error's body, in one line: in any of the shapes that are about, or as plain text. */
function messageOf(body: string): string {
  let message: unknown;
  try {
    message = JSON.parse(body);
    for (let depth = 0; depth < 5 && typeof message === 'object' && message !== null; depth += 1) {
      const { error, message: said, detail, msg } = (Array.isArray(message) ? message[0] : message) ?? {};
      // Where both are texts, the first is the name of a class of errors.
      message = typeof error === 'string' && typeof said === 'string' ? said : (error ?? said ?? detail ?? msg);
    }
  } catch {
    message = /^\s*<(!doctype )?html/i.test(body) ? 'an HTML page' : body;
  }
  const line = typeof message === 'string' ? message.replace(/\s+/g, ' ').trim() : '';
  return line.length > MAX_MESSAGE ? `${line.slice(0, MAX_MESSAGE)}…` : line;
}

function endpoint(baseURL: string, path: string): string {
  const wrong = (problem: string) => {
    const hint = "Use an address such as https://api.openai.com/v1, or omit it to use the service's own.";
    return new IbidError('invalid-option', `The base URL ${problem}.`, { hint });
  };
  let url: URL;
  try {
    // An address of the page's own, such as `/api/embeddings`, is a proxy's.
    url = new URL(baseURL, globalThis.location?.href);
  } catch {
    throw wrong('is no address');
  }
  if (!/^https?:$/.test(url.protocol)) throw wrong('does not start with http:// or https://');
  if (url.username !== '' || url.password !== '') throw wrong('holds a user name, which pages may not send');
  const base = url.pathname.replace(/\/+$/, '');
  // People paste whole endpoints, and Ollama's address with the path that all of its own have.
  const short = base.endsWith(path) ? base.slice(0, -path.length) : base;
  url.pathname = (path.startsWith('/api/') ? short.replace(/\/api$/, '') : short) + path;
  url.hash = '';
  return url.href;
}

/** Reads the fields of an object, and none of anything else. */
export function fields(value: unknown): Record<string, unknown> {
  return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {};
}

/** Returns an array, and an empty one for anything else. */
export function array(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}
