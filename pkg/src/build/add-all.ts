import type { BuilderEngine } from '../engine.js';
import { abortedError, type IbidError, toIbidError } from '../error.js';
import type { AddProgress, AddReport, ChunkingOptions, DocumentInput } from '../types.js';
import { contentBytes } from './contents.js';

/** The time that work goes on before others, a page's clicks or Ctrl-C, get their turn. */
export const SLICE_MS = 12;

/** Adds documents one after another, and lets them agree. One that cannot be read is left out and named in the report. */
export async function addAll(
  engine: Pick<BuilderEngine, 'add' | 'settle'>,
  documents: Iterable<DocumentInput> | AsyncIterable<DocumentInput>,
  slices: Slices,
  onProgress: (progress: AddProgress) => void,
): Promise<AddReport> {
  const skipped: AddReport['skipped'] = [];
  const count = Array.isArray(documents) ? documents.length : 0;
  let done = 0;
  for await (const { source, content, metadata, sidecar, page } of documents) {
    const bytes = await contentBytes(source, content);
    try {
      engine.add(source, bytes, {
        ...(metadata && { fields: Object.entries(metadata) }),
        ...(sidecar && { sidecar: [sidecar.name, sidecar.content] }),
        ...(page && { page }),
      });
    } catch (error) {
      const { code, message } = skippable(error);
      skipped.push({ source, code, message });
    }
    done += 1;
    onProgress({ phase: 'chunk', done, total: Math.max(count, done) });
    await slices.next();
  }
  const { documents: added, chunks, leftOut, shared, unlinked, warnings } = engine.settle();
  skipped.push(...leftOut.map(([source, code, message]) => ({ source, code, message })));
  const more = { ...(shared && { shared }), ...(unlinked && { unlinked }) };
  return { documents: added, chunks, embedded: 0, skipped, warnings, ...more };
}

/** An error that is about one document; any other is thrown on. */
function skippable(error: unknown): IbidError {
  const known = toIbidError(error);
  if (known.code === 'internal' || known.code === 'invalid-option') throw known;
  return known;
}

/** The core's names of options are in snake case. */
export function chunkingWire(chunking: ChunkingOptions): Record<string, unknown> {
  const snake = (name: string) => name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
  const given = Object.entries(chunking).filter(([, value]) => value !== undefined);
  return Object.fromEntries(given.map(([name, value]) => [snake(name), value]));
}

/** Gives others their turn whenever the work has gone on for long enough. */
export class Slices {
  #start = performance.now();

  constructor(readonly signal: AbortSignal) {}

  async next(): Promise<void> {
    if (performance.now() - this.#start >= SLICE_MS) {
      await new Promise((resolve) => setTimeout(resolve));
      this.#start = performance.now();
    }
    if (this.signal.aborted) throw abortedError(this.signal.reason);
  }
}
