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

/**
 * Lets the page paint and take input before what follows. A module starts, an index opens and a search begins in a task
 * of its own each: on a phone, all in one hold the page for a quarter of a second.
 */
export async function nextTask(): Promise<void> {
  const { scheduler } = globalThis as { scheduler?: { yield?(): Promise<void> } };
  if (scheduler?.yield) await scheduler.yield();
  else await new Promise((resume) => setTimeout(resume));
}

/** Returns true if the visitor has asked for as little traffic as possible, as far as the browser tells. */
export function savesData(): boolean {
  const navigator = globalThis.navigator as { connection?: { saveData?: boolean } } | undefined;
  return navigator?.connection?.saveData === true;
}
