import type { ByteRange } from './byte-ranges.js';
import { broken, checkStatus, type OnBytes, type Part, readBody, request, shown } from './bytes.js';
import { patientFetch, SilentHost } from './patient-fetch.js';

/** A validator: it tells one version of a file on a server from another. */
export interface Version {
  /** The value of `If-Range`: a strong entity tag, or a date that is as good as one. */
  validator: string;
  /** The entity tag, weak or not, and the date, as the server sent them. */
  etag: string | null;
  lastModified: string | null;
  /** The length of the whole file in bytes. */
  total: number;
}

/** The result of the request for a file's beginning. */
export type Beginning =
  /** The whole file, since the server gives no parts of it, or none that could be told from another version's. */
  | { kind: 'whole'; bytes: Uint8Array }
  | { kind: 'part'; version: Version; bytes: Uint8Array }
  /** The version that was known is still the server's. */
  | { kind: 'unchanged' };

/** The server has another version by now. Never leaves this package. */
export class FileChanged extends Error {}
/** The server answers with other bytes than it was asked for. Never leaves this package. */
export class RangesRefused extends Error {}

/**
 * The age by which a `Last-Modified` must be to tell versions apart: a file may change twice within the
 * clock's resolution, and the clocks of a cluster may differ (RFC 9110, section 8.8.2.2).
 */
const STRONG_AGE_MS = 60_000;

/** A file on a server of which stretches are read, each of a version that the caller names. */
export interface RemoteSource {
  /**
   * Fetches the first `length` bytes or more; the whole file, reporting its progress to `onBytes`, if parts are not
   * available. With `known`, asks whether that version is still the server's. With `fresh`, passes over the browser's
   * cache.
   */
  beginning(length: number, known: Version | undefined, fresh: boolean, onBytes?: OnBytes): Promise<Beginning>;
  /** Fetches the whole file. */
  whole(onBytes?: OnBytes): Promise<Uint8Array>;
  /** Fetches a part of a version; fails with {@link FileChanged} or {@link RangesRefused} if it is not available. */
  part(range: ByteRange, version: Version, onBytes?: OnBytes): Promise<Uint8Array>;
}

/** A file that is deployed as one. */
export class RemoteFile implements RemoteSource {
  readonly #address: string | URL;
  readonly #url: URL;
  readonly #part: Part;
  readonly #signal: AbortSignal;

  /** `address` is what messages call the file, `url` where it is, and `part` what it is. */
  constructor(address: string | URL, url: URL, part: Part, signal: AbortSignal) {
    this.#address = address;
    this.#url = url;
    this.#part = part;
    this.#signal = signal;
  }

  async beginning(length: number, known: Version | undefined, fresh: boolean, onBytes?: OnBytes): Promise<Beginning> {
    const range = { Range: `bytes=0-${length - 1}` };
    let response: Response;
    try {
      response = await this.#send(range, known === undefined ? {} : revalidation(known), fresh, false);
    } catch (error) {
      if (this.#signal.aborted || (error as Error).cause instanceof SilentHost) throw error;
      // Compressed parts and old browsers' rules for other origins end like this too. If it was the network after all,
      // the next request will tell.
      return { kind: 'whole', bytes: await this.whole(onBytes) };
    }
    if (response.status === 304 && known !== undefined) return { kind: 'unchanged' };
    if (response.status === 206) {
      const version = versionOf(response);
      const there = contentRange(response);
      if (version !== null && there?.start === 0 && there.end === Math.min(length, version.total)) {
        const bytes = await this.#body(response);
        if (bytes.length === there.end) return { kind: 'part', version, bytes };
      }
      await discard(response);
    } else if (response.status === 416) {
      // No byte is in range: the file is empty, as the whole of it will show.
      await discard(response);
    } else {
      checkStatus(response, this.#part.code, this.#part.name, shown(this.#address));
      return { kind: 'whole', bytes: await this.#body(response, onBytes) };
    }
    return { kind: 'whole', bytes: await this.whole(onBytes) };
  }

  async whole(onBytes?: OnBytes): Promise<Uint8Array> {
    const response = await request(this.#address, this.#part.code, this.#part.name, this.#signal);
    return await this.#body(response, onBytes);
  }

  async part({ start, end }: ByteRange, version: Version, onBytes?: OnBytes): Promise<Uint8Array> {
    const response = await this.#send({ Range: `bytes=${start}-${end - 1}` }, { 'If-Range': version.validator }, false);
    const { status } = response;
    if (status === 206) {
      const there = contentRange(response);
      if (!isVersion(response, there?.total, version)) {
        await discard(response);
        throw new FileChanged();
      }
      if (there?.start === start && there.end === end && !isEncoded(response)) {
        const bytes = await this.#body(response, onBytes);
        if (bytes.length === end - start) return bytes;
      }
      await discard(response);
      throw new RangesRefused();
    }
    await discard(response);
    // 200: `If-Range` did not hold. 412: nor does another condition. 416: the file has become shorter.
    if (status === 200 || status === 412 || status === 416) throw new FileChanged();
    checkStatus(response, this.#part.code, this.#part.name, shown(this.#address));
    throw new RangesRefused();
  }

  async #send(
    range: Record<string, string>,
    condition: Record<string, string>,
    fresh: boolean,
    isBrokenTried = true,
  ): Promise<Response> {
    // Another origin would have to allow conditions by name, after a request that asks for it. What the answer says of its
    // version is compared in any case.
    const headers = isElsewhere(this.#url) ? range : { ...range, ...condition };
    try {
      const init = { headers, ...(fresh && { cache: 'reload' as const }) };
      return await patientFetch(this.#url, init, this.#signal, isBrokenTried);
    } catch (error) {
      throw this.#broken(error);
    }
  }

  async #body(response: Response, onBytes?: OnBytes): Promise<Uint8Array> {
    return await readBody(response, shown(this.#address), this.#part, this.#signal, onBytes);
  }

  #broken(error: unknown): Error {
    const { code, name } = this.#part;
    return broken(error, code, `The ${name} at ${shown(this.#address)} could not be fetched.`, this.#signal);
  }
}

export function isSameVersion(left: Version, right: Version): boolean {
  return left.validator === right.validator && left.total === right.total;
}

/** Reads a version that parts can be asked for by; `null` if the answer names none, or is compressed. */
function versionOf(response: Response): Version | null {
  const total = contentRange(response)?.total;
  if (total === undefined || isEncoded(response)) return null;
  const etag = response.headers.get('etag');
  const lastModified = response.headers.get('last-modified');
  const validator = strongTag(etag) ?? strongDate(lastModified, response.headers.get('date'));
  return validator === null ? null : { validator, etag, lastModified, total };
}

function isVersion(response: Response, total: number | undefined, version: Version): boolean {
  if (total !== undefined && total !== version.total) return false;
  const etag = response.headers.get('etag');
  if (etag !== null || version.etag !== null) return etag === version.etag;
  return response.headers.get('last-modified') === version.lastModified;
}

/** A weak tag, `W/"..."`, may stay the same while bytes change. */
function strongTag(etag: string | null): string | null {
  return etag?.startsWith('"') ? etag : null;
}

function strongDate(lastModified: string | null, date: string | null): string | null {
  const age = Date.parse(date ?? '') - Date.parse(lastModified ?? '');
  return age >= STRONG_AGE_MS ? lastModified : null;
}

function revalidation({ validator }: Version): Record<string, string> {
  return validator.startsWith('"') ? { 'If-None-Match': validator } : { 'If-Modified-Since': validator };
}

export function contentRange(response: Response): (ByteRange & { total: number }) | undefined {
  const found = /^bytes (\d+)-(\d+)\/(\d+)$/i.exec(response.headers.get('content-range')?.trim() ?? '');
  const [start, last, total] = (found?.slice(1) ?? []).map(Number);
  if (start === undefined || last === undefined || total === undefined) return undefined;
  return Number.isSafeInteger(total) && start <= last && last < total ? { start, end: last + 1, total } : undefined;
}

/** Compressed parts cannot be put together. */
export function isEncoded(response: Response): boolean {
  const encoding = response.headers.get('content-encoding');
  return encoding !== null && encoding.toLowerCase() !== 'identity';
}

/** Returns true if an address lies beyond this page's origin. Outside of pages nothing does. */
function isElsewhere({ origin }: URL): boolean {
  const here = globalThis.location?.origin;
  return here !== undefined && origin !== here;
}

/** Ends a response whose body nobody reads, so that its connection is free again. */
export async function discard(response: Response): Promise<void> {
  if (response.body?.locked === false) await response.body.cancel().catch(() => {});
}

/** The place where pieces of one version are kept from visit to visit; see `KeptPieces`. */
export interface Keeper {
  readonly version: Version | undefined;
  readonly ranges: readonly ByteRange[];
  get(range: ByteRange): Promise<Uint8Array | undefined>;
  put(range: ByteRange, bytes: Uint8Array): Promise<void>;
  begin(version?: Version): Promise<void>;
}
