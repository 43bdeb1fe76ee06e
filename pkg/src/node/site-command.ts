import { addSearch } from './add-search.js';
import { parsed, UsageError } from './terminal.js';

export const SITE_HELP = `Adds search to a built site: indexes its pages, copies the package's files next to them, and adds one script
to each page, which puts the search box where the theme has its own.

Usage: ibid site [OPTIONS] <FOLDER>

Arguments:
  <FOLDER>  The folder of the built site, such as _site, dist or public; it may have been added to before

Options:
      --answers         Answer questions in the search box too
      --facets <NAMES>  Fields of the metadata whose values become filters, separated by commas
      --place <CSS>     The element that the search box goes into [default: where the theme has its search]
      --set <NAME=VALUE>  A further attribute of the search box, such as model=gpt-5-mini; may be given several times
      --base-url <URL>  The address that the site's pages are below [default: what its configuration says, else /]
      --no-cache        Keep no vectors for the next build
  -h, --help            Print help

Example: npx ibid site _site --answers
`;

const OPTIONS = {
  answers: { type: 'boolean', default: false },
  facets: { type: 'string' },
  place: { type: 'string' },
  set: { type: 'string', multiple: true },
  'base-url': { type: 'string' },
  'no-cache': { type: 'boolean', default: false },
} as const;

/** `ibid site`. */
export async function site(args: readonly string[]): Promise<void> {
  const { values, positionals } = parsed({ args: [...args], options: OPTIONS, allowPositionals: true }, 'site ');
  const [folder, ...more] = positionals;
  if (folder === undefined || more.length > 0) throw new UsageError('exactly one `<FOLDER>` is needed', 'site ');
  const { answers, facets, place } = values;
  // mdBook hands over the book, which is in the pages too, and complains of whoever does not listen.
  if (!process.stdin.isTTY) process.stdin.resume().unref?.();
  await addSearch(folder, {
    ...{ answers, facets, place },
    attributes: Object.fromEntries((values.set ?? []).map(pairOf)),
    baseUrl: values['base-url'],
    cache: !values['no-cache'],
  });
}

function pairOf(pair: string): [string, string] {
  const [, name, value = ''] = /^([a-z][a-z-]*)(?:=(.*))?$/s.exec(pair) ?? [];
  if (name === undefined) throw new UsageError(`\`--set ${pair}\` is not NAME=VALUE`, 'site ');
  return [name, value];
}
