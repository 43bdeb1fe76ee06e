import type { ByteRange } from '../byte-ranges.js';
import { hex } from '../bytes.js';
import type { Keeper, Version } from '../remote-file.js';
import type { LoadOptions } from '../types.js';
import { openStore, type PieceStore } from './piece-store.js';

/** Under this name a store has the version that its pieces are of. */
const VERSION = 'version.json';
/** A piece's name: a mark of its version, and the bytes it has. */
const PIECE = /^([0-9a-f]+)-(\d+)-(\d+)$/;

/**
 * The pieces of one version of a file that are kept from visit to visit.
 *
 * Keeping is a favour: a full disk, a store that was emptied meanwhile, a browser that has none, all of that only means
 * that pieces come from the network again, so every failure in here is passed over. Pieces carry a mark of their
 * version, drawn by lot: a page that is still open on an old one cannot slip its pieces under the new one.
 */
export class KeptPieces implements Keeper {
  readonly #store: PieceStore | undefined;
  #mark = '';
  #version: Version | undefined;
  #ranges: ByteRange[] = [];

  private constructor(store: PieceStore | undefined) {
    this.#store = store;
  }

  static async open(kind: LoadOptions['persist'], address: string): Promise<KeptPieces> {
    const kept = new KeptPieces(await openStore(kind, address));
    await kept.#try(async (store) => {
      const record = await store.get(VERSION);
      if (record === undefined) return;
      const { mark, version } = JSON.parse(new TextDecoder().decode(record));
      const pieces = (await store.names()).map((name) => PIECE.exec(name)).filter((found) => found?.[1] === mark);
      kept.#ranges = pieces.map((found) => ({ start: Number(found?.[2]), end: Number(found?.[3]) }));
      kept.#mark = mark;
      kept.#version = version;
    });
    return kept;
  }

  /** The version that pieces are kept of. */
  get version(): Version | undefined {
    return this.#version;
  }

  /** The pieces that are kept. */
  get ranges(): readonly ByteRange[] {
    return this.#ranges;
  }

  /** Reads a kept piece; `undefined` if it is gone after all, or damaged. */
  async get({ start, end }: ByteRange): Promise<Uint8Array | undefined> {
    const bytes = await this.#try((store) => store.get(`${this.#mark}-${start}-${end}`));
    return bytes?.length === end - start ? bytes : undefined;
  }

  /** Keeps a piece of the version that was begun. */
  async put({ start, end }: ByteRange, bytes: Uint8Array): Promise<void> {
    if (this.#version === undefined) return;
    await this.#try((store) => store.put(`${this.#mark}-${start}-${end}`, bytes));
  }

  /** Forgets everything, and goes on with a version, if one is given. */
  async begin(version?: Version): Promise<void> {
    this.#version = undefined;
    this.#ranges = [];
    await this.#try(async (store) => {
      await store.clear();
      if (version === undefined) return;
      this.#mark = hex(crypto.getRandomValues(new Uint8Array(8)));
      await store.put(VERSION, new TextEncoder().encode(JSON.stringify({ mark: this.#mark, version })));
      this.#version = version;
    });
  }

  async #try<T>(use: (store: PieceStore) => Promise<T>): Promise<T | undefined> {
    try {
      return this.#store && (await use(this.#store));
    } catch {
      return undefined;
    }
  }
}
