import { IbidError } from '../error.js';
import type { Filter, Hit } from '../search-types.js';
import { withIndex } from './open-index.js';
import { parsed, print, printJson, UsageError } from './terminal.js';

export const SEARCH_HELP = `Finds passages in an index.

Usage: ibid search [OPTIONS] <INDEX> <QUERY>

Arguments:
  <INDEX>  The index: a file, a folder, or the address of one on a web server
  <QUERY>  The words or question to look for

Options:
  -l, --limit <N>              The most passages to show, 1 to 50 [default: 5]
      --mode <NAME>            What passages are looked up by: \`vector\` (what they mean), \`lexical\` (their words) or
                               \`hybrid\` (both) [default: hybrid; lexical where they are not in the model's language]
      --filter <JSON>          Only passages of documents whose metadata match, as \`{"year": {"gte": 2020}}\`
      --min-relevance <SHARE>  The least relevance of a passage, 0 to 1; from 0.5 on it counts as relevant [default: 0]
      --json                   Print an array of hits as JSON, with the fields that hits have in JavaScript
  -h, --help                   Print help

Example: npx ibid search site.ibid "maximum dose of metformin" --json
`;

const OPTIONS = {
  limit: { type: 'string', short: 'l' },
  mode: { type: 'string' },
  filter: { type: 'string' },
  'min-relevance': { type: 'string' },
  json: { type: 'boolean', default: false },
} as const;

const MODES = ['hybrid', 'vector', 'lexical'] as const;

/** `ibid search`. */
export async function search(args: readonly string[]): Promise<void> {
  const { values, positionals } = parsed({ args: [...args], options: OPTIONS, allowPositionals: true }, 'search ');
  const [index, query, ...more] = positionals;
  if (index === undefined || query === undefined || more.length > 0) {
    throw new UsageError('an `<INDEX>` and a `<QUERY>` are needed; put a query of several words in quotes', 'search ');
  }
  const mode = MODES.find((name) => name === values.mode);
  if (values.mode !== undefined && mode === undefined) {
    throw new UsageError(`\`--mode\` is one of ${MODES.join(', ')}`, 'search ');
  }
  const options = {
    limit: numberOf('limit', values.limit),
    mode,
    filter: filterOf(values.filter),
    minRelevance: numberOf('min-relevance', values['min-relevance']),
  };
  const hits = await withIndex(index, (ibid) => ibid.search(query, options));
  if (values.json) printJson(hits);
  else print(told(query, hits));
}

/** Returns what the native command prints of the hits. */
function told(query: string, hits: Hit[]): string {
  if (hits.length === 0) return `No results for "${query}". Check the spelling, or use fewer or other words.\n`;
  const isAny = hits.some(({ relevance }) => relevance >= 0.5);
  const nearest = 'Nothing counts as relevant to the query; this comes nearest.\n\n';
  return (isAny ? '' : nearest) + hits.map(shown).join('');
}

/** Returns a hit as the native command prints it. */
function shown({ headingPath, score, source, line, text, duplicates }: Hit, at: number): string {
  const also = duplicates.map((place) => `   also in ${place.source}:${place.line}\n`).join('');
  return (
    `${at + 1}. ${headingPath.join(' > ')}  (${score.toFixed(3)})\n   ${source}:${line}\n\n` +
    `   ${text.replaceAll('\n', '\n   ')}\n\n${also === '' ? '' : `${also}\n`}`
  );
}

/** Returns a number; the core checks its range. */
function numberOf(name: string, text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  if (/^\d+(\.\d+)?$/.test(text)) return Number(text);
  throw new UsageError(`\`--${name}\` takes a number`, 'search ');
}

function filterOf(text: string | undefined): Filter | undefined {
  if (text === undefined) return undefined;
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new IbidError('invalid-option', `The filter is no JSON: ${(error as Error).message}.`, {
      hint: 'Write for instance `--filter \'{"year": {"gte": 2020}}\'`, in single quotes.',
    });
  }
}
