import { abortedError } from './error.js';

/** Waits for `work`, but no longer than until one of the signals aborts. The work itself goes on. */
export async function orAborted<T>(work: Promise<T>, ...signals: (AbortSignal | undefined)[]): Promise<T> {
  let giveUp = () => {};
  const aborted = new Promise<never>((_, reject) => {
    giveUp = () => reject(abortedError(signals.find((signal) => signal?.aborted)?.reason));
  });
  for (const signal of signals) {
    if (signal?.aborted) giveUp();
    signal?.addEventListener('abort', giveUp);
  }
  try {
    return await Promise.race([aborted, work]);
  } finally {
    for (const signal of signals) signal?.removeEventListener('abort', giveUp);
  }
}

/** A signal that aborts as soon as one of several does; `AbortSignal.any` for browsers that lack it. */
export class LinkedAbort {
  readonly #abort = new AbortController();
  readonly #sources: readonly (AbortSignal | undefined)[];

  constructor(sources: readonly (AbortSignal | undefined)[]) {
    this.#sources = sources;
    for (const source of sources) {
      if (source?.aborted) this.abort(source.reason);
      source?.addEventListener('abort', this.#onAbort);
    }
  }

  get signal(): AbortSignal {
    return this.#abort.signal;
  }

  abort(reason?: unknown): void {
    this.#abort.abort(reason);
  }

  /** Stops listening, which signals that outlive the work would otherwise remember for ever. */
  release(): void {
    for (const source of this.#sources) source?.removeEventListener('abort', this.#onAbort);
  }

  readonly #onAbort = ({ target }: Event) => this.abort((target as AbortSignal).reason);
}
