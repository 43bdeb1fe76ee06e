/** The wait where the browser does not tell when it is idle. */
const UNTOLD_MS = 200;

/** Calls `start` when the page has nothing better to do, unless `signal` is aborted before. */
export function whenIdle(start: () => void, signal: AbortSignal): void {
  const unlessAborted = () => {
    if (!signal.aborted) start();
  };
  if (typeof globalThis.requestIdleCallback === 'function') {
    globalThis.requestIdleCallback(unlessAborted);
    return;
  }
  // Under Node the wait must not keep the process alive.
  const timer: unknown = setTimeout(unlessAborted, UNTOLD_MS);
  (timer as { unref?: () => void }).unref?.();
}

/** Returns true if the visitor has asked for as little traffic as possible, as far as the browser tells. */
export function savesData(): boolean {
  const navigator = globalThis.navigator as { connection?: { saveData?: boolean } } | undefined;
  return navigator?.connection?.saveData === true;
}
