import type { Engine, FileLayouts, ForeignSpace } from '../engine.js';
import { IbidError } from '../error.js';
import type { EngineSource, LoadOptions } from '../types.js';
import { WasmModule } from '../wasm-module.js';
import { collectionIndex } from './collection-index.js';
import type { EnginesModule } from './module.js';

/** The one module of this page that searches collections. */
export const enginesModule = new WasmModule<EnginesModule>(
  () => import('../wasm/ibid_engines.js'),
  'ibid_engines',
  () => new URL('../wasm/ibid_engines_bg.wasm', import.meta.url),
  'enginesWasm',
);

/** Opens a collection of a search engine, so that it is searched as an index is. */
export class CollectionOpener {
  readonly #kind: 'qdrant' | 'chroma';
  readonly #options: Record<string, unknown>;
  readonly #module: () => Promise<EnginesModule>;

  constructor(source: EngineSource, { enginesWasm }: LoadOptions, module = enginesModule) {
    const [[kind, address] = [], ...more] = Object.entries(source);
    if ((kind !== 'qdrant' && kind !== 'chroma') || more.length > 0 || typeof address?.url?.toString !== 'function') {
      throw new IbidError('invalid-option', 'The collection has no address.', {
        hint: "Give it as `{ qdrant: { url: 'https://HOST:6333', collection: 'NAME' } }`, or with `chroma`.",
      });
    }
    const { url, ...rest } = address;
    const given = Object.entries(rest).filter(([, value]) => value !== undefined);
    this.#kind = kind;
    this.#options = { [kind]: String(url), ...Object.fromEntries(given) };
    this.#module = () => module.get(enginesWasm);
  }

  /** Tells how a query table is read in parts. Of an index, of which there is none, it is never asked. */
  readonly layouts = async (): Promise<FileLayouts> => {
    const { tableHeadLength } = await this.#module();
    const stemmerOf = () => undefined;
    return { tableHeadLength, headLength: () => 0, neededRanges: () => new Float64Array(), stemmerOf };
  };

  /** Asks the engine for the collection. Queries are embedded by the table, or into the space that is given. */
  async open(
    table: { pieces: Uint8Array[]; whole: boolean },
    space: ForeignSpace | undefined,
    read: ((ranges: Float64Array) => Promise<Uint8Array[] | null>) | undefined,
    signal: AbortSignal,
  ): Promise<Engine> {
    const { CollectionEngine } = await this.#module();
    const rows = space ?? table.pieces[0] ?? new Uint8Array();
    const reader = read && ((_: 'model', ranges: Float64Array) => read(ranges));
    return collectionIndex(this.#kind, await CollectionEngine.open(this.#options, rows, table.whole, reader, signal));
  }
}
