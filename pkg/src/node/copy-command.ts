import { cp, mkdir, readdir, readFile, stat } from 'node:fs/promises';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';
import { IbidError } from '../error.js';
import { parsed, print, UsageError } from './terminal.js';

/** The parts that a page may use, with the files of the built package that it takes. */
const PARTS = {
  search:
    /^(?:index\.js|(?:folder|persist|encoder|storage)\/.*\.js|(?:query|multilingual)-table\.bin|wasm\/(?:ibid(?:_bg|_rest)?|stem_\w+)\.\w+)$/,
  ui: /^(?:ui\/.*|mcp\/offer)\.js$/,
  ask: /^(?:(?:ask|render)\/.*\.js|wasm\/(?:ibid_ask(?:_bg|_rest)?|\w+_rules)\.\w+)$/,
  add: /^(?:worker\.js|build\/.*\.js|wasm\/ibid_build(?:_bg)?\.\w+)$/,
  engines: /^(?:engines\/.*\.js|wasm\/ibid_engines(?:_bg)?\.\w+)$/,
  transformer: /^(?:multilingual-)?projection\.bin$/,
  adapters: /^(?:ai-sdk|audit|langchain|llm|mcp|remote)\/.*\.js$/,
};
type Part = keyof typeof PARTS;
const DEFAULT: Part[] = ['search', 'ui', 'ask'];
/** The licences, which go wherever the files go. */
const ALWAYS = /^(?:LICENSE.*|NOTICE)$/;
/** Files that no page asks for. */
const NEVER = /\.(?:map|d\.ts)$/;

export const COPY_HELP = `Copies the files that a page needs of this package into a folder of a site, and prints their sizes.

Usage: ibid copy [OPTIONS] <FOLDER>

Arguments:
  <FOLDER>  The folder, such as public/ibid; it is made if it is not there

Options:
      --for <PARTS>  What the page uses, separated by commas: ${Object.keys(PARTS).join(', ')}
                     [default: ${DEFAULT.join(',')}]
  -h, --help         Print help

Example: npx ibid copy public/ibid
`;

/** The built package. */
const DIST = fileURLToPath(new URL('../', import.meta.url));

/** `ibid copy`. */
export async function copy(args: readonly string[]): Promise<void> {
  const options = { for: { type: 'string', default: DEFAULT.join(',') } } as const;
  const { values, positionals } = parsed({ args: [...args], options, allowPositionals: true }, 'copy ');
  const [folder, ...more] = positionals;
  if (folder === undefined || more.length > 0) throw new UsageError('exactly one `<FOLDER>` is needed', 'copy ');
  const parts = values.for.split(',').map((name) => name.trim());
  const unknown = parts.find((name) => !(name in PARTS));
  if (unknown !== undefined) throw new UsageError(`there is no part \`${unknown}\``, 'copy ');
  print(`${[row('part', 'files', 'KB', 'KB gzip'), ...(await copyParts(parts as Part[], folder))].join('\n')}\n`);
}

/** Copies the files of parts of the package, and returns a line on each. */
export async function copyParts(parts: readonly Part[], folder: string): Promise<string[]> {
  const files = await packageFiles();
  const rows: string[] = [];
  for (const part of parts) {
    const chosen = files.filter((file) => PARTS[part].test(file));
    let [bytes, gzip] = [0, 0];
    for (const file of chosen) {
      const content = await readFile(join(DIST, file));
      bytes += content.length;
      gzip += gzipSync(content).length;
      await copyFile(file, folder);
    }
    rows.push(row(part, String(chosen.length), kilobytes(bytes), kilobytes(gzip)));
  }
  for (const file of files.filter((file) => ALWAYS.test(file))) await copyFile(file, folder);
  return rows;
}

async function copyFile(file: string, folder: string): Promise<void> {
  const to = join(folder, file);
  try {
    await mkdir(dirname(to), { recursive: true });
    await cp(join(DIST, file), to);
  } catch (error) {
    throw new IbidError('io', `\`${to}\` cannot be written: ${(error as Error).message}.`, { cause: error });
  }
}

/** The files of the package, with `/` between folders. */
async function packageFiles(): Promise<string[]> {
  const files: string[] = [];
  for (const entry of await readdir(DIST, { recursive: true, withFileTypes: true })) {
    const path = join(entry.parentPath, entry.name);
    if ((await stat(path)).isFile() && !NEVER.test(path)) files.push(relative(DIST, path).replaceAll('\\', '/'));
  }
  return files.sort();
}

function row(part: string, files: string, bytes: string, gzip: string): string {
  return `${part.padEnd(12)} ${files.padStart(6)} ${bytes.padStart(9)} ${gzip.padStart(9)}`;
}

function kilobytes(bytes: number): string {
  return (bytes / 1000).toFixed(0);
}
