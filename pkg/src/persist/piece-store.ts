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

/**
 * Opens the store that `persist` asks for; `undefined` if it asks for none, or the browser or this context has none.
 */
export async function openStore(kind: LoadOptions['persist'], address: string): Promise<PieceStore | undefined> {
  try {
    if (kind === 'cache') return await cacheStore(address);
    if (kind === 'opfs') return await fileStore(address);
  } catch {
    // Private windows, insecure contexts and switched-off storage refuse in ways of their own. The network is left.
  }
  return undefined;
}

/** In the Cache API: one cache for each file. */
async function cacheStore(address: string): Promise<PieceStore> {
  const own = `ibid ${address}`;
  let cache = await caches.open(own);
  return {
    names: async () => (await cache.keys()).map(({ url }) => decodeURIComponent(new URL(url).pathname.slice(1))),
    get: async (name) => {
      const response = await cache.match(keyOf(name));
      return response && new Uint8Array(await response.arrayBuffer());
    },
    put: (name, bytes) => cache.put(keyOf(name), new Response(bytes as BodyInit)),
    clear: async () => {
      await caches.delete(own);
      cache = await caches.open(own);
    },
  };
}

/** Keys of a cache are addresses; nothing is ever asked for at this one, which by RFC 2606 exists nowhere. */
function keyOf(name: string): string {
  return `https://ibid.invalid/${encodeURIComponent(name)}`;
}

/** In the origin private file system: one folder for each file. */
async function fileStore(address: string): Promise<PieceStore> {
  const root = await navigator.storage.getDirectory();
  const parent = await root.getDirectoryHandle('ibid', { create: true });
  // An address may be longer than a file's name, and hold what a file's name must not.
  const own = hex(new Uint8Array(await crypto.subtle.digest('SHA-256', new TextEncoder().encode(address))));
  let folder = await parent.getDirectoryHandle(own, { create: true });
  return {
    names: async () => {
      const names: string[] = [];
      for await (const name of folder.keys()) names.push(name);
      return names;
    },
    get: async (name) => {
      const handle = await folder.getFileHandle(name).catch(() => undefined);
      const file = await handle?.getFile();
      return file && new Uint8Array(await file.arrayBuffer());
    },
    put: async (name, bytes) => {
      const handle = await folder.getFileHandle(name, { create: true });
      // What is written appears under its name when it is closed, so that no half of a piece is ever read.
      const writable = await handle.createWritable();
      await writable.write(bytes as BufferSource);
      await writable.close();
    },
    clear: async () => {
      await parent.removeEntry(own, { recursive: true });
      folder = await parent.getDirectoryHandle(own, { create: true });
    },
  };
}
