import { LinkedAbort } from '../abort.js';
import type { QueryEncoder } from '../encoder/query-encoder.js';
import { abortedError, IbidError } from '../error.js';
import type { AddOptions, ByteSource, DocumentInput, IndexInfo } from '../types.js';
import type { BuildResult } from './builder.js';
import { packBuild } from './pack-job.js';
import { WorkerClient } from './worker-client.js';

/**
 * Builds an index of documents that are to be added to another one: chunked and calibrated as that was, by the encoder
 * that the page has loaded unless the options name a model, else in a worker if there is one.
 */
export async function buildAddition(
  documents: readonly DocumentInput[],
  base: IndexInfo,
  table: ByteSource,
  options: AddOptions,
  signals: readonly (AbortSignal | undefined)[],
  encoder?: QueryEncoder,
): Promise<BuildResult> {
  if (base.engine !== undefined) {
    throw new IbidError('invalid-option', '`add` works with an index, but not with a collection in a search engine.', {
      hint: 'Build an index with these documents and load it into the collection with `ibid push`.',
    });
  }
  const linked = new LinkedAbort(signals);
  const { signal } = linked;
  const { calibration, language } = base;
  const all = { ...options, table, chunking: { ...base.chunking, ...options.chunking }, calibration, language };
  try {
    if (signal.aborted) throw abortedError(signal.reason);
    if (encoder !== undefined && options.model === undefined) return await encoder.build(documents, all, signal);
    const worker = await WorkerClient.start(options.worker, signal);
    if (worker === undefined) {
      const { buildIndex } = await import('./builder.js');
      return await buildIndex([...documents], { ...all, signal });
    }
    try {
      const { job, transfer } = await packBuild(documents, all, signal);
      return await worker.perform(job, signal, transfer, options.onProgress);
    } finally {
      worker.terminate();
    }
  } finally {
    linked.release();
  }
}
