import { builderModule } from '../build/module.js';
import type { BuilderModule, NodeModule } from '../engine.js';
import { IbidError } from '../error.js';
import type { AddProgress, AddReport, ChunkingOptions, DocumentInput, SkippedDocument } from '../types.js';
import { read } from './files.js';
import { find, sidecar } from './find.js';
import { nodeModule } from './module.js';
import { findSite, type Site } from './site.js';
import { note, Progress, UsageError } from './terminal.js';

/** The options of commands that read documents. */
export const SOURCE_OPTIONS = {
  meta: { type: 'string', multiple: true, default: [] as string[] },
  budget: { type: 'string' },
  'min-size': { type: 'string' },
  overlap: { type: 'string' },
  'no-prefix': { type: 'boolean', default: false },
  site: { type: 'string' },
  'base-url': { type: 'string' },
  strict: { type: 'boolean', default: false },
  verbose: { type: 'boolean', default: false },
} as const;

/** Their values, as the user gave them. */
interface SourceValues {
  meta: string[];
  budget?: string | undefined;
  'min-size'?: string | undefined;
  overlap?: string | undefined;
  'no-prefix': boolean;
  site?: string | undefined;
  'base-url'?: string | undefined;
  strict: boolean;
  verbose: boolean;
}

const LEAST_BUDGET = 16;

/** The documents that a command names, and what is told of them. */
export class Sources {
  readonly #unreadable: SkippedDocument[] = [];
  readonly #progress = new Progress();

  private constructor(
    readonly found: Awaited<ReturnType<typeof find>>,
    readonly builders: BuilderModule,
    readonly files: NodeModule,
    readonly chunking: ChunkingOptions,
    private readonly metadata: Record<string, string>,
    private readonly site: Site | undefined,
    private readonly values: SourceValues,
  ) {}

  /** Looks for the documents at the paths; what the options say wrongly is a {@link UsageError} of the command. */
  static async find(
    paths: readonly string[],
    values: SourceValues,
    command: string,
    wasm: Uint8Array,
  ): Promise<Sources> {
    if (paths.length === 0) throw new UsageError('at least one `<PATH>` is needed', command);
    const metadata = fieldsOf(values.meta, command);
    const chunking = {
      budget: numberOf(command, 'budget', values.budget, LEAST_BUDGET),
      minSize: numberOf(command, 'min-size', values['min-size']),
      overlap: numberOf(command, 'overlap', values.overlap),
      prefix: !values['no-prefix'],
    };
    const [builders, files] = await Promise.all([builderModule.get(wasm), nodeModule.get(undefined)]);
    const found = await find(paths, files);
    const generator = siteOf(values.site, files, command);
    const site = await findSite(paths, { site: generator, baseUrl: values['base-url'] }, files);
    if (site?.line !== undefined) note(site.line);
    return new Sources(found, builders, files, chunking, metadata, site, values);
  }

  /** The documents one after another, so that not all of them are in memory at once; those that cannot be read, apart. */
  async *contents(): AsyncGenerator<DocumentInput> {
    const { metadata, site } = this;
    for (const file of this.found.documents) {
      const source = file.name;
      try {
        const page = await site?.pageOf(file.path);
        yield { source, content: await read(file.path), metadata, sidecar: await sidecar(file), page };
      } catch (error) {
        if (!(error instanceof IbidError && error.code === 'io')) throw error;
        this.#unreadable.push({ source, code: error.code, message: error.message });
      }
    }
  }

  /** Shows how far the work has come. */
  show({ phase, done, total }: AddProgress): void {
    if (phase === 'chunk') this.#progress.show('reading', done, this.found.documents.length, 'files');
    else this.#progress.show('embedding', done, total, 'passages');
  }

  clear(): void {
    this.#progress.clear();
  }

  /** Tells what is not as it should be, and ends a strict command there. */
  tell({ warnings, skipped, shared }: AddReport): void {
    this.clear();
    const all = { warnings, skipped: [...this.#unreadable, ...skipped] };
    const lines = this.values.verbose
      ? everyWarning(all)
      : this.files.reportLines(
          all.warnings.flatMap(({ source, kind, message }) => [source, kind, message]),
          all.skipped.flatMap(({ source, code, message }) => [source, code, message]),
        );
    for (const line of lines) note(`warning: ${line}`);
    for (const line of [this.found.notRead, shared]) if (line !== undefined) note(line);
    // Documents that are left out on purpose are no fault.
    const faults = all.skipped.filter(({ code }) => code !== 'document-skipped');
    const count = all.warnings.length + faults.length;
    if (this.values.strict && count > 0) {
      throw new IbidError(
        'invalid-document',
        `Nothing is built with \`--strict\` where there are warnings: ${count} of them.`,
        { hint: 'Correct what they name, or build without `--strict`.' },
      );
    }
  }

  /** Returns all that was left out. Without a single document, there is nothing to go on with. */
  skipped({ documents, skipped }: AddReport): SkippedDocument[] {
    if (documents.length > 0) return [...this.#unreadable, ...skipped];
    throw new IbidError('invalid-document', 'No document was found.', {
      hint: 'Name documents, markdown files (.md) for instance, or folders that hold some.',
    });
  }
}

function everyWarning({ warnings, skipped }: Pick<AddReport, 'warnings' | 'skipped'>): string[] {
  return [
    ...warnings.map(({ source, message }) => `${source}: ${message}`),
    ...skipped.map(({ code, message }) => `${message} [${code}]`),
  ];
}

function siteOf(name: string | undefined, files: NodeModule, command: string): string | undefined {
  const known = new Set(files.siteConfigurations().filter((_, at) => at % 3 === 1));
  if (name === undefined || name === 'none' || known.has(name)) return name;
  throw new UsageError(`\`--site\` is one of ${[...known].join(', ')}, none`, command);
}

/** A whole number, at least `least`; the core checks the rest. */
function numberOf(command: string, name: string, text: string | undefined, least = 0): number | undefined {
  if (text === undefined) return undefined;
  if (/^\d{1,9}$/.test(text) && Number(text) >= least) return Number(text);
  throw new UsageError(`\`--${name}\` takes a whole number of at least ${least}`, command);
}

function fieldsOf(meta: readonly string[], command: string): Record<string, string> {
  const fields: Record<string, string> = {};
  for (const field of meta) {
    const at = field.indexOf('=');
    if (at <= 0) throw new UsageError(`\`--meta ${field}\` is not of the form KEY=VALUE`, command);
    fields[field.slice(0, at)] = field.slice(at + 1);
  }
  return fields;
}
