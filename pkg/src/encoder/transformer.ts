import type { BuildResult } from '../build/builder.js';
import { ownBytes } from '../build/pack-job.js';
import { PROJECTION, readBytes, resolved, TRANSFORMER } from '../bytes.js';
import type { FileLayouts, ForeignSpace } from '../engine.js';
import { IbidError, toIbidError } from '../error.js';
import { projectionSource } from '../package-files.js';
import { type Kind, RemoteParts } from '../remote-parts.js';
import type { ByteSource, DocumentInput, LoadOptions } from '../types.js';
import { type EncoderHost, openHost } from './host.js';
import type { EncoderBuildOptions, QueryEncoder } from './query-encoder.js';
import type { TransformerOptions } from './types.js';

/** The transformer, in a worker if there is one. When that has ended, the next query starts another. */
export class TransformerEncoder implements QueryEncoder {
  readonly kind = 'transformer';
  readonly remote = false;
  readonly space: ForeignSpace;
  readonly #open: (signal: AbortSignal) => Promise<EncoderHost>;
  #host: Promise<EncoderHost>;
  #closed = false;

  private constructor(host: EncoderHost, open: (signal: AbortSignal) => Promise<EncoderHost>) {
    this.space = host.space;
    this.#host = Promise.resolve(host);
    this.#open = open;
  }

  /** Fails with `wasm-load`, `model-load`, `model-invalid`, `model-mismatch` or `aborted`. */
  static async open(
    source: TransformerOptions,
    options: Pick<LoadOptions, 'persist' | 'onProgress'>,
    signal: AbortSignal,
  ): Promise<TransformerEncoder> {
    const open = (signal: AbortSignal) => openTransformer(source, options, signal);
    return new TransformerEncoder(await open(signal), open);
  }

  async embed(text: string, signal: AbortSignal): Promise<Float32Array> {
    return await this.#use(signal, async (host) => {
      const vector = await host.embed([text], 'query', signal);
      return vector.some((component) => component !== 0) ? vector : new Float32Array();
    });
  }

  async build(
    documents: readonly DocumentInput[],
    options: EncoderBuildOptions,
    signal: AbortSignal,
  ): Promise<BuildResult> {
    return await this.#use(signal, (host) => host.build(documents, options, signal));
  }

  close(): void {
    this.#closed = true;
    this.#host.then(
      (host) => host.close(),
      () => {},
    );
  }

  async #use<T>(signal: AbortSignal, work: (host: EncoderHost) => Promise<T>): Promise<T> {
    const host = await this.#running(signal);
    try {
      return await work(host);
    } catch (error) {
      const known = toIbidError(error);
      if (signal.aborted || known.code !== 'internal') throw known;
      // A module that has run out of memory, or into a defect, is in no state to be used again.
      host.close();
      throw new IbidError('embedder-failed', `The transformer failed: ${known.message}`, {
        hint: 'The next search starts it again. If it fails again, the device may lack memory: use the table.',
        retryable: true,
        cause: known,
      });
    }
  }

  async #running(signal: AbortSignal): Promise<EncoderHost> {
    const current = this.#host;
    const host = await current.catch(() => undefined);
    if (this.#closed) throw new IbidError('disposed', 'The transformer has been closed.');
    if (host !== undefined && !host.hasEnded) return host;
    // Of several queries at once, the first starts it.
    if (this.#host === current) this.#host = this.#open(signal);
    return await this.#host;
  }
}

/** Fetches the packed transformer and what belongs to it, and opens it. One that was kept and is damaged is fetched anew. */
async function openTransformer(
  source: TransformerOptions,
  { persist, onProgress }: Pick<LoadOptions, 'persist' | 'onProgress'>,
  signal: AbortSignal,
): Promise<EncoderHost> {
  const { model } = source;
  const kept = persist && keptFile(model, persist, signal);
  const open = async () => {
    const pieces = kept && (await kept.open(onProgress)).pieces;
    const packed = pieces?.[0] ?? (await readBytes(model, TRANSFORMER, signal, onProgress));
    const projection = projectionSource(source.projection, packed, model);
    const belonging = await readBytes(projection, PROJECTION, signal);
    return await openHost(source, ownBytes(packed, model), ownBytes(belonging, projection), signal);
  };
  try {
    return await open();
  } catch (error) {
    if (toIbidError(error).code !== 'model-invalid' || !(await kept?.forget())) throw error;
    return await open();
  }
}

/**
 * Opens the packed transformer at an address of the web, as a file that is fetched in parts is: what came of it is
 * kept.
 */
function keptFile(source: ByteSource, persist: LoadOptions['persist'], signal: AbortSignal): RemoteParts | undefined {
  const url = typeof source === 'string' || source instanceof URL ? resolved(source) : undefined;
  if (url === undefined || !/^https?:$/.test(url.protocol)) return undefined;
  const kind: Kind = {
    part: TRANSFORMER,
    headBytes: 16 * 1024,
    headLength: () => 0,
    // All of it is needed.
    neededRanges: (_module, _head, end) => [{ start: 0, end }],
  };
  const file = new RemoteParts(kind, url, url, async () => ({}) as FileLayouts, persist);
  signal.addEventListener('abort', () => file.close(signal.reason), { once: true });
  return file;
}
