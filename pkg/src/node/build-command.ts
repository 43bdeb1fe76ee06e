import { buildIndex } from '../build/builder.js';
import { builderModule } from '../build/module.js';
import type { BuilderModule } from '../engine.js';
import { IbidError } from '../error.js';
import { isMultilingual } from '../package-files.js';
import type { AddProgress, AddReport, DocumentInput, SkippedDocument } from '../types.js';
import { read } from './files.js';
import { type DocumentFile, find, sidecar } from './find.js';
import { writeIndex } from './index-files.js';
import { documentModel, FAMILIES, type Family, namedModel, packaged, withoutModel } from './models.js';
import { findSite, type Site } from './site.js';
import { note, Progress, parsed, print, UsageError } from './terminal.js';

export const BUILD_HELP = `Builds one index file from documents.

Usage: ibid build [OPTIONS] --output <FILE> <PATH>...

Arguments:
  <PATH>...  Documents, and folders to search for them; a document goes by its path from the folder that is named

Options:
  -o, --output <FILE>    The index to write: a file, or, above 16 MiB, a folder of parts that is served as it is
      --meta <KEY=VALUE> A field of the metadata for all documents; may be given several times
      --budget <N>       The most tokens (of four characters) in a chunk, heading path included [default: 180]
      --min-size <N>     Sections smaller than this are merged with tiny neighbours [default: 64]
      --overlap <N>      How many sentences of a chunk the next one of the same section repeats [default: 0]
      --no-prefix        Leave the heading path out of what is counted and embedded
      --model <NAME|FILE>  The model that embeds documents: \`minilm\` for English, \`e5\` for a hundred languages, or the
                         file of a packed one [default: \`IBID_MODEL\`, else by the documents' language]
      --encoder <NAME>   What embeds documents: \`transformer\`, the packed model, or \`table\`, which needs no model but
                         finds long passages less well [default: transformer where its model is found, else table]
      --site <NAME>      The program that makes pages of the documents, for links to these and their headings;
                         \`none\` for no links [default: the one whose configuration stands beside the documents]
      --base-url <URL>   The address that the site's pages are below [default: what its configuration says, else /]
      --strict           End with an error, before anything is embedded, where a warning is told or a file is left out
      --verbose          Print every warning, not one line for each kind
      --json             Print a summary as JSON
  -h, --help             Print help

Example: npx ibid build docs/ -o site.ibid
`;

const OPTIONS = {
  output: { type: 'string', short: 'o' },
  meta: { type: 'string', multiple: true, default: [] as string[] },
  budget: { type: 'string' },
  'min-size': { type: 'string' },
  overlap: { type: 'string' },
  'no-prefix': { type: 'boolean', default: false },
  model: { type: 'string' },
  encoder: { type: 'string' },
  site: { type: 'string' },
  'base-url': { type: 'string' },
  strict: { type: 'boolean', default: false },
  verbose: { type: 'boolean', default: false },
  json: { type: 'boolean', default: false },
} as const;

const LEAST_BUDGET = 16;

/** `ibid build`. */
export async function build(args: readonly string[]): Promise<void> {
  const start = performance.now();
  const { values, positionals } = parsed({ args: [...args], options: OPTIONS, allowPositionals: true }, 'build ');
  const { output, model } = values;
  if (output === undefined) throw new UsageError('the option `--output <FILE>` is needed', 'build ');
  if (positionals.length === 0) throw new UsageError('at least one `<PATH>` is needed', 'build ');
  if (!['transformer', 'table', undefined].includes(values.encoder)) {
    throw new UsageError('`--encoder` is `transformer` or `table`', 'build ');
  }
  if (values.encoder === 'table' && model !== undefined) {
    throw new UsageError('`--model` has no use with `--encoder table`', 'build ');
  }
  const metadata = fieldsOf(values.meta);
  const chunking = {
    budget: numberOf('budget', values.budget, LEAST_BUDGET),
    minSize: numberOf('min-size', values['min-size']),
    overlap: numberOf('overlap', values.overlap),
    prefix: !values['no-prefix'],
  };
  const wasm = await packaged('wasm/ibid_build_bg.wasm');
  const found = await find(positionals, wasm);
  const builders = await builderModule.get(wasm);
  const site = await findSite(
    positionals,
    { site: siteOf(values.site, builders), baseUrl: values['base-url'] },
    builders,
  );
  if (site?.line !== undefined) note(site.line);
  const named = namedModel(model);
  const family = named.family ?? (await familyOf(found.documents, builders));
  const isNeeded = values.encoder === 'transformer';
  const packed = values.encoder === 'table' ? undefined : await documentModel(family, named.file, isNeeded);
  if (packed === undefined && values.encoder === undefined) note(`note: ${withoutModel(family)}`);
  // The file of a model says itself which family it is.
  const own = named.file === undefined ? family : FAMILIES[isMultilingual(packed) ? 'e5' : 'minilm'];
  const [table, projection] = await Promise.all([packaged(own.table), packaged(own.projection)]);

  const unreadable: SkippedDocument[] = [];
  const progress = new Progress();
  const onProgress = ({ phase, done, total }: AddProgress) =>
    progress.show(
      phase === 'chunk' ? `reading ${done}/${found.documents.length} files` : `embedding ${done}/${total} chunks`,
    );
  const onSettled = ({ warnings, skipped, shared }: AddReport) => {
    progress.clear();
    const all = { warnings, skipped: [...unreadable, ...skipped] };
    const lines = values.verbose
      ? everyWarning(all)
      : builders.reportLines(
          all.warnings.flatMap(({ source, kind, message }) => [source, kind, message]),
          all.skipped.flatMap(({ source, code, message }) => [source, code, message]),
        );
    for (const line of lines) note(`warning: ${line}`);
    for (const line of [found.notRead, shared]) if (line !== undefined) note(line);
    // Documents that are left out on purpose are no fault.
    const faults = all.skipped.filter(({ code }) => code !== 'document-skipped');
    const count = all.warnings.length + faults.length;
    if (values.strict && count > 0) {
      throw new IbidError(
        'invalid-document',
        `Nothing is built with \`--strict\` where there are warnings: ${count} of them.`,
        {
          hint: 'Mend what they name, or build without `--strict`.',
        },
      );
    }
  };
  const { index, report, wordsAlone } = await buildIndex(contents(found.documents, metadata, unreadable, site), {
    table,
    wasm,
    projection,
    onProgress,
    ...(packed && { model: packed }),
    chunking,
    onSettled,
  });
  progress.clear();
  const skipped = [...unreadable, ...report.skipped];
  if (report.documents.length === 0) {
    throw new IbidError('invalid-document', 'No document was found.', {
      hint: 'Name documents, markdown files (.md) for instance, or folders that hold some.',
    });
  }
  const parts = await writeIndex(output, index, builders);

  const seconds = (performance.now() - start) / 1000;
  const counts = `${report.documents.length} documents, ${report.chunks} chunks, ${skipped.length} skipped`;
  note(`${output}: ${counts}, ${index.length} bytes, ${seconds.toFixed(1)} s`);
  if (wordsAlone !== undefined) note(`  ${wordsAlone}`);
  if (parts !== undefined) note(`  a folder of ${parts} parts; deploy all of ${output}/`);
  if (values.json) {
    const summary = { output, bytes: index.length, parts, ...report, wordsAlone, skipped, notRead: found.notRead };
    print(`${JSON.stringify(summary, null, 2)}\n`);
  }
}

/** The most documents that are asked for their language, and the bytes of each. */
const SAMPLES = 100;
const SAMPLE_BYTES = 8000;

/** The family for the documents' language. */
async function familyOf(documents: readonly DocumentFile[], builders: BuilderModule): Promise<Family> {
  const step = Math.max(1, Math.ceil(documents.length / SAMPLES));
  const asked = documents.filter((_, at) => at % step === 0);
  // A file that cannot be read is told when it is its turn.
  const bytes = await Promise.all(asked.map(({ path }) => read(path).catch(() => new Uint8Array())));
  const texts = bytes.map((all) => new TextDecoder().decode(all.subarray(0, SAMPLE_BYTES)));
  return builders.isEnglish(texts) ? FAMILIES.minilm : FAMILIES.e5;
}

function everyWarning({ warnings, skipped }: Pick<AddReport, 'warnings' | 'skipped'>): string[] {
  return [
    ...warnings.map(({ source, message }) => `${source}: ${message}`),
    ...skipped.map(({ code, message }) => `${message} [${code}]`),
  ];
}

function siteOf(name: string | undefined, builders: BuilderModule): string | undefined {
  const known = new Set(builders.siteConfigurations().filter((_, at) => at % 3 === 1));
  if (name === undefined || name === 'none' || known.has(name)) return name;
  throw new UsageError(`\`--site\` is one of ${[...known].join(', ')}, none`, 'build ');
}

/** A whole number, at least `least`; the core checks the rest. */
function numberOf(name: string, text: string | undefined, least = 0): number | undefined {
  if (text === undefined) return undefined;
  if (/^\d{1,9}$/.test(text) && Number(text) >= least) return Number(text);
  throw new UsageError(`\`--${name}\` takes a whole number of at least ${least}`, 'build ');
}

function fieldsOf(meta: readonly string[]): Record<string, string> {
  const fields: Record<string, string> = {};
  for (const field of meta) {
    const at = field.indexOf('=');
    if (at <= 0) throw new UsageError(`\`--meta ${field}\` is not of the form KEY=VALUE`, 'build ');
    fields[field.slice(0, at)] = field.slice(at + 1);
  }
  return fields;
}

/** The documents one after another, so that not all of them are in memory at once; those that cannot be read, apart. */
async function* contents(
  files: readonly DocumentFile[],
  metadata: Record<string, string>,
  unreadable: SkippedDocument[],
  site: Site | undefined,
): AsyncGenerator<DocumentInput> {
  for (const file of files) {
    const source = file.name;
    try {
      const page = await site?.pageOf(file.path);
      yield { source, content: await read(file.path), metadata, sidecar: await sidecar(file), page };
    } catch (error) {
      if (!(error instanceof IbidError && error.code === 'io')) throw error;
      unreadable.push({ source, code: error.code, message: error.message });
    }
  }
}
