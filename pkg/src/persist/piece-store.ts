import { hex } from '../bytes.js';
import type { LoadOptions } from '../types.js';

/** Keeps named pieces of one file from visit to visit. */
export interface PieceStore {
  names(): Promise<string[]>;
  get(name: string): Promise<Uint8Array | undefined>;
  put(name: string, bytes: Uint8Array): Promise<void>;
  /** Forgets everything. */
  clear(): Promise<void>;
}

/** The store that `persist` asks for; `undefined` where it asks for none, or the browser or this context has none. */
export async function openStore(kind: LoadOptions['persist'], address: string): Promise<PieceStore | undefined> {
  try {
    if (kind === 'cache') return await CacheStore.open(address);
    if (kind === 'opfs') return await FileStore.open(address);
  } catch {
    // Private windows, insecure contexts and switched-off storage refuse in ways of their own. The network is left.
  }
  return undefined;
}

/** In the Cache API: one cache for each file. */
class CacheStore implements PieceStore {
  readonly #name: string;
  #cache: Cache;

  private constructor(name: string, cache: Cache) {
    this.#name = name;
    this.#cache = cache;
  }

  static async open(address: string): Promise<CacheStore> {
    const name = `ibid ${address}`;
    return new CacheStore(name, await caches.open(name));
  }

  async names(): Promise<string[]> {
    return (await this.#cache.keys()).map(({ url }) => decodeURIComponent(new URL(url).pathname.slice(1)));
  }

  async get(name: string): Promise<Uint8Array | undefined> {
    const response = await this.#cache.match(keyOf(name));
    return response && new Uint8Array(await response.arrayBuffer());
  }

  async put(name: string, bytes: Uint8Array): Promise<void> {
    await this.#cache.put(keyOf(name), new Response(bytes as BodyInit));
  }

  async clear(): Promise<void> {
    await caches.delete(this.#name);
    this.#cache = await caches.open(this.#name);
  }
}

/** Keys of a cache are addresses; nothing is ever asked for at this one, which by RFC 2606 exists nowhere. */
function keyOf(name: string): string {
  return `https://ibid.invalid/${encodeURIComponent(name)}`;
}

/** In the origin private file system: one folder for each file. */
class FileStore implements PieceStore {
  readonly #parent: FileSystemDirectoryHandle;
  readonly #name: string;
  #folder: FileSystemDirectoryHandle;

  private constructor(parent: FileSystemDirectoryHandle, name: string, folder: FileSystemDirectoryHandle) {
    this.#parent = parent;
    this.#name = name;
    this.#folder = folder;
  }

  static async open(address: string): Promise<FileStore> {
    const root = await navigator.storage.getDirectory();
    const parent = await root.getDirectoryHandle('ibid', { create: true });
    // An address may be longer than a file's name, and hold what a file's name must not.
    const hash = new Uint8Array(await crypto.subtle.digest('SHA-256', new TextEncoder().encode(address)));
    const name = hex(hash);
    return new FileStore(parent, name, await parent.getDirectoryHandle(name, { create: true }));
  }

  async names(): Promise<string[]> {
    const names: string[] = [];
    for await (const name of this.#folder.keys()) names.push(name);
    return names;
  }

  async get(name: string): Promise<Uint8Array | undefined> {
    const file = await this.#folder.getFileHandle(name).then(
      (handle) => handle.getFile(),
      () => undefined,
    );
    return file && new Uint8Array(await file.arrayBuffer());
  }

  async put(name: string, bytes: Uint8Array): Promise<void> {
    const handle = await this.#folder.getFileHandle(name, { create: true });
    // What is written appears under its name when it is closed, so that no half of a piece is ever read.
    const writable = await handle.createWritable();
    await writable.write(bytes as BufferSource);
    await writable.close();
  }

  async clear(): Promise<void> {
    await this.#parent.removeEntry(this.#name, { recursive: true });
    this.#folder = await this.#parent.getDirectoryHandle(this.#name, { create: true });
  }
}
