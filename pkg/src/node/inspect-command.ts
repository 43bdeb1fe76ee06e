import type { Facet, FieldType } from '../search-types.js';
import type { IndexInfo } from '../types.js';
import { withIndex } from './open-index.js';
import { parsed, print, printJson, UsageError } from './terminal.js';

export const INSPECT_HELP = `Shows what an index holds.

Usage: ibid inspect [OPTIONS] <INDEX>

Arguments:
  <INDEX>  The index: a file, a folder, or the address of one on a web server

Options:
      --json   Print JSON, with the fields that \`ibid.info\` has in JavaScript
      --types  Print the metadata's fields as TypeScript, for \`Ibid.load<Fields>()\`
  -h, --help   Print help

Example: npx ibid inspect site.ibid
`;

/** The values of a field that are shown to a person. */
const SHOWN_VALUES = 5;

/** `ibid inspect`. */
export async function inspect(args: readonly string[]): Promise<void> {
  const flag = { type: 'boolean', default: false } as const;
  const options = { json: flag, types: flag };
  const { values, positionals } = parsed({ args: [...args], options, allowPositionals: true }, 'inspect ');
  const [index, ...more] = positionals;
  if (index === undefined || more.length > 0) throw new UsageError('exactly one `<INDEX>` is needed', 'inspect ');
  await withIndex(index, async (ibid) => {
    const { info } = ibid;
    if (values.json) return printJson(info);
    if (values.types) return print(typesOf(info));
    print(shown(info, await ibid.facets(info.fields.map(({ name }) => name))));
  });
}

const TYPES: Record<FieldType, string> = {
  boolean: 'boolean',
  integer: 'number',
  float: 'number',
  date: 'string',
  keyword: 'string',
  keywords: 'string[]',
};

/** Returns the fields of an index as a type, by which filters and metadata are checked. */
function typesOf({ fields }: IndexInfo): string {
  const lines = fields.map(({ name, type }) => {
    const key = /^[A-Za-z_$][\w$]*$/.test(name) ? name : JSON.stringify(name);
    return `  ${key}: ${TYPES[type]};`;
  });
  return ['export type Fields = {', ...lines, '};', ''].join('\n');
}

/** Returns the lines that the native command prints, as far as an open index knows them. */
function shown(info: IndexInfo, facets: readonly Facet[]): string {
  const { calibration, chunking } = info;
  const percent = (share: number) => `${(100 * share).toFixed(1)} %`;
  const aChunk = Math.floor(info.bytes / Math.max(1, info.chunks));
  const lines = [
    `Format version ${info.formatVersion}, written by ${info.generator}`,
    `Model ${info.model} (${info.dimensions} dimensions, fingerprint ${info.fingerprint})`,
    `${info.documents} documents, ${info.sections} sections, ${info.chunks} chunks; ${info.bytes} bytes, ${aChunk} a chunk`,
    `Cosines: ${calibration.unrelated.toFixed(3)} of unrelated texts, ${calibration.near.toFixed(3)} of near ones; ` +
      `${percent(calibration.separation)} of pairs told apart`,
    `Words are stemmed in \`${info.language}\`${info.wordsAlone === null ? '' : `; ${info.wordsAlone}`}`,
    `Chunked to ${chunking.budget} tokens (${chunking.sizer === 'model' ? 'of the model' : 'of four characters'}), ` +
      `merged below ${chunking.minSize}, ${chunking.overlap} sentences overlap, ` +
      `${chunking.prefix ? 'with' : 'without'} heading path`,
    calibration.probes === 0
      ? 'Clusters compared: as many as by default, since too few passages are there to measure by'
      : `Clusters compared: ${calibration.probes}, which find ${percent(calibration.recall)} of the ten nearest`,
    '\nsection       bytes  share',
    ...Object.entries(info.layout).map(([name, bytes]) => {
      const share = percent(bytes / Math.max(1, info.bytes));
      return `${name.padEnd(7)} ${String(bytes).padStart(11)}  ${share.padStart(6)}`;
    }),
  ];
  if (facets.length > 0) lines.push('\nfield (type): documents, different values, most frequent');
  for (const { field, fieldType, documents, values } of facets) {
    const frequent = values.slice(0, SHOWN_VALUES).map(({ value, count }) => `${value} (${count})`);
    lines.push(`${field} (${fieldType}): ${documents}, ${values.length}, ${frequent.join(', ')}`);
  }
  return `${lines.join('\n')}\n`;
}
