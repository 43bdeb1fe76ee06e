import { createHash } from 'node:crypto';
import { readFile, stat } from 'node:fs/promises';
import type { Server } from 'node:http';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { IbidError } from '../error.js';
import { DEFAULT_INDEX } from './index-files.js';
import { withIndex } from './open-index.js';
import { listen, type Place } from './static-server.js';
import { note, parsed, print, UsageError } from './terminal.js';

export const SERVE_HELP = `Serves an index with a page that searches it, or a folder that has a page of its own.

Usage: ibid serve [OPTIONS] [INDEX|FOLDER]

Arguments:
  [INDEX|FOLDER]  An index, a file or a folder of parts, or a folder with an \`index.html\` [default: ${DEFAULT_INDEX}]

Options:
      --port <N>  The port on 127.0.0.1; 0 lets the system choose [default: 8000, or the next free one]
  -h, --help      Print help

Example: npx ibid serve
`;

const PORT = 8000;
/** The ports that are tried where none is named. */
const TRIES = 20;

/** The package, above the folder of this module. */
const PACKAGE = fileURLToPath(new URL('../../', import.meta.url));

/** An offer: where its files are, with which headers they go, and a line about it. */
interface Offer {
  where: string | Place;
  headers?: Record<string, string>;
  line: string;
}

/** `ibid serve`, which ends with Ctrl-C. */
export async function serve(args: readonly string[]): Promise<void> {
  const options = { port: { type: 'string' } } as const;
  const { values, positionals } = parsed({ args: [...args], options, allowPositionals: true }, 'serve ');
  if (positionals.length > 1) throw new UsageError('at most one index or folder is served', 'serve ');
  const port = portOf(values.port);
  const { where, headers, line } = await offerOf(positionals[0]);
  const { server, url } = await listen(where, port ?? PORT, port === undefined ? TRIES : 1, headers).catch((error) => {
    throw refused(error, port ?? PORT);
  });
  const moved = port === undefined && !url.endsWith(`:${PORT}/`) ? `, since port ${PORT} is taken` : '';
  note(`${line}${moved}; Ctrl-C ends it`);
  print(`${url}\n`);
  await ended(server);
}

function portOf(text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  if (/^\d{1,5}$/.test(text) && Number(text) < 65536) return Number(text);
  throw new UsageError('`--port` takes a number from 0 to 65535', 'serve ');
}

function refused(error: NodeJS.ErrnoException, port: number): IbidError {
  const why = error.code === 'EADDRINUSE' ? 'something else uses it' : error.message;
  return new IbidError('io', `Port ${port} of 127.0.0.1 cannot be used: ${why}.`, {
    hint: 'End what uses it, or name another one: `--port 0` takes any that is free.',
    cause: error,
  });
}

async function offerOf(named: string | undefined): Promise<Offer> {
  const path = named ?? DEFAULT_INDEX;
  const isFile = async (name: string) => (await stat(name).catch(() => undefined))?.isFile() ?? false;
  const isFolder = (await stat(path).catch(() => undefined))?.isDirectory() ?? false;
  if (isFolder && (await isFile(join(path, 'index.html')))) return { where: path, line: `serving the folder ${path}` };
  if (isFolder && !(await isFile(join(path, 'head')))) {
    throw new IbidError('io', `\`${path}\` has no \`index.html\`, and is no index.`, {
      hint: `Build an index of its documents with \`npx ibid build ${path}\`, then \`npx ibid serve\`.`,
    });
  }
  // An index that cannot be searched is told here, and not on the page alone.
  const line = await withIndex(path, async ({ info: { documents, chunks } }) => {
    return `serving ${path}, ${documents} documents, ${chunks} chunks`;
  });
  return { where: pagePlace(path), headers: await pageHeaders(), line };
}

/** Returns where the files are that the page consists of: its own, the package's, and the index. */
function pagePlace(index: string): Place {
  return (path) => {
    if (path === '/') return join(PACKAGE, 'page/index.html');
    if (path.startsWith('/ibid/')) return join(PACKAGE, 'dist', path.slice('/ibid'.length));
    return /^\/site\.ibid(\/|$)/.test(path) ? join(index, path.slice('/site.ibid'.length)) : undefined;
  };
}

/** Returns the policy that lets the page run its own code and read its own files, and nothing else. */
async function pageHeaders(): Promise<Record<string, string>> {
  const page = await readFile(join(PACKAGE, 'page/index.html'), 'utf8');
  const [, style = ''] = /<style>(.*?)<\/style>/s.exec(page) ?? [];
  const policy = [
    "default-src 'none'",
    "script-src 'self' 'wasm-unsafe-eval'",
    `style-src 'sha256-${createHash('sha256').update(style).digest('base64')}'`,
    "connect-src 'self'",
    'img-src data:',
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
    "require-trusted-types-for 'script'",
    "trusted-types 'none'",
  ];
  return {
    'content-security-policy': policy.join('; '),
    'referrer-policy': 'no-referrer',
    'x-content-type-options': 'nosniff',
  };
}

/** Waits until the user has had enough. */
async function ended(server: Server): Promise<void> {
  await new Promise<void>((resolve) => {
    for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => resolve());
  });
  server.close();
  server.closeAllConnections();
}
