import { buildIndex } from '../build/builder.js';
import { isMultilingual } from '../package-files.js';
import { FAMILIES, type Family } from './families.js';
import { read } from './files.js';
import type { DocumentFile } from './find.js';
import { DEFAULT_INDEX, writeIndex } from './index-files.js';
import { KeptVectors } from './kept-vectors.js';
import { documentModel, namedModel, packaged } from './models.js';
import { SOURCE_OPTIONS, Sources } from './sources.js';
import { note, parsed, printJson, UsageError } from './terminal.js';

export const BUILD_HELP = `Builds one index file from documents.

Usage: ibid build [OPTIONS] <PATH>...

Arguments:
  <PATH>...  Documents, and folders to search for them; a document goes by its path from the folder that is named

Options:
  -o, --output <FILE>    The index to write: a file, or, above 16 MiB, a folder of parts that is served as it is
                         [default: site.ibid]
      --meta <KEY=VALUE> A field of the metadata for all documents; may be given several times
      --budget <N>       The most tokens (of four characters) in a chunk, heading path included [default: 180]
      --min-size <N>     Sections smaller than this are merged with tiny neighbours [default: 64]
      --overlap <N>      How many sentences of a chunk the next one of the same section repeats [default: 0]
      --no-prefix        Leave the heading path out of what is counted and embedded
      --model <NAME|FILE>  The model that embeds documents: \`minilm\` for English, \`e5\` for a hundred languages, or the
                         file of a packed one [default: \`IBID_MODEL\`, else by the documents' language]
      --encoder <NAME>   What embeds documents: \`transformer\`, the packed model, or \`table\`, which needs no model but
                         finds long passages less well [default: transformer where its model is found or can be fetched,
                         else table]
      --cache <DIR>      The folder where vectors are kept, so that the next build embeds new texts only
                         [default: .ibid-cache]
      --no-cache         Keep no vectors, and use none that were kept
      --site <NAME>      The program that makes pages of the documents, for links to these and their headings;
                         \`none\` for no links [default: the one whose configuration stands next to the documents]
      --base-url <URL>   The address that the site's pages are below [default: what its configuration says, else /]
      --strict           End with an error, before anything is embedded, where a warning is told or a file is left out
      --verbose          Print every warning, not one line for each kind
      --json             Print a summary as JSON
  -h, --help             Print help

Example: npx ibid build docs
`;

const OPTIONS = {
  output: { type: 'string', short: 'o', default: DEFAULT_INDEX },
  ...SOURCE_OPTIONS,
  model: { type: 'string' },
  encoder: { type: 'string' },
  cache: { type: 'string' },
  'no-cache': { type: 'boolean', default: false },
  json: { type: 'boolean', default: false },
} as const;

/** `ibid build`. */
export async function build(args: readonly string[]): Promise<void> {
  const start = performance.now();
  const { values, positionals } = parsed({ args: [...args], options: OPTIONS, allowPositionals: true }, 'build ');
  const { output, model } = values;
  if (!['transformer', 'table', undefined].includes(values.encoder)) {
    throw new UsageError('`--encoder` is `transformer` or `table`', 'build ');
  }
  if (values.encoder === 'table' && model !== undefined) {
    throw new UsageError('`--model` has no use with `--encoder table`', 'build ');
  }
  if (values.cache !== undefined && values['no-cache']) {
    throw new UsageError('`--cache` has no use with `--no-cache`', 'build ');
  }
  const wasm = await packaged('wasm/ibid_build_bg.wasm');
  const sources = await Sources.find(positionals, values, 'build ', wasm);
  const { builders, files, found, chunking } = sources;
  const named = namedModel(model);
  const family = named.family ?? (await familyOf(found.documents, sources));
  const isNeeded = values.encoder === 'transformer';
  const packed = values.encoder === 'table' ? undefined : await documentModel(family, named.file, isNeeded);
  // The file of a model says itself which family it is.
  const own = named.file === undefined ? family : FAMILIES[isMultilingual(packed) ? 'e5' : 'minilm'];
  const [table, projection] = await Promise.all([packaged(own.table), packaged(own.projection)]);

  const encoder = packed && new builders.QueryEncoder(packed, projection);
  const kept = encoder && (await KeptVectors.open(values, packed, encoder));
  const { index, report, wordsAlone } = await buildIndex(sources.contents(), {
    table,
    wasm,
    encoder,
    kept,
    onProgress: (progress) => sources.show(progress),
    chunking,
    onSettled: (report) => sources.tell(report),
  });
  sources.clear();
  await kept?.finish();
  const skipped = sources.skipped(report);
  const parts = await writeIndex(output, index, files);

  const seconds = (performance.now() - start) / 1000;
  const counts = `${report.documents.length} documents, ${report.chunks} chunks, ${skipped.length} skipped`;
  note(`${output}: ${counts}, ${index.length} bytes, ${seconds.toFixed(1)} s`);
  if (wordsAlone !== undefined) note(`  ${wordsAlone}`);
  if (report.unlinked && values.site !== 'none') {
    note('  hits have no addresses: `--base-url URL` says where your pages are');
  }
  if (parts !== undefined) note(`  a folder of ${parts} parts; deploy all of ${output}/`);
  if (values.json) {
    const summary = { output, bytes: index.length, parts, ...report, wordsAlone, skipped, notRead: found.notRead };
    printJson(summary);
  }
}

/** The most files that are asked for their language, and the characters of each of their documents. */
const SAMPLES = 100;
const SAMPLE_CHARACTERS = 8000;

/** The family for the documents' language. */
async function familyOf(
  documents: readonly DocumentFile[],
  { builders, files }: Pick<Sources, 'builders' | 'files'>,
): Promise<Family> {
  const step = Math.max(1, Math.ceil(documents.length / SAMPLES));
  const asked = documents.filter((_, at) => at % step === 0);
  // A file that cannot be read is told when it is its turn.
  const texts = await Promise.all(
    asked.map(async ({ name, path }) => {
      const all = await read(path).catch(() => new Uint8Array());
      return builders.documentTexts(name, all, SAMPLE_CHARACTERS);
    }),
  );
  return files.isEnglish(texts.flat()) ? FAMILIES.minilm : FAMILIES.e5;
}
