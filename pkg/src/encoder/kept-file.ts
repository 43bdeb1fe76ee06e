import { readBytes, resolved, TRANSFORMER } from '../bytes.js';
import { abortedError } from '../error.js';
import type { PieceStore } from '../persist/piece-store.js';
import type { ByteSource, LoadOptions } from '../types.js';

/** The one piece that a store has of a file kept whole. */
const WHOLE = 'whole';

/** The versions of a file, told apart by the headers that a page may read. */
interface Version {
  etag: string | null;
  lastModified: string | null;
  length: string | null;
}

/**
 * A file that is kept whole from visit to visit, as `persist` asks: a later visit asks only whether it is still current,
 * and where nobody answers, as without a network, goes on with what it has.
 *
 * Keeping is a favour: whatever fails about it only means that the file comes from the network.
 */
export class KeptFile {
  readonly #store: PieceStore;
  readonly #url: URL;

  private constructor(store: PieceStore, url: URL) {
    this.#store = store;
    this.#url = url;
  }

  /** `undefined` for what is no address, and where nothing is or can be kept. */
  static async of(source: ByteSource, persist: LoadOptions['persist']): Promise<KeptFile | undefined> {
    if (persist === undefined || !(typeof source === 'string' || source instanceof URL)) return undefined;
    const url = resolved(source);
    if (url === undefined || !/^https?:$/.test(url.protocol)) return undefined;
    const module = await import('../persist/piece-store.js').catch(() => undefined);
    const store = await module?.openStore(persist, url.href.replace(/#.*$/, ''));
    return store && new KeptFile(store, url);
  }

  /** The file's bytes, and whether they were kept. */
  async read(
    signal: AbortSignal,
    onProgress: LoadOptions['onProgress'],
  ): Promise<{ bytes: Uint8Array; wasKept: boolean }> {
    const kept = await this.#kept();
    if (kept !== undefined) {
      const current = await this.#current(signal);
      if (current === undefined || isSame(kept.version, current)) return { bytes: kept.bytes, wasKept: true };
    }
    let version: Version | undefined;
    const response = await fetchWhole(this.#url, signal);
    if (response !== undefined) version = versionOf(response);
    const bytes = await readBytes(response ?? this.#url, TRANSFORMER, signal, onProgress);
    if (version !== undefined) void this.#keep(version, bytes);
    return { bytes, wasKept: false };
  }

  /** Forgets what is kept. */
  async forget(): Promise<void> {
    await this.#store.clear().catch(() => {});
  }

  async #kept(): Promise<{ bytes: Uint8Array; version: Version } | undefined> {
    try {
      const piece = await this.#store.get(WHOLE);
      return piece && unpack(piece);
    } catch {
      return undefined;
    }
  }

  /** The version that the server has; `undefined` where it does not say. */
  async #current(signal: AbortSignal): Promise<Version | undefined> {
    try {
      const response = await fetch(this.#url, { method: 'HEAD', cache: 'no-cache', signal });
      // Any other answer is looked into by a request for the file.
      return response.ok ? versionOf(response) : { etag: null, lastModified: null, length: null };
    } catch {
      if (signal.aborted) throw abortedError(signal.reason);
      return undefined;
    }
  }

  async #keep(version: Version, bytes: Uint8Array): Promise<void> {
    if (version.etag === null && version.lastModified === null) return;
    try {
      await this.#store.clear();
      await this.#store.put(WHOLE, pack(version, bytes));
    } catch {
      // A full disk, for instance. What is there of the file would only take room.
      await this.forget();
    }
  }
}

/** `undefined` where the request fails; {@link readBytes} says why. */
async function fetchWhole(url: URL, signal: AbortSignal): Promise<Response | undefined> {
  try {
    return await fetch(url, { signal });
  } catch {
    return undefined;
  }
}

function versionOf({ headers }: Response): Version {
  return {
    etag: headers.get('etag'),
    lastModified: headers.get('last-modified'),
    length: headers.get('content-length'),
  };
}

function isSame(kept: Version, current: Version): boolean {
  if (kept.etag !== null && current.etag !== null) return kept.etag === current.etag;
  return kept.lastModified !== null && kept.lastModified === current.lastModified && kept.length === current.length;
}

/** Both in one piece, so that no version ever stands next to the bytes of another: the bytes, the version, its length. */
function pack(version: Version, bytes: Uint8Array): Uint8Array {
  const record = new TextEncoder().encode(JSON.stringify(version));
  const piece = new Uint8Array(bytes.length + record.length + 4);
  piece.set(bytes);
  piece.set(record, bytes.length);
  new DataView(piece.buffer).setUint32(bytes.length + record.length, record.length);
  return piece;
}

function unpack(piece: Uint8Array): { bytes: Uint8Array; version: Version } {
  const end = piece.length - 4;
  const start = end - new DataView(piece.buffer, piece.byteOffset + end, 4).getUint32(0);
  const version = JSON.parse(new TextDecoder().decode(piece.subarray(start, end)));
  return { bytes: piece.subarray(0, start), version };
}
