import { rmSync } from 'node:fs';
import { mkdir, open, readdir, readFile, realpath, rename, stat, writeFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { IbidError } from '../error.js';

/** How the names of documents end, in lower case, where a folder is searched. */
const ENDINGS = [
  'md',
  'markdown',
  'html',
  'htm',
  'xhtml',
  'xml',
  'nxml',
  'txt',
  'text',
  'jsonl',
  'ndjson',
  'tar.gz',
  'tgz',
];
/** Endings like those of documents, but no documents: what is meant for programs. */
const PASSED_OVER = new Set(['robots.txt', 'node_modules']);

/** A failed call of the system's, in words. */
export function failed(what: string, path: string, error: unknown): IbidError {
  const { code, message } = error as NodeJS.ErrnoException;
  const why = REASONS.get(code ?? '') ?? message.replace(/^[A-Z]+: ([^,]*).*$/s, '$1');
  return new IbidError('io', `\`${path}\` cannot be ${what}: ${why}.`, { cause: error });
}

const REASONS = new Map([
  ['ENOENT', 'there is no such file or folder'],
  ['EACCES', 'permission denied'],
  ['EISDIR', 'it is a folder'],
  ['ENOTDIR', 'a part of its path is no folder'],
  ['ENOSPC', 'there is no space left on the disk'],
]);

export async function read(path: string): Promise<Uint8Array> {
  return await readFile(path).catch((error) => {
    throw failed('read', path, error);
  });
}

/** What the name of a file with metadata ends in, behind the whole name of its document. */
const SIDECAR_ENDINGS = ['.meta.yaml', '.meta.yml', '.meta.toml', '.meta.json'];

/** The file with metadata beside a document, if there is one. */
export async function sidecar(path: string): Promise<{ name: string; content: string } | undefined> {
  for (const ending of SIDECAR_ENDINGS) {
    const there = await stat(path + ending).catch(() => undefined);
    if (there?.isFile()) {
      const content = new TextDecoder().decode(await read(path + ending));
      return { name: sourceName(path + ending), content };
    }
  }
  return undefined;
}

/** A path as documents are named by it: with `/` between folders and no `./` in front. */
export function sourceName(path: string): string {
  return path.replaceAll('\\', '/').replace(/^\.\//, '');
}

/**
 * The documents at the given paths, sorted by name: a file as it is, a folder with all in it that ends like a document.
 * Hidden files and `node_modules` are passed over; links are not followed.
 */
export async function documents(paths: readonly string[]): Promise<string[]> {
  const found = new Map<string, string>();
  const keep = (path: string) => found.set(sourceName(path), path);
  for (const path of paths) {
    const there = await stat(path).catch((error) => {
      throw failed('read', path, error);
    });
    if (!there.isDirectory()) keep(path);
    else for (const file of await below(path)) keep(file);
  }
  return [...found].sort(([a], [b]) => Buffer.compare(Buffer.from(a), Buffer.from(b))).map(([, path]) => path);
}

async function below(root: string): Promise<string[]> {
  const found: string[] = [];
  const folders = [root];
  for (let folder = folders.pop(); folder !== undefined; folder = folders.pop()) {
    const path = folder;
    const entries = await readdir(path, { withFileTypes: true }).catch((error) => {
      throw failed('searched', path, error);
    });
    for (const entry of entries) {
      if (entry.name.startsWith('.') || PASSED_OVER.has(entry.name)) continue;
      if (entry.isDirectory()) folders.push(join(folder, entry.name));
      else if (entry.isFile() && isDocument(entry.name)) found.push(join(folder, entry.name));
    }
  }
  return found;
}

function isDocument(name: string): boolean {
  const lower = name.toLowerCase();
  return ENDINGS.some((ending) => lower.endsWith(`.${ending}`));
}

/**
 * Writes a file whole or not at all: beside its place first, then renamed into it, so that an index in use stays intact
 * when the disk is full or the command is interrupted. What is no file, such as `/dev/stdout`, is written to as it is.
 */
export async function writeWhole(path: string, bytes: Uint8Array): Promise<void> {
  try {
    const old = await stat(path).catch(() => undefined);
    if (old?.isDirectory()) throw Object.assign(new Error(), { code: 'EISDIR' });
    if (old !== undefined && !old.isFile()) {
      await writeFile(path, bytes);
      return;
    }
    const place = old === undefined ? path : await realpath(path);
    await mkdir(dirname(place), { recursive: true });
    await replace(place, bytes, old?.mode);
  } catch (error) {
    throw failed('written', path, error);
  }
}

/** How files in the making end. The Rust command has an ending of its own, since it tells by locks which ones are abandoned. */
const IN_THE_MAKING = '.node.tmp';

async function replace(place: string, bytes: Uint8Array, mode: number | undefined): Promise<void> {
  await removeAbandoned(place);
  const beside = join(dirname(place), `${basename(place)}.${process.pid}${IN_THE_MAKING}`);
  const remove = () => rmSync(beside, { force: true });
  const onSignal = (signal: NodeJS.Signals) => {
    remove();
    // Without this listener the signal does what it always does.
    process.kill(process.pid, signal);
  };
  const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;
  // One that is there was left by a process that had the same number and was killed.
  remove();
  for (const signal of signals) process.once(signal, onSignal);
  try {
    // A new file only: what somebody else puts there meanwhile, a link say, is not written through.
    const file = await open(beside, 'wx', mode ?? 0o666);
    try {
      await file.writeFile(bytes);
      if (mode !== undefined) await file.chmod(mode & 0o7777);
      await file.sync();
    } finally {
      await file.close();
    }
    await rename(beside, place);
  } catch (error) {
    remove();
    throw error;
  } finally {
    for (const signal of signals) process.removeListener(signal, onSignal);
  }
}

/** Removes what killed processes have left of this file in the making. */
async function removeAbandoned(place: string): Promise<void> {
  const start = `${basename(place)}.`;
  for (const entry of await readdir(dirname(place), { withFileTypes: true })) {
    if (!entry.isFile() || !entry.name.startsWith(start) || !entry.name.endsWith(IN_THE_MAKING)) continue;
    const number = entry.name.slice(start.length, -IN_THE_MAKING.length);
    if (/^\d+$/.test(number) && !isLiving(Number(number))) rmSync(join(dirname(place), entry.name), { force: true });
  }
}

function isLiving(pid: number): boolean {
  try {
    // This sends nothing; it only finds out.
    return process.kill(pid, 0);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code !== 'ESRCH';
  }
}
