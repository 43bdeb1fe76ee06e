import { LinkedAbort } from './abort.js';
import { INDEX, MODEL, type Part, readBytes, resolved } from './bytes.js';
import type { EncoderLink } from './encoder/link.js';
import type { Engine, EngineModule, FileLayouts, ForeignSpace, PartReader } from './engine.js';
import { abortedError, IbidError, toIbidError } from './error.js';
import { nextTask } from './idle.js';
import { missingTable, tableHeadBytes, tableName, usualTables } from './package-files.js';
import { type FilePieces, INDEX_FILE, type Kind, RemoteParts, tableFile } from './remote-parts.js';
import { isCollection } from './sources.js';
import { provideStemmer } from './stemmer.js';
import type { ByteSource, EngineSource, LoadOptions } from './types.js';
import type { WasmModule } from './wasm-module.js';

/** An engine with the index and the query table that it was opened with. */
export interface Opened {
  engine: Engine;
  /** The place where parts of the files still come from; `undefined` when all of one is here. */
  remote: Remote;
  /** The place from which the query table can be fetched again. */
  table: ByteSource;
  /** The encoder of queries in place of the table, now or later; `undefined` if the table does. */
  encoder: EncoderLink | undefined;
  /** Loads what another version of the index needs besides, be it in another language. */
  restem(): Promise<void>;
}

/** The files of which only parts are here. */
export interface Remote {
  index?: RemoteParts;
  table?: RemoteParts;
}

/** Fetches everything side by side; the first failure stops the rest. */
export async function openEngine(wasm: WasmModule, options: LoadOptions): Promise<Opened> {
  const opener = isCollection(options.index) ? await collectionOpener(options.index, options) : undefined;
  const stop = new LinkedAbort([options.signal]);
  const { signal } = stop;
  let [source, other]: [ByteSource, ByteSource?] =
    options.model === undefined ? usualTables(options.index) : [options.model];
  const loadModule = () => wasm.get(options.wasm);
  // Of a collection there is no file: nothing is read of an empty one.
  const index = isCollection(options.index) ? new Uint8Array() : options.index;
  const stem = async (language: string | undefined, until?: AbortSignal) => {
    if (language !== undefined) await provideStemmer(await loadModule(), language, options, until);
  };
  // Its beginning says which language the index is in, so that the stemmer comes with the rest of it. A failure
  // here shows when the index is open, which tries again.
  const indexFile: Kind = {
    ...INDEX_FILE,
    neededRanges: (module, head, total) => {
      stem(module.stemmerOf(head), signal).catch(() => {});
      return INDEX_FILE.neededRanges(module, head, total);
    },
  };
  const loadedTable = (table: ByteSource) =>
    new LoadedFile(tableFile(tableHeadBytes(table)), table, options, opener?.layouts ?? loadModule);
  const files: Files = {
    index: new LoadedFile(indexFile, index, options, loadModule),
    table: loadedTable(source),
  };
  const takeOther = (second: ByteSource) => {
    [source, other] = [second, undefined];
    files.table.remote?.close();
    files.table = loadedTable(source);
  };
  // There may be only the table that fits the index: a build writes no other.
  let notThere: IbidError | undefined;
  const readTable = async () => {
    try {
      await files.table.read(MODEL, signal);
    } catch (error) {
      notThere ??= options.model === undefined ? missingTable(error, tableName(source)) : toIbidError(error);
      if (other === undefined || signal.aborted || notThere.retryable) throw notThere;
      takeOther(other);
      await readTable();
    }
  };
  // What has been loaded outlives this signal, which only ends what is still under way.
  const close = () => {
    for (const { remote } of [files.index, files.table]) remote?.close(signal.reason);
  };
  const encoding = chosenEncoder(options, signal);
  signal.addEventListener('abort', close);
  try {
    const [module, encoder] = await Promise.all([
      opener === undefined ? wasm.get(options.wasm, signal) : undefined,
      encoding,
      files.index.read(INDEX, signal),
      needsTable(options) ? readTable() : undefined,
    ]);
    await nextTask();
    signal.throwIfAborted();
    const space = needsTable(options) ? undefined : encoder?.space;
    const open = async () =>
      opener
        ? await opener.open(files.table.pieces, space, files.table.remote?.read, signal)
        : await openPieces(module as EngineModule, files, space);
    const engine = await open().catch(async (error) => {
      const isOfOther = toIbidError(error).code === 'model-mismatch' && needsTable(options);
      if (!isOfOther || other === undefined) throw (isOfOther && notThere) || error;
      // The index is in another language than the page.
      takeOther(other);
      await readTable();
      return await open().catch((second) => {
        // It fits neither table: the message about the usual one is of more use.
        throw toIbidError(second).code === 'model-mismatch' ? error : second;
      });
    });
    await stem(engine.wantedStemmer(), signal).catch((error) => {
      engine.free();
      throw error;
    });
    signal.removeEventListener('abort', close);
    await nextTask();
    // A response can be read only once, so what came of it is kept in its place.
    const read = files.table.pieces.pieces[0];
    const again = source instanceof Response ? (read ?? source) : source;
    const remote = { ...remoteOf('index', files.index), ...remoteOf('table', files.table) };
    return { engine, remote, table: again, encoder, restem: () => stem(engine.wantedStemmer()) };
  } catch (error) {
    // What it runs in may have been started already, or be about to.
    encoding.then(
      (encoder) => encoder?.close(),
      () => {},
    );
    if (signal.aborted) throw abortedError(signal.reason);
    throw toIbidError(error);
  } finally {
    stop.abort();
    stop.release();
  }
}

interface Files {
  index: LoadedFile;
  table: LoadedFile;
}

/** Returns true if the table embeds queries, at least at first. */
function needsTable({ queryEncoder }: LoadOptions): boolean {
  return (queryEncoder ?? 'table') === 'table' || queryEncoder === 'auto';
}

/** Chooses the encoder of queries besides the table or in its place; loaded only by those who want it. */
async function chosenEncoder(options: LoadOptions, signal: AbortSignal): Promise<EncoderLink | undefined> {
  if ((options.queryEncoder ?? 'table') === 'table') return undefined;
  const { chooseEncoder } = await import('./encoder/choose.js');
  return await chooseEncoder(options, signal);
}

/** Loads the code that searches collections; loaded only by those who want it. */
async function collectionOpener(source: EngineSource, options: LoadOptions) {
  const { CollectionOpener } = await import('./engines/open.js');
  return new CollectionOpener(source, options);
}

/** One of the two files, and what of it is here. */
class LoadedFile {
  readonly remote: RemoteParts | undefined;
  pieces: FilePieces = { offsets: new Float64Array(1), pieces: [], whole: true };
  readonly #source: ByteSource;
  readonly #onProgress: LoadOptions['onProgress'];

  constructor(kind: Kind, source: ByteSource, options: LoadOptions, module: () => Promise<FileLayouts>) {
    this.#source = source;
    this.#onProgress = options.onProgress;
    const { range = true, persist } = options;
    if (!range || !(typeof source === 'string' || source instanceof URL)) return;
    const url = resolved(source);
    if (url === undefined || !/^https?:$/.test(url.protocol)) return;
    this.remote = new RemoteParts(kind, source, url, module, persist);
  }

  async read(part: Part, signal: AbortSignal): Promise<void> {
    if (this.remote !== undefined) {
      this.pieces = await this.remote.open(this.#onProgress);
      return;
    }
    const source = this.#source;
    const { readLocal } = isLocal(source) ? await import('./folder/local-file.js') : {};
    const bytes = readLocal?.(String(source), part) ?? (await readBytes(source, part, signal, this.#onProgress));
    this.pieces = { offsets: new Float64Array(1), pieces: [bytes], whole: true };
  }

  /** Reads again what was kept from an earlier visit and may have been damaged since; `false` if nothing was. */
  async again(): Promise<boolean> {
    if (!(await this.remote?.forget()) || this.remote === undefined) return false;
    this.pieces = await this.remote.open(this.#onProgress);
    return true;
  }
}

/** Returns true if a file lies on Node's disk: by its path, where there is no page that it could be relative to. */
function isLocal(source: ByteSource): boolean {
  if (!(typeof source === 'string' || source instanceof URL)) return false;
  return (
    /^file:/i.test(String(source)) || (globalThis.location === undefined && !/^[a-z][a-z\d+.-]+:/i.test(String(source)))
  );
}

async function openPieces(module: EngineModule, { index, table }: Files, space?: ForeignSpace): Promise<Engine> {
  const reader: PartReader = async (part, ranges) => {
    const { remote } = part === 'index' ? index : table;
    if (remote !== undefined) return await remote.read(ranges);
    throw new IbidError('internal', 'The file is here as a whole.');
  };
  const open = () => {
    const [bytes, rows] = [index.pieces, space ?? table.pieces.pieces[0] ?? new Uint8Array()];
    return bytes.whole && table.pieces.whole
      ? new module.Engine(bytes.pieces[0] ?? new Uint8Array(), rows)
      : module.Engine.ofPieces(bytes.offsets, bytes.pieces, bytes.whole, rows, table.pieces.whole, reader);
  };
  try {
    return open();
  } catch (error) {
    const { code } = toIbidError(error);
    const damaged = code === 'index-corrupt' ? index : code === 'model-invalid' ? table : undefined;
    if (!(await damaged?.again())) throw error;
    return open();
  }
}

function remoteOf<K extends keyof Remote>(name: K, { remote, pieces }: LoadedFile): Remote {
  return pieces.whole || remote === undefined ? {} : { [name]: remote };
}
