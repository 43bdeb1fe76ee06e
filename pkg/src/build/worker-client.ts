import { orAborted } from '../abort.js';
import { abortedError, IbidError } from '../error.js';
import { ownWorker } from '../package-files.js';
import type { AddProgress } from '../types.js';
import type { FromWorker, Job, JobResults, ToWorker } from './worker-wire.js';

interface Waiting {
  resolve: (result: never) => void;
  reject: (error: IbidError) => void;
  onProgress: ((progress: AddProgress) => void) | undefined;
}

/** The time that a worker has to say that it is ready. */
const START_MS = 5000;

const HINT = 'Its code must be `ibid/worker`: check the built worker, or pass `worker: false` to use none.';

const TRUSTED_HINT =
  'The page requires Trusted Types: add `trusted-types ibid` to its content security policy, or pass `worker: false`.';

interface Policy {
  createScriptURL(address: string): string;
}
let policy: Policy | undefined;

/** Returns an address as a page with Trusted Types takes it, by the policy `ibid`. */
export function trusted(address: string): string {
  const { trustedTypes } = globalThis as { trustedTypes?: { createPolicy(name: string, rules: Policy): Policy } };
  policy ??= trustedTypes?.createPolicy('ibid', { createScriptURL: (own) => own });
  return policy?.createScriptURL(address) ?? address;
}

/** The work goes on without the worker, so nothing is thrown; but a developer who wonders why it is slow has to find this. */
function tell(why: string, cause?: unknown): void {
  const hint = /Trusted|createPolicy/.test(String(cause)) ? TRUSTED_HINT : HINT;
  const error = new IbidError('timeout', `The worker ${why}; this thread does its work.`, { hint, cause });
  // biome-ignore lint/suspicious/noConsole: no caller sees this error, since the call succeeds.
  console.warn(`${error.message} ${hint}`, error);
}

/** A worker that is ready, and the jobs that it has. */
export class WorkerClient {
  readonly #worker: Worker;
  readonly #waiting = new Map<number, Waiting>();
  #last = 0;
  /** The reason why it takes no more jobs. */
  #end: IbidError | undefined;

  private constructor(worker: Worker) {
    this.#worker = worker;
    worker.onmessage = ({ data }: MessageEvent<FromWorker>) => this.#take(data);
    worker.onerror = (event) => {
      event.preventDefault();
      this.terminate(new IbidError('internal', `The worker failed: ${event.message}`));
    };
    worker.onmessageerror = () => this.terminate(new IbidError('internal', "The worker's answer could not be read."));
  }

  /**
   * A worker that is ready; `undefined` if there are none, where the page's policy or origin does not allow it, or
   * where it says nothing in time, as one whose code a bundler has left out. All but the first shows in the console.
   */
  static async start(
    create: (() => Worker) | false | undefined,
    signal: AbortSignal,
  ): Promise<WorkerClient | undefined> {
    if (create === false) return undefined;
    let worker: Worker;
    try {
      worker = create?.() ?? ownWorker(trusted);
    } catch (error) {
      // Nobody misses a worker if there are none at all.
      if (globalThis.Worker !== undefined) tell('could not be started', error);
      return undefined;
    }
    let timer: ReturnType<typeof setTimeout> | undefined;
    const ready = new Promise<boolean>((resolve) => {
      worker.onmessage = () => resolve(true);
      worker.onerror = (event) => {
        event.preventDefault();
        tell('could not be started', event.message);
        resolve(false);
      };
      timer = setTimeout(() => {
        tell(`did not start in ${START_MS / 1000} s`);
        resolve(false);
      }, START_MS);
    });
    let started = false;
    try {
      started = await orAborted(ready, signal);
      return started ? new WorkerClient(worker) : undefined;
    } finally {
      clearTimeout(timer);
      if (!started) worker.terminate();
    }
  }

  /** Returns true if it has ended, on its own or by {@link WorkerClient.terminate}. */
  get hasEnded(): boolean {
    return this.#end !== undefined;
  }

  /** Has a job done. Aborting gives up the wait, and tells the worker, which may stop between two steps. */
  async perform<J extends Job>(
    job: J,
    signal: AbortSignal,
    transfer: Transferable[] = [],
    onProgress?: (progress: AddProgress) => void,
  ): Promise<JobResults[J['type']]> {
    if (signal.aborted) throw abortedError(signal.reason);
    if (this.#end !== undefined) throw this.#end;
    this.#last += 1;
    const id = this.#last;
    const result = new Promise<JobResults[J['type']]>((resolve, reject) => {
      this.#waiting.set(id, { resolve, reject, onProgress });
    });
    try {
      this.#worker.postMessage({ ...job, id } satisfies ToWorker, transfer);
      return await orAborted(result, signal);
    } catch (error) {
      if (signal.aborted && !this.hasEnded) this.#worker.postMessage({ type: 'cancel', id } satisfies ToWorker);
      throw error;
    } finally {
      this.#waiting.delete(id);
    }
  }

  /** Ends it; the jobs under way, and all later ones, fail. */
  terminate(reason = new IbidError('aborted', 'The worker was ended.')): void {
    if (this.#end !== undefined) return;
    this.#end = reason;
    this.#worker.terminate();
    for (const { reject } of this.#waiting.values()) reject(reason);
    this.#waiting.clear();
  }

  #take(data: FromWorker): void {
    if (data.type === 'ready') return;
    const waiting = this.#waiting.get(data.id);
    if (data.type === 'progress') waiting?.onProgress?.(data.progress);
    else if (data.type === 'done') waiting?.resolve(data.result as never);
    else waiting?.reject(new IbidError(data.error.code, data.error.message, data.error));
  }
}
