import { LinkedAbort, orAborted } from './abort.js';
import { abortedError } from './error.js';

/** In milliseconds: the longest silence of a host, the wait before the first retry, and the longest it may ask for. */
export const PATIENCE = { silence: 20_000, pause: 500, longest: 10_000 };

/** A request is sent again that often. */
const RETRIES = 2;

/** The time of the last byte of any file: on a slow line one download waits for others. */
let heard = 0;

/** The host has said nothing for too long. */
export class SilentHost extends Error {
  override readonly name = 'TimeoutError';

  constructor() {
    super(`Not a byte came in ${PATIENCE.silence / 1000} s.`);
  }
}

/**
 * Fetches a file: once more after a failure that may pass, and not for ever from a host that never answers. Fails with
 * {@link SilentHost} or as `fetch` does; an HTTP error is a response. A broken connection is tried again unless the caller
 * has something else to try.
 */
export async function patientFetch(
  address: string | URL,
  init: RequestInit,
  signal?: AbortSignal,
  isBrokenTried = true,
): Promise<Response> {
  for (let attempt = 0; ; attempt += 1) {
    let asked: number | undefined;
    try {
      const response = await answered(address, init, signal);
      asked = waitAsked(response.headers);
      const wait = asked ?? 0;
      if (!mayPass(response.status) || attempt >= RETRIES || wait > PATIENCE.longest) return response;
      await response.body?.cancel().catch(() => {});
    } catch (error) {
      if (!isBrokenTried || signal?.aborted || error instanceof SilentHost || attempt >= RETRIES) throw error;
    }
    await sleep(asked ?? PATIENCE.pause * 2 ** attempt, signal);
  }
}

async function answered(address: string | URL, init: RequestInit, signal?: AbortSignal): Promise<Response> {
  const linked = new LinkedAbort([signal]);
  try {
    return await inTime(fetch(address, { ...init, signal: linked.signal }), signal);
  } catch (error) {
    linked.abort(error);
    throw error;
  } finally {
    // The reader of the body ends it by {@link inTime}.
    linked.release();
  }
}

/** Waits for an answer or for a piece of one. */
export async function inTime<T>(work: Promise<T>, signal?: AbortSignal): Promise<T> {
  const begun = Date.now();
  let timer: ReturnType<typeof setTimeout> | undefined;
  const silence = new Promise<never>((_, reject) => {
    const look = () => {
      const left = Math.max(begun, heard) + PATIENCE.silence - Date.now();
      if (left <= 0) reject(new SilentHost());
      else timer = setTimeout(look, left);
    };
    look();
  });
  try {
    const done = await orAborted(Promise.race([work, silence]), signal);
    heard = Date.now();
    return done;
  } finally {
    clearTimeout(timer);
  }
}

/** Tells whether a failure with that status may have passed when the same is tried again. */
export function mayPass(status: number): boolean {
  return status === 408 || status === 429 || status >= 500;
}

/** `retry-after-ms`, else `retry-after` in seconds or as a date, which is compared with the response's own. */
export function waitAsked(headers: Headers): number | undefined {
  const number = (text: string | null) => (text === null || text.trim() === '' ? Number.NaN : Number(text));
  const after = headers.get('retry-after');
  const date = Date.parse(after ?? '') - (Date.parse(headers.get('date') ?? '') || Date.now());
  return [number(headers.get('retry-after-ms')), number(after) * 1000, date].find((wait) => wait >= 0);
}

/** Waits, unless the signal says that nobody does. */
export async function sleep(milliseconds: number, signal?: AbortSignal): Promise<void> {
  if (signal?.aborted) throw abortedError(signal.reason);
  let timer: ReturnType<typeof setTimeout> | undefined;
  const waited = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, milliseconds);
  });
  try {
    await orAborted(waited, signal);
  } finally {
    clearTimeout(timer);
  }
}
