import type { ByteRange } from '../byte-ranges.js';
import { checkStatus, hex, INDEX, type OnBytes, readBody, request, shown } from '../bytes.js';
import { IbidError } from '../error.js';
import {
  type Beginning,
  contentRange,
  discard,
  FileChanged,
  isEncoded,
  type RemoteSource,
  type Version,
} from '../remote-file.js';

/** The parts of a host that gives no ranges that are kept, since the next search may need them too. */
const KEPT_PARTS = 32;

/** A part of the file, by its name in the folder. */
export interface FolderPart extends ByteRange {
  name: string;
}

/**
 * An index in a folder on a server: a file `head`, and parts whose names change with their bytes. So parts of two
 * versions cannot be taken for each other, and need no condition when they are asked for.
 */
export class RemoteFolder implements RemoteSource {
  readonly #url: URL;
  readonly #signal: AbortSignal;
  #head: Uint8Array = new Uint8Array();
  #parts: FolderPart[] = [];
  /** Cleared when the host turns out to send whole files, or compressed ones. */
  #ranges = true;
  /** Parts that are here as a whole, or on their way; the oldest first. */
  readonly #whole = new Map<string, Promise<Uint8Array>>();

  /** `url` is that of the head. */
  constructor(url: URL, signal: AbortSignal) {
    this.#url = url;
    this.#signal = signal;
  }

  /** Fetches the head, which is needed as a whole. With `fresh`, passes over the browser's cache. */
  async beginning(_length: number, _known: Version | undefined, fresh: boolean, onBytes?: OnBytes): Promise<Beginning> {
    const head = await this.#fetchHead(fresh, onBytes);
    const parts = partsOf(head);
    if (parts === undefined) return { kind: 'whole', bytes: head };
    this.#head = head;
    this.#parts = parts;
    const total = parts.at(-1)?.end ?? head.length;
    return { kind: 'part', version: { validator: markOf(head), etag: null, lastModified: null, total }, bytes: head };
  }

  /** Fetches all parts, and puts the file together. */
  async whole(onBytes?: OnBytes): Promise<Uint8Array> {
    await this.beginning(0, undefined, true);
    const bytes = new Uint8Array(this.#parts.at(-1)?.end ?? this.#head.length);
    bytes.set(this.#head);
    let loaded = this.#head.length;
    for (const part of this.#parts) {
      bytes.set(await this.#fetchWhole(part), part.start);
      loaded += part.end - part.start;
      onBytes?.(loaded, bytes.length);
    }
    return bytes;
  }

  /** Fetches a range of a version; fails with {@link FileChanged} when there is another one. */
  async part(range: ByteRange, { validator }: Version, onBytes?: OnBytes): Promise<Uint8Array> {
    if (validator !== markOf(this.#head)) throw new FileChanged();
    const bytes = new Uint8Array(range.end - range.start);
    let loaded = 0;
    const stretches = [{ name: '', start: 0, end: this.#head.length }, ...this.#parts].map(async (part) => {
      const [start, end] = [Math.max(range.start, part.start), Math.min(range.end, part.end)];
      if (start >= end) return;
      const inside = { start: start - part.start, end: end - part.start };
      const found = part.name === '' ? this.#head.subarray(start, end) : await this.#stretch(part, inside);
      bytes.set(found, start - range.start);
      loaded += found.length;
      onBytes?.(loaded, bytes.length);
    });
    await Promise.all(stretches);
    return bytes;
  }

  async #stretch(part: FolderPart, { start, end }: ByteRange): Promise<Uint8Array> {
    if (!this.#ranges || this.#whole.has(part.name)) return (await this.#fetchWhole(part)).subarray(start, end);
    const response = await this.#send(part, { Range: `bytes=${start}-${end - 1}` });
    if (response.status === 206) {
      const there = contentRange(response);
      const isIt = there?.start === start && there.end === end && there.total === part.end - part.start;
      if (isIt && !isEncoded(response)) {
        const bytes = await this.#body(response);
        if (bytes.length === end - start) return bytes;
      } else if (there !== undefined && there.total !== part.end - part.start) {
        await discard(response);
        throw await this.#unusable(part);
      }
    }
    if (response.status === 416) throw await this.#unusable(part);
    this.#ranges = false;
    if (response.status === 200 && !this.#whole.has(part.name)) this.#keep(part, this.#checked(part, response));
    else await discard(response);
    return (await this.#fetchWhole(part)).subarray(start, end);
  }

  /** Fetches a part as a whole, asked for once. */
  async #fetchWhole(part: FolderPart): Promise<Uint8Array> {
    const known = this.#whole.get(part.name);
    return await (known ??
      this.#keep(
        part,
        this.#send(part, {}).then((response) => this.#checked(part, response)),
      ));
  }

  #keep(part: FolderPart, bytes: Promise<Uint8Array>): Promise<Uint8Array> {
    this.#whole.set(part.name, bytes);
    bytes.catch(() => this.#whole.delete(part.name));
    for (const oldest of [...this.#whole.keys()].slice(0, -KEPT_PARTS)) this.#whole.delete(oldest);
    return bytes;
  }

  async #checked(part: FolderPart, response: Response): Promise<Uint8Array> {
    const bytes = await this.#body(response);
    if (bytes.length === part.end - part.start) return bytes;
    throw await this.#unusable(part);
  }

  /** A part that is not there, or another file, belongs to a version that has gone, or to an upload that is not whole. */
  async #unusable(part: FolderPart): Promise<Error> {
    const asked = markOf(this.#head);
    if (markOf(await this.#fetchHead(true)) !== asked) return new FileChanged();
    const message = `The index at ${shown(this.#url)} lacks its part ${part.name}.`;
    return new IbidError('index-truncated', message, { hint: 'Upload the folder again, with all of its parts.' });
  }

  async #send({ name, ...part }: FolderPart, headers: Record<string, string>): Promise<Response> {
    const url = new URL(name, this.#url);
    url.search = this.#url.search;
    const response = await request(url, INDEX.code, INDEX.name, this.#signal, { headers }, false);
    if (response.ok || response.status === 416) return response;
    await discard(response);
    if (response.status === 404 || response.status === 410) throw await this.#unusable({ name, ...part });
    checkStatus(response, INDEX.code, INDEX.name, shown(url));
    return response;
  }

  async #fetchHead(fresh: boolean, onBytes?: OnBytes): Promise<Uint8Array> {
    const { code, name } = INDEX;
    const init = fresh ? { cache: 'reload' as const } : {};
    return await this.#body(await request(this.#url, code, name, this.#signal, init), onBytes);
  }

  async #body(response: Response, onBytes?: OnBytes): Promise<Uint8Array> {
    return await readBody(response, shown(this.#url), INDEX, this.#signal, onBytes);
  }
}

/** Reads the header's checksum, which is another one for each version. */
function markOf(head: Uint8Array): string {
  return hex(head.subarray(32, 40));
}

/**
 * Reads the parts that a head names, by its section `part`; `undefined` for what is no head. See
 * `docs/index-format.md`. The wasm module verifies checksums when it opens the head, before any part is asked for.
 */
export function partsOf(head: Uint8Array): FolderPart[] | undefined {
  const view = new DataView(head.buffer, head.byteOffset, head.byteLength);
  const u64 = (at: number) => Number(view.getBigUint64(at, true));
  const lines = head.length < 64 ? 0 : Math.min(view.getUint32(24, true), Math.floor((head.length - 64) / 32));
  for (let line = 64; line < 64 + 32 * lines; line += 32) {
    if (view.getUint32(line) !== 0x70617274) continue;
    const [first, end] = [u64(line + 8) + 4, u64(line + 8) + u64(line + 16)];
    if (end > head.length) return undefined;
    const parts: FolderPart[] = [];
    let start = head.length;
    for (let at = first; at + 12 <= end; at += 12) {
      const name = `${view
        .getBigUint64(at + 4, true)
        .toString(16)
        .padStart(16, '0')}.part`;
      parts.push({ name, start, end: start + view.getUint32(at, true) });
      start = parts.at(-1)?.end ?? start;
    }
    return start === u64(16) ? parts : undefined;
  }
  return undefined;
}
