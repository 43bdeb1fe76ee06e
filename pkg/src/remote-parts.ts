import { type ByteRange, cover, join, lengthOf, unflatten } from './byte-ranges.js';
import { INDEX, MODEL, type OnBytes, type Part, reportOf } from './bytes.js';
import type { FileLayouts } from './engine.js';
import { IbidError } from './error.js';
import {
  type Beginning,
  FileChanged,
  isSameVersion,
  type Keeper,
  RangesRefused,
  RemoteFile,
  type RemoteSource,
  type Version,
} from './remote-file.js';
import type { LoadOptions } from './types.js';

/** A kind of file that is read in parts. */
export interface Kind {
  part: Part;
  /** The number of bytes that are asked for before anything is known of the file. */
  headBytes: number;
  /** The end of what is needed first, as far as the beginning tells it without the module; 0 if it does not. */
  headEnd?(beginning: Uint8Array, total: number): number;
  /** The number of bytes the beginning takes that tells which others are needed, by at least the first 64. */
  headLength(module: FileLayouts, head: Uint8Array): number;
  /** The ranges that are needed before the file is of use. */
  neededRanges(module: FileLayouts, head: Uint8Array, total: number): ByteRange[];
}

export const INDEX_FILE: Kind = {
  part: INDEX,
  // Enough for every header, and for all that a site of a hundred pages needs first.
  headBytes: 16 * 1024,
  headEnd: indexHeadEnd,
  headLength: (module, head) => module.headLength(head),
  neededRanges: (module, head) => unflatten(module.neededRanges(head)),
};

/** Describes a query table, whose head has about this many bytes. */
export const tableFile = (headBytes: number): Kind => ({
  part: MODEL,
  headBytes,
  headLength: (module, head) => module.tableHeadLength(head),
  neededRanges: () => [],
});

/** An index of no more bytes is fetched as a whole; longer centroids come when a search asks for them. */
const SHORT = 64 * 1024;
/** The name of the section with the clusters, `code`, as a number. */
const CODE = 0x65646f63;

/**
 * Finds the end of what an index needs first: it lies before the clusters, and before centroids that are long; see
 * "Section table" in `docs/index-format.md`. Where another section is as long, the module asks for the rest.
 */
function indexHeadEnd(beginning: Uint8Array, total: number): number {
  if (total <= SHORT) return total;
  const view = new DataView(beginning.buffer, beginning.byteOffset);
  let at = 64;
  const u32 = (offset: number) => view.getUint32(at + offset, true);
  for (; at + 32 <= beginning.length; at += 32) {
    if (u32(0) === CODE || u32(16) > SHORT) return u32(8);
  }
  return 0;
}

/** Fetching this many bytes too much costs less than asking twice. */
const WORTH_ONE_REQUEST = 32 * 1024;
/** The most times that a file may change under the loader before it is fetched whole. */
const MAX_ROUNDS = 3;

/** The input from which the wasm module opens a file. */
export interface FilePieces {
  offsets: Float64Array;
  pieces: Uint8Array[];
  /** True if the one piece is the whole file. */
  whole: boolean;
}

/** For those who keep nothing. */
const NO_KEEPER: Keeper = {
  version: undefined,
  ranges: [],
  get: async () => undefined,
  put: async () => {},
  begin: async () => {},
};

/** Bytes of a version that are here, or on their way. */
interface Held extends ByteRange {
  /** `undefined` if they turn out to be gone. */
  read(): Promise<Uint8Array | undefined>;
  /** True if they came for the module, and are let go once it has them. */
  passing?: boolean;
}

/** A version of the file, with what is here of it; none where it was fetched whole. */
interface Edition {
  version?: Version;
  held: Held[];
}

type Report = (progress: { loaded: number; total: number | null }) => void;

/**
 * A file on a server, the index or the query table, of which only what is needed is fetched: first what must be there
 * before a search, then what a search asks for.
 *
 * Bytes of two versions are never put together. Each part is asked for on the condition that the file is still the one
 * it was; when it is not, what is needed of the new file takes the place of the old one. See `docs/javascript.md`.
 */
export class RemoteParts {
  readonly #kind: Kind;
  readonly #abort = new AbortController();
  #file: RemoteSource;
  /** The head of the folder that an address of an index may name, or does by its end. */
  #head: URL | undefined;
  readonly #isFolder: boolean;
  readonly #module: () => Promise<FileLayouts>;
  readonly #kept: Promise<Keeper>;
  #edition: Edition = { held: [] };
  #replacing: Promise<void> | undefined;
  #replace: (pieces: FilePieces) => void = () => {};

  /** `address` as the caller wrote it, and `url` what it stands for. */
  constructor(
    kind: Kind,
    address: string | URL,
    url: URL,
    module: () => Promise<FileLayouts>,
    persist: LoadOptions['persist'],
  ) {
    this.#kind = kind;
    this.#file = new RemoteFile(address, url, kind.part, this.#abort.signal);
    const folder = url.pathname.replace(/\/(head)?$/, '');
    this.#isFolder = kind.part === INDEX && folder !== url.pathname;
    if (kind.part === INDEX) {
      this.#head = new URL(url);
      this.#head.pathname = `${folder}/head`;
    }
    this.#module = module;
    this.#kept = keeper(persist, url.href.replace(/#.*$/, ''));
  }

  /** Fetches what is needed before the first search. */
  async open(onProgress: LoadOptions['onProgress']): Promise<FilePieces> {
    const report = reportOf(this.#kind.part, onProgress);
    const { edition, ...pieces } = await this.#fetchNeeded(false, ({ loaded, total }) => report?.(loaded, total));
    this.#edition = edition;
    return pieces;
  }

  /** From now on, hands the pieces of a file that has changed to `replace`, which must take them at once. */
  watch(replace: (pieces: FilePieces) => void): void {
    this.#replace = replace;
  }

  /** Forgets what was kept from earlier visits; tells whether there was anything. */
  async forget(): Promise<boolean> {
    const kept = await this.#kept;
    if (kept.version === undefined) return false;
    await kept.begin();
    return true;
  }

  /** Ends all requests; nothing can be read afterwards. */
  close(reason?: unknown): void {
    this.#abort.abort(reason);
  }

  /** Reads ranges for the wasm module: `null` when another version has taken the place of the one they are of. */
  readonly read = async (flat: Float64Array): Promise<Uint8Array[] | null> => {
    if (this.#replacing !== undefined) {
      await this.#replacing;
      return null;
    }
    const edition = this.#edition;
    try {
      const ranges = unflatten(flat);
      const pieces = await Promise.all(ranges.map((range) => this.#assemble(edition, range)));
      // The module takes them now, all of a round at once. A caller that just learned that one is missing has yet to ask.
      setTimeout(() => {
        edition.held = edition.held.filter((held) => !(held.passing && isInside(held, ranges)));
      });
      return edition === this.#edition ? pieces : null;
    } catch (error) {
      if (edition !== this.#edition) return null;
      if (!(error instanceof FileChanged || error instanceof RangesRefused)) throw error;
      this.#replacing ??= this.#renew(error).finally(() => {
        this.#replacing = undefined;
      });
      await this.#replacing;
      return null;
    }
  };

  async #renew(why: FileChanged | RangesRefused): Promise<void> {
    const { edition, ...pieces } =
      why instanceof FileChanged ? await this.#fetchNeeded(true, () => {}) : await this.#whole(() => {});
    // Pieces of the old version that were handed over a moment ago are taken before the new one is there.
    await new Promise((resolve) => setTimeout(resolve));
    this.#abort.signal.throwIfAborted();
    this.#replace(pieces);
    this.#edition = edition;
  }

  async #fetchNeeded(fresh: boolean, report: Report): Promise<FilePieces & { edition: Edition }> {
    for (let round = 0; round < MAX_ROUNDS; round += 1) {
      try {
        return await this.#fetchOnce(fresh || round > 0, report);
      } catch (error) {
        if (error instanceof RangesRefused) break;
        if (!(error instanceof FileChanged)) throw error;
      }
    }
    return await this.#whole(report);
  }

  async #whole(report: Report): Promise<FilePieces & { edition: Edition }> {
    return wholePiece(await this.#file.whole((loaded, total) => report({ loaded, total })));
  }

  async #fetchOnce(fresh: boolean, report: Report): Promise<FilePieces & { edition: Edition }> {
    const kept = await this.#kept;
    const known = fresh ? undefined : kept.version;
    const beginning = await this.#beginning(known, fresh, (loaded, total) => report({ loaded, total }));
    if (beginning.kind === 'whole') {
      await kept.begin();
      return wholePiece(beginning.bytes);
    }
    const version = beginning.kind === 'part' ? beginning.version : (known as Version);
    if (kept.version === undefined || !isSameVersion(kept.version, version)) await kept.begin(version);
    const edition: Edition = { version, held: kept.ranges.map((range) => ({ ...range, read: () => kept.get(range) })) };

    let head: Uint8Array;
    if (beginning.kind === 'part') {
      head = beginning.bytes;
      const range = { start: 0, end: head.length };
      // Kept pieces may overlap with what has just come, which is preferred since it is there.
      if (cover(range, edition.held).some(({ piece }) => piece === undefined)) void kept.put(range, head);
      edition.held.unshift({ ...range, read: async () => head });
    } else {
      head = await this.#assemble(edition, { start: 0, end: Math.min(this.#kind.headBytes, version.total) });
    }
    // While the module is on its way, so that the rest costs no round of its own. A folder's head has come whole.
    let end = head.length;
    const { headBytes, headEnd } = this.#kind;
    if (headEnd && end === headBytes) end = Math.min(Math.max(end, headEnd(head, version.total)), version.total);
    const [module, longer] = await Promise.all([this.#module(), this.#assemble(edition, { start: 0, end })]);
    head = longer;
    edition.held.unshift({ start: 0, end: head.length, read: async () => longer });
    const length = this.#kind.headLength(module, head);
    if (length > head.length) head = await this.#assemble(edition, { start: 0, end: Math.min(length, version.total) });
    const ranges = [{ start: 0, end: head.length }, ...this.#kind.neededRanges(module, head, version.total)];
    const needed = join(ranges, WORTH_ONE_REQUEST);

    const total = lengthOf(needed);
    let loaded = 0;
    const onBytes = (more: number) => {
      loaded += more;
      report({ loaded, total });
    };
    const pieces = await Promise.all(needed.map((range) => this.#assemble(edition, range, onBytes)));
    // The wasm module has these now.
    edition.held = edition.held.filter((held) => held.end > held.start && !isInside(held, needed));
    return { offsets: Float64Array.from(needed, ({ start }) => start), pieces, whole: false, edition };
  }

  /** Fetches the beginning of the file, or of the folder where a server has no such file, or answers with a page. */
  async #beginning(known: Version | undefined, fresh: boolean, onBytes: OnBytes): Promise<Beginning> {
    const beginning = (file: RemoteSource) => file.beginning(this.#kind.headBytes, known, fresh, onBytes);
    const head = this.#head;
    if (head === undefined) return await beginning(this.#file);
    const file = this.#isFolder ? undefined : beginning(this.#file);
    if (file !== undefined) {
      const [found] = await Promise.allSettled([file]);
      if (found.status === 'fulfilled' ? !isPage(found.value) : !isAbsent(found.reason)) return await file;
    }
    try {
      const { RemoteFolder } = await import('./folder/remote-folder.js');
      const folder = new RemoteFolder(head, this.#abort.signal);
      const found = await beginning(folder);
      if (file !== undefined && isPage(found)) return await file;
      [this.#file, this.#head] = [folder, undefined];
      return found;
    } catch (error) {
      // About an address that was given as a file's there is more to say.
      if (file !== undefined) return await file;
      throw error;
    }
  }

  /** Puts a range together from what is here, what is on its way, and what has to be asked for. */
  async #assemble(edition: Edition, range: ByteRange, onBytes?: (more: number) => void): Promise<Uint8Array> {
    const bytes = new Uint8Array(range.end - range.start);
    const fill = async ({ start, end, piece }: ByteRange & { piece?: Held }): Promise<void> => {
      const found = piece && (await piece.read());
      if (piece !== undefined && found === undefined) {
        edition.held = edition.held.filter((held) => held !== piece);
        bytes.set(await this.#assemble(edition, { start, end }, onBytes), start - range.start);
      } else if (piece !== undefined && found !== undefined) {
        bytes.set(found.subarray(start - piece.start, end - piece.start), start - range.start);
        onBytes?.(end - start);
      } else {
        bytes.set(await this.#fetch(edition, { start, end }, onBytes), start - range.start);
      }
    };
    await Promise.all(cover(range, edition.held).map(fill));
    return bytes;
  }

  /** Asks for a range; other calls that need a part of it wait for the same answer. */
  #fetch(edition: Edition, range: ByteRange, onBytes?: (more: number) => void): Promise<Uint8Array> {
    const { version } = edition;
    if (version === undefined) throw new IbidError('internal', 'The file is here as a whole.');
    let before = 0;
    const fetched = this.#file.part(range, version, (loaded) => {
      onBytes?.(loaded - before);
      before = loaded;
    });
    const held: Held = { ...range, read: () => fetched, passing: true };
    edition.held.push(held);
    fetched.then(
      (bytes) =>
        void this.#kept.then((kept) =>
          kept.version && isSameVersion(kept.version, version) ? kept.put(range, bytes) : undefined,
        ),
      () => {
        edition.held = edition.held.filter((other) => other !== held);
      },
    );
    return fetched;
  }
}

/** Loaded only by those who want it. */
async function keeper(kind: LoadOptions['persist'], address: string): Promise<Keeper> {
  if (kind === undefined) return NO_KEEPER;
  const module = await import('./persist/kept-pieces.js').catch(() => undefined);
  return (await module?.KeptPieces.open(kind, address)) ?? NO_KEEPER;
}

function wholePiece(bytes: Uint8Array): FilePieces & { edition: Edition } {
  return { offsets: new Float64Array(1), pieces: [bytes], whole: true, edition: { held: [] } };
}

/** Returns true if a server answered with a page, such as a list of a folder's files, or of its own for what it does not have. */
function isPage(beginning: Beginning): boolean {
  if (beginning.kind === 'unchanged') return false;
  return new TextDecoder().decode(beginning.bytes.subarray(0, 64)).trimStart().startsWith('<');
}

/** Returns true if an answer says that there is no file; hosts of objects say instead that nobody may read it. */
function isAbsent(error: unknown): boolean {
  return error instanceof IbidError && error.code === INDEX.code && !error.retryable;
}

function isInside({ start, end }: ByteRange, ranges: readonly ByteRange[]): boolean {
  return ranges.some((range) => range.start <= start && end <= range.end);
}
