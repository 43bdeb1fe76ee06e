/**
 * An error in a form that programs can rely on. Codes are added to over time, never renamed.
 * docs/javascript.md says what each means and how to mend it.
 */
export type ErrorCode =
  // From the core, the same codes as in Rust and on the command line.
  | 'invalid-option'
  | 'invalid-document'
  | 'document-skipped'
  | 'metadata-type'
  | 'filter-invalid'
  | 'index-foreign'
  | 'index-truncated'
  | 'index-corrupt'
  | 'index-version'
  | 'index-incomplete'
  | 'model-mismatch'
  | 'model-invalid'
  | 'embedder-failed'
  | 'model-incomplete'
  | 'query-empty'
  | 'question-length'
  | 'question-blocked'
  | 'provider-auth'
  | 'provider-not-found'
  | 'provider-rate-limit'
  | 'provider-request'
  | 'provider-unavailable'
  | 'provider-protocol'
  | 'context-length'
  | 'tools-unsupported'
  | 'output-invalid'
  | 'audit-broken'
  | 'network'
  | 'timeout'
  | 'aborted'
  | 'io'
  | 'internal'
  // From this package.
  | 'wasm-load'
  | 'index-load'
  | 'model-load'
  | 'disposed';

/** Details of an {@link IbidError} besides its code and message. */
export interface IbidErrorDetails {
  /** A remedy, in words for a person. */
  hint?: string | undefined;
  /** True if the same call may succeed later without any change. Default: `false`. */
  retryable?: boolean | undefined;
  /** The number of milliseconds a service asks to wait before the next call. Default: none. */
  retryAfter?: number | undefined;
  /** The error underneath, if there is one and it can carry no secret. */
  cause?: unknown;
}

/** The one kind of error that this package throws or rejects with. */
export class IbidError extends Error {
  override readonly name = 'IbidError';
  /** The stable code to match on. */
  readonly code: ErrorCode;
  /** A remedy, if there is one. Not stable. */
  readonly hint?: string;
  /** True if the same call may succeed later without any change. */
  readonly retryable: boolean;
  /** The number of milliseconds a service asks to wait before the next call, where it says so. */
  readonly retryAfter?: number;

  constructor(code: ErrorCode, message: string, details: IbidErrorDetails = {}) {
    super(message, details.cause === undefined ? undefined : { cause: details.cause });
    this.code = code;
    this.retryable = details.retryable ?? false;
    if (details.hint !== undefined) this.hint = details.hint;
    if (details.retryAfter !== undefined) this.retryAfter = details.retryAfter;
  }
}

/** The text form of every code: words in lower case, joined by hyphens. */
const CODE = /^[a-z]+(?:-[a-z]+)*$/;

/** Makes the error for an operation that its caller gave up, unless the caller says itself which it is. */
export function abortedError(reason?: unknown): IbidError {
  if (reason instanceof IbidError) return reason;
  const timedOut = reason instanceof Error && reason.name === 'TimeoutError';
  return new IbidError('aborted', timedOut ? 'The operation timed out.' : 'The operation was aborted.', {
    cause: reason,
  });
}

/** Turns anything thrown, by the wasm module, the platform or a callback, into an {@link IbidError}. Never throws itself. */
export function toIbidError(thrown: unknown): IbidError {
  try {
    return read(thrown);
  } catch {
    // An object whose properties cannot be read, or that has no text: code that waits for an error still gets one.
    return new IbidError('internal', 'Unexpected failure: something was thrown that cannot be read.', {
      cause: thrown,
    });
  }
}

/** Calls back. A failing callback is its owner's affair: it shows in the console and changes nothing here. */
export function callBack(call: () => void): void {
  try {
    call();
  } catch (error) {
    queueMicrotask(() => {
      throw error;
    });
  }
}

function read(thrown: unknown): IbidError {
  if (thrown instanceof IbidError) return thrown;
  if (thrown instanceof Error && thrown.name === 'AbortError') return abortedError(thrown);
  const { code, message, hint, retryable, retryAfter } = Object(thrown) as Record<string, unknown>;
  // A code of any other form, a number or `ECONNRESET`, belongs to somebody else's error.
  if (typeof code === 'string' && CODE.test(code)) {
    return new IbidError(code as ErrorCode, typeof message === 'string' ? message : code, {
      hint: typeof hint === 'string' ? hint : undefined,
      retryable: retryable === true,
      retryAfter: typeof retryAfter === 'number' ? retryAfter : undefined,
    });
  }
  return new IbidError('internal', `Unexpected failure: ${typeof message === 'string' ? message : String(thrown)}`, {
    hint: 'This is a bug in ibid: please report it. Loading the index again may help.',
    cause: thrown,
  });
}

/** Reads the message of anything thrown; some errors of browsers have a name alone. */
export function textOf(error: unknown): string {
  return error instanceof Error ? error.message || error.name : String(error);
}
