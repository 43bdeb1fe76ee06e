import { readFile } from 'node:fs/promises';
import { toIbidError } from '../error.js';
import { BUILD_HELP, build } from './build-command.js';
import { CHUNK_HELP, chunk } from './chunk-command.js';
import { COPY_HELP, copy } from './copy-command.js';
import { INSPECT_HELP, inspect } from './inspect-command.js';
import { MODEL_HELP, model } from './model-command.js';
import { SEARCH_HELP, search } from './search-command.js';
import { SERVE_HELP, serve } from './serve-command.js';
import { SITE_HELP, site } from './site-command.js';
import { note, print, UsageError } from './terminal.js';

const HELP = `Builds indexes from documents, searches and serves them, without Rust.

Usage: ibid <COMMAND>

Commands:
  site          Adds search to a built site: index, files and search box
  build         Builds one index file from documents
  serve         Serves an index with a page that searches it
  search        Finds passages in an index
  inspect       Shows what an index holds
  chunk         Cuts documents into chunks, to be looked at, edited or built from
  copy          Copies the files that a page needs into a folder of your site
  model         Gets the model that embeds documents

Options:
  -h, --help     Print help; after a command, that command's
  -V, --version  Print version

Example: npx ibid build docs && npx ibid serve
`;

/** Runs the command that the arguments ask for. The exit code is 0, 1 (failed) or 2 (wrong usage). */
export async function main(args: readonly string[]): Promise<number> {
  try {
    await run(args);
    return 0;
  } catch (error) {
    if (error instanceof UsageError) {
      note(`error: ${error.message}\n\nFor more information, try 'ibid ${error.command}--help'.`);
      return 2;
    }
    const { code, message, hint } = toIbidError(error);
    note(`error: ${message} [${code}]${hint === undefined ? '' : `\n  hint: ${hint}`}`);
    return code === 'invalid-option' ? 2 : 1;
  }
}

async function run([command, ...rest]: readonly string[]): Promise<void> {
  const asksForHelp = rest.includes('--help') || rest.includes('-h');
  switch (command) {
    case 'site':
      return asksForHelp ? print(SITE_HELP) : await site(rest);
    case 'build':
      return asksForHelp ? print(BUILD_HELP) : await build(rest);
    case 'model':
      return asksForHelp ? print(MODEL_HELP) : await model(rest);
    case 'chunk':
      return asksForHelp ? print(CHUNK_HELP) : await chunk(rest);
    case 'search':
      return asksForHelp ? print(SEARCH_HELP) : await search(rest);
    case 'copy':
      return asksForHelp ? print(COPY_HELP) : await copy(rest);
    case 'inspect':
      return asksForHelp ? print(INSPECT_HELP) : await inspect(rest);
    case 'serve':
      return asksForHelp ? print(SERVE_HELP) : await serve(rest);
    case '-V':
    case '--version':
      return print(`ibid ${await version()}\n`);
    case '-h':
    case '--help':
    case 'help':
      return print(HELP);
    case undefined:
      throw new UsageError('no command was given', '');
    default:
      throw new UsageError(`unrecognized command '${command}'`, '');
  }
}

async function version(): Promise<string> {
  return JSON.parse(await readFile(new URL('../../package.json', import.meta.url), 'utf8')).version;
}
