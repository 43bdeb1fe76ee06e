/**
 * The module worker that {@link Ibid.add} builds in: `new Worker(url, { type: 'module' })`. It says that it is ready,
 * takes one job, and answers with progress and the result.
 *
 * @packageDocumentation
 */

import { toIbidError } from '../error.js';
import type { AddProgress } from '../types.js';
import { buildIndex } from './builder.js';
import type { FromWorker, Job } from './worker-wire.js';

/** What a worker's global object has that a window's has not in the same form. */
interface WorkerScope {
  postMessage(message: FromWorker, transfer?: Transferable[]): void;
  onmessage: ((event: MessageEvent<Job>) => void) | null;
}

const scope = globalThis as unknown as WorkerScope;

scope.onmessage = async ({ data: { documents, options } }) => {
  try {
    const onProgress = (progress: AddProgress) => scope.postMessage({ type: 'progress', progress });
    const { index, report } = await buildIndex(documents, { ...options, onProgress });
    scope.postMessage({ type: 'done', index, report }, [index.buffer]);
  } catch (error) {
    const { code, message, hint, retryable } = toIbidError(error);
    scope.postMessage({ type: 'failed', error: { code, message, hint, retryable } });
  }
};

scope.postMessage({ type: 'ready' });
