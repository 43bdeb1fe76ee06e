import { chunkDocuments } from '../build/chunk.js';
import { writeWhole } from './files.js';
import { packaged } from './models.js';
import { SOURCE_OPTIONS, Sources } from './sources.js';
import { note, parsed, print } from './terminal.js';

export const CHUNK_HELP = `Cuts documents into chunks, to be looked at, edited or built from: a JSON object a line.

Usage: ibid chunk [OPTIONS] <PATH>...

Arguments:
  <PATH>...  Documents, and folders to search for them; a document goes by its path from the folder that is named

Options:
  -o, --output <FILE>    The file to write the chunks to [default: standard output]
      --meta <KEY=VALUE> A field of the metadata for all documents; may be given several times
      --budget <N>       The most tokens (of four characters) in a chunk, heading path included [default: 180]
      --min-size <N>     Sections smaller than this are merged with tiny neighbours [default: 64]
      --overlap <N>      How many sentences of a chunk the next one of the same section repeats [default: 0]
      --no-prefix        Leave the heading path out of what is counted
      --site <NAME>      The program that makes pages of the documents, for links to these; \`none\` for no links
      --base-url <URL>   The address that the site's pages are below
      --strict           End with an error where a warning is told or a file is left out
      --verbose          Print every warning, not one line for each kind
  -h, --help             Print help

Example: npx ibid chunk docs -o chunks.jsonl && npx ibid build chunks.jsonl
`;

const OPTIONS = { output: { type: 'string', short: 'o' }, ...SOURCE_OPTIONS } as const;

/** `ibid chunk`. */
export async function chunk(args: readonly string[]): Promise<void> {
  const { values, positionals } = parsed({ args: [...args], options: OPTIONS, allowPositionals: true }, 'chunk ');
  const wasm = await packaged('wasm/ibid_build_bg.wasm');
  const sources = await Sources.find(positionals, values, 'chunk ', wasm);
  const { chunking } = sources;
  const onProgress = sources.show.bind(sources);
  const { lines, report } = await chunkDocuments(sources.contents(), { chunking, wasm, onProgress });
  sources.tell(report);
  const skipped = sources.skipped(report);
  if (values.output === undefined) return print(lines);
  await writeWhole(values.output, new TextEncoder().encode(lines));
  note(`${values.output}: ${report.documents.length} documents, ${report.chunks} chunks, ${skipped.length} skipped`);
}
