import { rmSync } from 'node:fs';
import { mkdir, open, readdir, readFile, realpath, rename, stat, writeFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { builderModule } from '../build/module.js';
import { IbidError } from '../error.js';

/** How the names of documents end, in lower case, where a folder is searched. */
const ENDINGS = [
  'md',
  'mdx',
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

/** A file that is a document: the name that it goes by, and where it is read. */
export interface DocumentFile {
  name: string;
  path: string;
}

/** The file with metadata beside a document, if there is one. */
export async function sidecar({ name, path }: DocumentFile): Promise<{ name: string; content: string } | undefined> {
  for (const ending of SIDECAR_ENDINGS) {
    const there = await stat(path + ending).catch(() => undefined);
    if (there?.isFile()) {
      const content = new TextDecoder().decode(await read(path + ending));
      return { name: name + ending, content };
    }
  }
  return undefined;
}

/** What {@link find} finds. */
export interface Found {
  /** Each document once, however many ways lead to it, sorted by name. */
  documents: DocumentFile[];
  /** The kinds of other files that the folders hold, in words for a person. */
  notRead: string | undefined;
}

/** A file by its path, and by its place: where it is, in full and with `/` between names. */
interface Way {
  path: string;
  place: string;
}

/**
 * The documents at the given paths, by the names that they go by: a file as it is, a folder with all in it that ends like
 * a document. Hidden files and `node_modules` are passed over; links are not followed.
 */
export async function find(paths: readonly string[], wasm: Uint8Array): Promise<Found> {
  const { sourceNames, notRead } = await builderModule.get(wasm);
  const folders: string[] = [];
  const ways = new Map<string, Way>();
  const others = new Map<string, string>();
  const keep = async (way: Way) => {
    const real = await realpath(way.path);
    const known = ways.get(real);
    if (known === undefined || isBefore(way, known)) ways.set(real, way);
  };
  for (const path of paths) {
    const there = await stat(path).catch((error) => {
      throw failed('read', path, error);
    });
    const place = await placeOf(path);
    if (!there.isDirectory()) {
      await keep({ path, place });
      continue;
    }
    folders.push(place);
    for (const way of await below({ path, place })) {
      const name = basename(way.path);
      if (isDocument(name)) await keep(way);
      else others.set(way.place, name);
    }
  }
  const all = [...ways.values()];
  const names = sourceNames(
    folders,
    all.map(({ place }) => place),
  );
  const documents = all.map(({ path }, at) => ({ name: names[at] ?? path, path }));
  documents.sort((one, other) => Buffer.compare(Buffer.from(one.name), Buffer.from(other.name)));
  return { documents, notRead: notRead([...others.values()]) };
}

/** Of the places that a file is in, the shortest and then the first by name counts, and so of the paths. */
function isBefore(one: Way, other: Way): boolean {
  for (const part of ['place', 'path'] as const) {
    const [a, b] = [Buffer.from(one[part]), Buffer.from(other[part])];
    const order = a.length - b.length || Buffer.compare(a, b);
    if (order !== 0) return order < 0;
  }
  return false;
}

/** Where a file or folder is, by its own name even if that is a link's. */
async function placeOf(path: string): Promise<string> {
  const name = basename(path);
  const isName = name !== '' && name !== '.' && name !== '..';
  const place = isName ? join(await realpath(dirname(path)), name) : await realpath(path);
  return place.replaceAll('\\', '/');
}

/** All files below a folder. */
async function below(root: Way): Promise<Way[]> {
  const found: Way[] = [];
  const folders = [root];
  for (let folder = folders.pop(); folder !== undefined; folder = folders.pop()) {
    const { path, place } = folder;
    const entries = await readdir(path, { withFileTypes: true }).catch((error) => {
      throw failed('searched', path, error);
    });
    for (const entry of entries) {
      if (entry.name.startsWith('.') || PASSED_OVER.has(entry.name)) continue;
      const way = { path: join(path, entry.name), place: `${place === '/' ? '' : place}/${entry.name}` };
      if (entry.isDirectory()) folders.push(way);
      else if (entry.isFile()) found.push(way);
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
