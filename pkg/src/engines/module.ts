import type { Engine, FileLayouts, ForeignSpace, WasmGlue } from '../engine.js';
import type { IndexInfo } from '../types.js';

/** The generated JavaScript module around the wasm that searches collections. */
export interface EnginesModule extends WasmGlue, Pick<FileLayouts, 'tableHeadLength'> {
  readonly CollectionEngine: {
    /** Instead of a query table there may be the space that a function will embed queries in. */
    open(
      options: Record<string, unknown>,
      table: Uint8Array | ForeignSpace,
      wholeTable: boolean,
      reader?: TableReader,
      signal?: AbortSignal,
    ): Promise<CollectionEngine>;
  };
}

/** Reads ranges of the query table, start and end by turns; `null` after {@link CollectionEngine.replaceTable}. */
type TableReader = (part: 'model', ranges: Float64Array) => Promise<Uint8Array[] | null>;

/** A collection as the module has it: it searches as an index does, and tells less of itself. */
export type CollectionEngine = Pick<Engine, 'search' | 'find' | 'embedBy' | 'replaceTable' | 'free'> & {
  info(): Pick<
    IndexInfo,
    | 'generator'
    | 'documents'
    | 'chunks'
    | 'model'
    | 'fingerprint'
    | 'dimensions'
    | 'calibration'
    | 'language'
    | 'fields'
  >;
};
