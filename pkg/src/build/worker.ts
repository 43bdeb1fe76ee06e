/**
 * The module worker that {@link Ibid.add} builds in and that the transformer embeds in:
 * `new Worker(url, { type: 'module' })`. It says that it is ready, takes jobs, and answers each with its result.
 *
 * @packageDocumentation
 */

import type { QueryEncoderEngine } from '../engine.js';
import { IbidError, toIbidError } from '../error.js';
import type { AddProgress } from '../types.js';
import { buildIndex } from './builder.js';
import { builderModule } from './module.js';
import type { FromWorker, Job, JobResults, ToWorker } from './worker-wire.js';

/** The members of a worker's global object that a window's lacks in the same form. */
interface WorkerScope {
  postMessage(message: FromWorker, transfer?: Transferable[]): void;
  onmessage: ((event: MessageEvent<ToWorker>) => void) | null;
}

const scope = globalThis as unknown as WorkerScope;
const running = new Map<number, AbortController>();
let encoder: QueryEncoderEngine | undefined;

scope.onmessage = async ({ data }) => {
  const { id } = data;
  if (data.type === 'cancel') {
    running.get(id)?.abort();
    return;
  }
  const abort = new AbortController();
  running.set(id, abort);
  try {
    const [result, transfer] = await perform(data, id, abort.signal);
    scope.postMessage({ type: 'done', id, result }, transfer);
  } catch (error) {
    const { code, message, hint, retryable } = toIbidError(error);
    scope.postMessage({ type: 'failed', id, error: { code, message, hint, retryable } });
  } finally {
    running.delete(id);
  }
};

/** Returns the result of a job, and what of it is handed over. */
async function perform(job: Job, id: number, signal: AbortSignal): Promise<[JobResults[Job['type']], Transferable[]]> {
  if (job.type === 'build') {
    const onProgress = (progress: AddProgress) => scope.postMessage({ type: 'progress', id, progress });
    const result = await buildIndex(job.documents, { ...job.options, ...(encoder && { encoder }), signal, onProgress });
    return [result, [result.index.buffer]];
  }
  if (job.type === 'open') {
    const module = await builderModule.get(job.wasm);
    encoder = new module.QueryEncoder(job.model, job.projection);
    return [encoder.space(), []];
  }
  if (encoder === undefined) throw new IbidError('internal', 'No transformer has been opened in this worker.');
  const result = encoder.embed(job.texts, job.task);
  return [result, [result.buffer]];
}

scope.postMessage({ type: 'ready' });
