/**
 * Builds index files: in a page, in a worker, under Node. `Ibid.add` uses it.
 *
 * @packageDocumentation
 */
import { MODEL, PROJECTION, readBytes, TRANSFORMER } from '../bytes.js';
import { batchSizeOf, embedTexts, spaceOf } from '../encoder/embed-texts.js';
import type { Embedder } from '../encoder/types.js';
import type { BuilderEngine, BuilderWireOptions, QueryEncoderEngine } from '../engine.js';
import { IbidError, toIbidError } from '../error.js';
import { projectionSource, tableSource } from '../package-files.js';
import { provideStemmer } from '../stemmer.js';
import type {
  AddProgress,
  AddReport,
  ByteSource,
  Calibration,
  ChunkingOptions,
  DocumentInput,
  LoadOptions,
} from '../types.js';
import { addAll, chunkingWire, SLICE_MS, Slices } from './add-all.js';
import { builderModule } from './module.js';

export type { Embedder, EmbeddingTask } from '../encoder/types.js';
export { IbidError } from '../error.js';

/** Options of {@link buildIndex}. */
export interface BuildOptions {
  /** The query table, or its address. Default: `query-table.bin` next to this module. */
  table?: ByteSource | undefined;
  /** A packed transformer to embed by. Default: none; the query table embeds. */
  model?: ByteSource | undefined;
  /** The projection of the transformer. Default: `projection.bin` next to it. */
  projection?: ByteSource | undefined;
  /**
   * Embeds in place of the table and the transformer; the index can then be searched with the same embedder alone.
   * Default: none.
   */
  embedder?: Embedder | undefined;
  /** @internal A transformer that is open already, to embed by. */
  encoder?: QueryEncoderEngine | undefined;
  /** The way to cut documents into chunks. Default: see there. */
  chunking?: ChunkingOptions | undefined;
  /** The calibration of the index that the documents are added to. Default: measured on the documents themselves. */
  calibration?: Calibration | undefined;
  /**
   * The language that words are stemmed in, such as `de`; `none` for no stems. Default: the one that most documents are in.
   */
  language?: string | undefined;
  /** The compiled builder, or its address. Default: `wasm/ibid_build_bg.wasm` next to this module. */
  wasm?: LoadOptions['wasm'];
  /** The compiled stemmer of that language, or its address. Default: `wasm/stem_de_bg.wasm`, and so on, next to this module. */
  stemmer?: LoadOptions['stemmer'];
  /** Gives up. Default: none. */
  signal?: AbortSignal | undefined;
  /** Called as the work goes on. Default: none. */
  onProgress?: ((progress: AddProgress) => void) | undefined;
}

/** The result of {@link buildIndex}. */
export interface BuildResult {
  // A `Uint8Array<ArrayBuffer>`, in words that TypeScript before 5.7 knows too.
  /** The bytes of the index file. */
  index: ReturnType<typeof Uint8Array.from>;
  report: AddReport;
  /** The reason why words alone rank in it by default, for a person; absent where vectors rank as well. */
  wordsAlone?: string;
}

/** The most texts that are embedded in one call. */
const MAX_BATCH = 64;

/**
 * Makes an index file of documents. One that cannot be read is left out and named in the report. The same documents and
 * options give the same bytes as the native `ibid build`.
 *
 * The work is done on this thread, in slices between which everything else gets its turn.
 *
 * Fails with `wasm-load`, `model-load`, `model-invalid`, `model-mismatch`, `embedder-failed`, `invalid-option` or
 * `aborted`.
 */
export async function buildIndex(
  documents: Iterable<DocumentInput> | AsyncIterable<DocumentInput>,
  options: BuildOptions = {},
): Promise<BuildResult> {
  const { signal = new AbortController().signal, onProgress } = options;
  try {
    const builder = await openBuilder(options, signal);
    try {
      const slices = new Slices(signal);
      const stem = async () => {
        const language = builder.wantedStemmer();
        if (language === undefined) return;
        await provideStemmer(await builderModule.get(options.wasm, signal), language, options, signal);
      };
      return await build(builder, documents, options, slices, onProgress ?? (() => {}), stem);
    } finally {
      builder.free();
    }
  } catch (error) {
    throw toIbidError(error);
  }
}

async function openBuilder(options: BuildOptions, signal: AbortSignal): Promise<BuilderEngine> {
  const { calibration, chunking, embedder, encoder, language, model } = options;
  const wire: BuilderWireOptions = {
    ...(chunking && { chunking: chunkingWire(chunking) }),
    ...(calibration && { calibration }),
    ...(language !== undefined && { language }),
  };
  if (embedder !== undefined) {
    const space = spaceOf(embedder);
    if (model !== undefined) {
      throw new IbidError('invalid-option', 'An index is built with a `model` or with an `embedder`, not with both.');
    }
    return (await builderModule.get(options.wasm, signal)).Builder.byCaller(wire, space);
  }
  const [module, packed] = await Promise.all([
    builderModule.get(options.wasm, signal),
    model === undefined ? undefined : readBytes(model, TRANSFORMER, signal),
  ]);
  const table = await readBytes(tableSource(options.table, packed), MODEL, signal);
  if (packed === undefined) {
    return encoder ? module.Builder.byTransformer(wire, table, encoder) : new module.Builder(wire, table);
  }
  const projection = await readBytes(projectionSource(options.projection, packed, model), PROJECTION, signal);
  const own = new module.QueryEncoder(packed, projection);
  try {
    return module.Builder.byTransformer(wire, table, own);
  } finally {
    // The builder holds on to what it needs of it.
    own.free();
  }
}

async function build(
  builder: BuilderEngine,
  documents: Iterable<DocumentInput> | AsyncIterable<DocumentInput>,
  { embedder }: BuildOptions,
  slices: Slices,
  onProgress: (progress: AddProgress) => void,
  stem: () => Promise<void>,
): Promise<BuildResult> {
  const report = await addAll(builder, documents, slices, onProgress);
  if (report.documents.length === 0) return { index: new Uint8Array(), report };
  let queries: Float32Array = new Float32Array();
  if (embedder === undefined) await embed(builder, report, slices, onProgress);
  else {
    await embedBy(embedder, builder, report, slices.signal, onProgress);
    queries = await embedTexts(embedder, builder.calibrationTexts(), 'query', slices.signal);
  }
  await stem();
  const index = builder.finish(queries);
  const { wordsAlone } = builder;
  return { index, report, ...(wordsAlone !== undefined && { wordsAlone }) };
}

/** Has the texts embedded by an embedder that is not part of ibid. */
async function embedBy(
  embedder: Embedder,
  builder: BuilderEngine,
  report: AddReport,
  signal: AbortSignal,
  onProgress: (progress: AddProgress) => void,
): Promise<void> {
  const total = builder.pending;
  while (builder.pending > 0) {
    const texts = builder.pendingTexts(batchSizeOf(embedder));
    builder.embedded(await embedTexts(embedder, texts, 'document', signal));
    report.embedded += texts.length;
    onProgress({ phase: 'embed', done: report.embedded, total });
  }
}

async function embed(
  builder: BuilderEngine,
  report: AddReport,
  slices: Slices,
  onProgress: (progress: AddProgress) => void,
): Promise<void> {
  const total = builder.pending;
  // A transformer takes a hundred thousand times longer than a table: the size of a batch finds itself.
  let batch = 1;
  while (builder.pending > 0) {
    const start = performance.now();
    report.embedded += builder.embed(batch);
    if (performance.now() - start < SLICE_MS / 2) batch = Math.min(batch * 2, MAX_BATCH);
    onProgress({ phase: 'embed', done: report.embedded, total });
    await slices.next();
  }
}
