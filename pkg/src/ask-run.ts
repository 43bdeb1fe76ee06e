import { LinkedAbort } from './abort.js';
import type { Answer, AskEvent } from './ask/answer-types.js';
import { abortedError, type IbidError, toIbidError } from './error.js';

/** Starts a run: reports what happens to `emit` and resolves with the answer. */
type StartRun = (emit: (event: AskEvent) => void, signal: AbortSignal) => Promise<Answer>;

/**
 * A question being answered. Iterate it for the events as they happen, or await it for the answer, or both:
 *
 * ```ts
 * const run = ibid.ask('What is the dose?');
 * for await (const event of run) if (event.type === 'text') show(event.delta);
 * const answer = await run;
 * ```
 *
 * The run starts at once and keeps its events, so an iteration that begins late misses none. Leaving an iteration
 * before its end aborts the run. Both ways fail with an {@link IbidError}; the failure of a run that nobody awaits is
 * no unhandled rejection.
 */
export class AskRun implements AsyncIterable<AskEvent>, PromiseLike<Answer> {
  readonly #events: AskEvent[] = [];
  readonly #abort: LinkedAbort;
  readonly #answer: Promise<Answer>;
  /** @internal Whether it is over, one way or the other. */
  settled = false;
  #waiting: (() => void)[] = [];

  /** @internal */
  constructor(start: StartRun, signals: readonly (AbortSignal | undefined)[] = []) {
    this.#abort = new LinkedAbort(signals);
    const { signal } = this.#abort;
    this.#answer = new Promise<Answer>((resolve, reject) => {
      const settle = (finish: () => void) => {
        if (this.settled) return;
        this.settled = true;
        this.#abort.release();
        finish();
        this.#wake();
      };
      const emit = (event: AskEvent) => {
        if (this.settled) return;
        this.#events.push(event);
        // An iteration that is left at its answer must not abort, and so fail, the run that has just succeeded.
        if (event.type === 'answer') settle(() => resolve(event.answer));
        this.#wake();
      };
      // Aborting settles at once: it must not wait for a hanging server or a hanging `apiKey` function.
      const onAbort = () => settle(() => reject(abortedError(signal.reason)));
      if (signal.aborted) return onAbort();
      signal.addEventListener('abort', onAbort);
      // What it throws at once is a failure like any other.
      (async () => start(emit, signal))().then(
        (answer) => settle(() => resolve(answer)),
        (error: unknown) => settle(() => reject(toIbidError(error))),
      );
    });
    // Marks the rejection as handled; code that awaits the run still gets it.
    this.#answer.catch(() => {});
  }

  /** Aborts the run, its request to the model included. It then fails with the code `aborted`. No effect afterwards. */
  abort(reason?: unknown): void {
    this.#abort.abort(reason);
  }

  // biome-ignore lint/suspicious/noThenProperty: a run is awaited for its answer.
  then<A = Answer, B = never>(
    onAnswer?: ((answer: Answer) => A | PromiseLike<A>) | null,
    onError?: ((error: IbidError) => B | PromiseLike<B>) | null,
  ): Promise<A | B> {
    return this.#answer.then(onAnswer, onError);
  }

  /**
   * The pieces of the answer's text as they are written. Text that takes the place of what came before, as with
   * {@link AskOptions.verify} `repair`, follows as a paragraph of its own; {@link Answer.text} is what counts.
   */
  get textStream(): AsyncIterable<string> {
    return { [Symbol.asyncIterator]: () => textOf(this[Symbol.asyncIterator]()) };
  }

  catch<B = never>(onError?: ((error: IbidError) => B | PromiseLike<B>) | null): Promise<Answer | B> {
    return this.#answer.catch(onError);
  }

  finally(onSettled?: (() => void) | null): Promise<Answer> {
    return this.#answer.finally(onSettled);
  }

  /** The events from the first on. Throws where the run fails. */
  [Symbol.asyncIterator](): AsyncIterator<AskEvent, undefined> {
    let position = 0;
    let left = false;
    // Written out, not as a generator, since a generator that is waiting for an event cannot be left until it comes.
    return {
      next: async () => {
        while (!left) {
          const event = this.#events[position];
          if (event !== undefined) {
            position += 1;
            return { done: false, value: event };
          }
          if (this.settled) {
            left = true;
            await this.#answer;
          } else {
            await new Promise<void>((resolve) => this.#waiting.push(resolve));
          }
        }
        return { done: true, value: undefined };
      },
      return: async () => {
        left = true;
        this.abort();
        return { done: true, value: undefined };
      },
    };
  }

  #wake(): void {
    const waiting = this.#waiting;
    this.#waiting = [];
    for (const resume of waiting) resume();
  }
}

/** Yields the text of events. Written out, so that it can be left while it waits. */
function textOf(events: AsyncIterator<AskEvent, undefined>): AsyncIterator<string, undefined> {
  let isFirst = true;
  return {
    next: async () => {
      for (;;) {
        const { done, value } = await events.next();
        if (done) return { done: true, value: undefined };
        if (value.type !== 'text') continue;
        const text = value.restart && !isFirst ? `\n\n${value.delta}` : value.delta;
        isFirst = false;
        return { done: false, value: text };
      }
    },
    return: async () => {
      await events.return?.();
      return { done: true, value: undefined };
    },
  };
}
