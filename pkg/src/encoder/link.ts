import { LinkedAbort } from '../abort.js';
import { Lru } from '../ask/lru.js';
import type { Engine, ForeignSpace } from '../engine.js';
import { callBack, IbidError, toIbidError } from '../error.js';
import type { IndexInfo, LoadOptions } from '../types.js';
import type { QueryEncoder } from './query-encoder.js';

/** The engine that an encoder is linked to. */
export interface Linked {
  engine: Engine;
  /** Aborted when the engine is about to go. */
  signal: AbortSignal;
  /** Called when {@link EncoderLink.info} tells something else. */
  changed: () => void;
}

/** Queries whose vectors are kept: filters and pages of one search ask for the same one again and again. */
const KEPT_QUERIES = 32;

/**
 * Has an engine's queries embedded by something else than its table.
 *
 * Where the table is there, with `auto`, it does whatever the transformer fails to do, and goes on from there; where it
 * is not, a failure is the search's.
 */
export class EncoderLink {
  readonly #tell: LoadOptions['onQueryEncoder'];
  readonly #upgrade: ((signal: AbortSignal) => Promise<QueryEncoder>) | undefined;
  #encoder: QueryEncoder | undefined;
  /** The reason why the table took over. */
  #failure: IbidError | undefined;
  /** The last error of an embedding, as it was thrown. */
  #thrown: IbidError | undefined;
  #kept = new Lru<Float32Array>(KEPT_QUERIES);
  #linked: Linked | undefined;

  /** With `upgrade`, the table embeds until what that loads takes its place. */
  constructor(
    { onQueryEncoder }: Pick<LoadOptions, 'onQueryEncoder'>,
    encoder: QueryEncoder | undefined,
    upgrade?: (signal: AbortSignal) => Promise<QueryEncoder>,
  ) {
    this.#tell = onQueryEncoder;
    this.#encoder = encoder;
    this.#upgrade = upgrade;
  }

  /** The space of the encoder that is here already. */
  get space(): ForeignSpace | undefined {
    return this.#encoder?.space;
  }

  /** The encoder besides the table, or in its place. */
  get encoder(): QueryEncoder | undefined {
    return this.#encoder;
  }

  /** The encoder at present, and the reason why it is not the one asked for. */
  get info(): Pick<IndexInfo, 'queryEncoder' | 'queryEncoderFailure'> {
    return {
      queryEncoder: this.#encoder?.kind ?? 'table',
      ...(this.#failure && { queryEncoderFailure: this.#failure }),
    };
  }

  /** Begins to embed for an engine, or to load what will. */
  connect(linked: Linked): void {
    this.#linked = linked;
    linked.signal.addEventListener('abort', () => this.close(), { once: true });
    if (this.#encoder !== undefined) linked.engine.embedBy(this.#embed);
    else if (this.#upgrade !== undefined) void this.#load(linked, this.#upgrade);
  }

  /** Ends what the encoder runs in. */
  close(): void {
    this.#encoder?.close();
  }

  /** An error thrown in the page is better than the one that came back through the engine, which knows no causes. */
  original(error: IbidError): IbidError {
    const thrown = this.#thrown;
    return thrown?.code === error.code && thrown.message === error.message ? thrown : error;
  }

  async #load(linked: Linked, upgrade: (signal: AbortSignal) => Promise<QueryEncoder>): Promise<void> {
    const { engine, signal } = linked;
    let encoder: QueryEncoder | undefined;
    try {
      encoder = await upgrade(signal);
      if (signal.aborted) return encoder.close();
      checkSpace(encoder.space, engine.info());
      this.#encoder = encoder;
      engine.embedBy(this.#embed);
      this.#changed();
    } catch (error) {
      encoder?.close();
      if (!signal.aborted) this.#fallBack(toIbidError(error));
    }
  }

  readonly #embed = async (text: string, signal?: AbortSignal): Promise<Float32Array | null> => {
    const encoder = this.#encoder;
    if (encoder === undefined) return null;
    const kept = this.#kept.get(text);
    if (kept !== undefined) return kept;
    const stop = new LinkedAbort([this.#linked?.signal, signal]);
    try {
      const vector = await encoder.embed(text, stop.signal);
      this.#kept.set(text, vector);
      return vector;
    } catch (error) {
      const known = toIbidError(error);
      if (stop.signal.aborted) throw known;
      if (this.#upgrade === undefined) {
        this.#thrown = known;
        throw known;
      }
      encoder.close();
      this.#fallBack(known);
      return null;
    } finally {
      stop.release();
    }
  };

  /** Goes on with the table, for good: whatever ended the transformer, too little memory for instance, may last. */
  #fallBack(failure: IbidError): void {
    this.#encoder = undefined;
    this.#kept = new Lru(KEPT_QUERIES);
    this.#failure = failure;
    this.#linked?.engine.embedBy(undefined);
    this.#changed();
  }

  #changed(): void {
    this.#linked?.changed();
    callBack(() => this.#tell?.(this.info.queryEncoder, this.#failure));
  }
}

function checkSpace(space: ForeignSpace, index: IndexInfo): void {
  if (space.name === index.model && space.dimensions === index.dimensions && space.fingerprint === index.fingerprint) {
    return;
  }
  const built = `${index.model} (${index.dimensions} dimensions, fingerprint ${index.fingerprint})`;
  const given = `${space.name} (${space.dimensions} dimensions, fingerprint ${space.fingerprint})`;
  throw new IbidError(
    'model-mismatch',
    `This index was built with the model ${built}, the transformer is of ${given}.`,
  );
}
