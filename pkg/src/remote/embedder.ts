import type { Embedder, EmbeddingTask } from '../encoder/types.js';
import { IbidError } from '../error.js';
import { sleep } from '../patient-fetch.js';
import { EmbeddingWire } from './embedding-wire.js';
import { Service, type ServiceOptions } from './http.js';
import { ownDimensions } from './models.js';
import type { EmbeddingProvider } from './providers.js';

/** The most UTF-16 units of the texts of one request, unless it is a single text: services limit its tokens as well. */
const MAX_LENGTH = 100_000;

/** The service that embeds, and its options. */
export interface RemoteEmbedderOptions extends ServiceOptions {
  provider: EmbeddingProvider;
  /** The model's name as the service spells it, such as `text-embedding-3-small`. */
  model: string;
  /**
   * The number of dimensions of the vectors: those of the index, which `ibid inspect` shows. Default: those of the model,
   * if it is well known.
   */
  dimensions?: number | undefined;
  /**
   * True if the service is asked for that many. Not every model can be asked. Default: unless they are known to be what
   * the model has on its own.
   */
  sendDimensions?: boolean | undefined;
  /** The most texts of one request. Default: 100, or the service's own limit. */
  batchSize?: number | undefined;
  /** The most requests in a minute. Default: any number. */
  requestsPerMinute?: number | undefined;
}

/**
 * Makes an {@link Embedder} that asks a service, for `queryEncoder`, `Ibid.add` and `buildIndex`. An index that was
 * built by `ibid build --embeddings` with the same provider, model and dimensions is of the same space.
 *
 * Fails with the codes of providers (`provider-auth`, `provider-rate-limit`, ...), `network`, `timeout` or `aborted`, and
 * with `model-mismatch` for vectors of other dimensions. No error holds the key.
 */
export function remoteEmbedder(options: RemoteEmbedderOptions): Embedder {
  const wire = new EmbeddingWire(options.provider, options.model);
  const service = new Service(wire.row, wire.path, options);
  const own = ownDimensions(wire.model);
  const { dimensions = own, requestsPerMinute, batchSize = wire.batchSize } = options;
  if (dimensions === undefined) {
    throw new IbidError('invalid-option', `How many dimensions the vectors of ${wire.space} have is not known.`, {
      hint: 'Set `dimensions`; `ibid inspect` shows those of an index.',
    });
  }
  check('dimensions', dimensions, 4096);
  check('batchSize', batchSize, wire.batchSize);
  if (requestsPerMinute !== undefined && !(requestsPerMinute > 0)) {
    throw new IbidError('invalid-option', '`requestsPerMinute` must be above 0.');
  }
  const asked = (options.sendDimensions ?? dimensions !== own) ? dimensions : undefined;
  const pace = new Pace(requestsPerMinute);

  async function ask(texts: string[], task: EmbeddingTask, signal: AbortSignal): Promise<number[][]> {
    await pace.wait(signal);
    const read = (response: unknown) => wire.vectors(response, texts.length);
    const vectors = await service.post(wire.body(texts, task, asked), read, signal);
    const other = vectors.find((vector) => vector.length !== dimensions);
    if (other !== undefined) {
      const message = `${wire.space} gave vectors of ${other.length} dimensions, but ${dimensions} are needed.`;
      throw new IbidError('model-mismatch', message, {
        hint: 'Set `dimensions` to those of the index, and check that it is the same model.',
      });
    }
    return vectors;
  }

  return {
    name: wire.space,
    dimensions,
    batchSize,
    remote: true,
    async embed(texts, task, signal) {
      const all: number[][] = [];
      while (all.length < texts.length) {
        const batch = firstBatch(texts, all.length, batchSize);
        all.push(...(await ask(batch, task, signal)));
      }
      return all;
    },
  };
}

/** Takes the texts from a place on that make one request: at least one. */
function firstBatch(texts: readonly string[], start: number, most: number): string[] {
  let length = 0;
  let end = start;
  while (end < texts.length && end - start < most) {
    length += texts[end]?.length ?? 0;
    if (end > start && length > MAX_LENGTH) break;
    end += 1;
  }
  return texts.slice(start, end);
}

/** Keeps requests at a distance from each other. */
class Pace {
  readonly #distance: number;
  #next = 0;

  constructor(perMinute: number | undefined) {
    this.#distance = perMinute === undefined ? 0 : 60_000 / perMinute;
  }

  async wait(signal: AbortSignal): Promise<void> {
    if (this.#distance === 0) return;
    const now = Date.now();
    const start = Math.max(now, this.#next);
    this.#next = start + this.#distance;
    if (start > now) await sleep(start - now, signal);
  }
}

function check(name: string, value: number, most: number): void {
  if (!Number.isInteger(value) || value < 1 || value > most) {
    throw new IbidError('invalid-option', `\`${name}\` is not a whole number from 1 to ${most}.`);
  }
}
