import { cp, mkdir, readdir, readFile, rm, stat } from 'node:fs/promises';
import { dirname, join, relative, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';
import { IbidError } from '../error.js';
import { FAMILIES } from './families.js';
import { withIndex } from './open-index.js';
import { note, parsed, print, UsageError } from './terminal.js';

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
/** Files that only some indexes need: the query table of their model, and the stemmer of their language. */
const OF_INDEX = /^(?:.*-table\.bin|wasm\/stem_.*)$/;
/** Parts with which a page opens or makes other indexes than those that lie next to it. */
const OPEN: Part[] = ['add', 'engines'];
/** Files that no page asks for. */
const NEVER = /\.(?:map|d\.ts)$/;

export const COPY_HELP = `Copies the files that a page needs of this package into a folder of a site, and prints their sizes. Of
query tables and stemmers it copies those that the indexes (*.ibid) next to the folder need, and all where there is none.

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

/**
 * Copies the files of parts of the package, and returns a line on each. What no index next to the folder needs is not copied,
 * and removed where an earlier copy has left it.
 */
export async function copyParts(parts: readonly Part[], folder: string): Promise<string[]> {
  const files = await packageFiles();
  const needed = parts.some((part) => OPEN.includes(part)) ? undefined : await neededNextTo(folder);
  const isNeeded = (file: string) => needed === undefined || !OF_INDEX.test(file) || needed.has(file);
  const rows: string[] = [];
  for (const part of parts) {
    const all = files.filter((file) => PARTS[part].test(file));
    for (const file of all.filter((file) => !isNeeded(file))) await rm(join(folder, file), { force: true });
    const chosen = all.filter(isNeeded);
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

/**
 * The files for the indexes in the folder that this one lies in, and below. Nothing where there is no index, or one that
 * may need any of them.
 */
async function neededNextTo(folder: string): Promise<Set<string> | undefined> {
  const needed = new Set<string>();
  for (const index of await indexesIn(dirname(resolve(folder)))) {
    const info = await withIndex(index, async (ibid) => ibid.info).catch(() => undefined);
    const family = Object.values(FAMILIES).find(({ name }) => info?.model.startsWith(`${name}/`));
    if (info === undefined || family === undefined) {
      note(
        `note: all query tables and stemmers are copied, since \`${relative('', index)}\` does not tell which it needs`,
      );
      return undefined;
    }
    needed.add(family.table).add(`wasm/stem_${info.language}_bg.wasm`);
  }
  return needed.size > 0 ? needed : undefined;
}

/** The indexes in a folder and below, files and folders of parts. */
async function indexesIn(folder: string): Promise<string[]> {
  const entries = await readdir(folder, { withFileTypes: true }).catch(() => []);
  const found: string[] = [];
  for (const entry of entries) {
    const path = join(folder, entry.name);
    if (/^\.|^node_modules$/.test(entry.name)) continue;
    if (/\.ibid$/.test(entry.name)) found.push(path);
    else if (entry.isDirectory()) found.push(...(await indexesIn(path)));
  }
  return found.sort();
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
