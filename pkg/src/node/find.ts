import { readdir, realpath, stat } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import type { NodeModule } from '../engine.js';
import { failed, read } from './files.js';
import { type Ignored, ignoredAbove, ignoredIn, isIgnored } from './ignored.js';

/** The way the names of documents end, in lower case, where a folder is searched. */
const ENDINGS = [
  'md',
  'mdx',
  'qmd',
  'markdown',
  'rst',
  'ipynb',
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

/** The endings of the name of a file with metadata, behind the whole name of its document. */
const SIDECAR_ENDINGS = ['.meta.yaml', '.meta.yml', '.meta.toml', '.meta.json'];

/** A file that is a document: the name that it goes by, and where it is read. */
export interface DocumentFile {
  name: string;
  path: string;
}

/** The file with metadata next to a document, if there is one. */
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

/** The result of {@link find}. */
interface Found {
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
 * a document. Hidden files, `node_modules`, and what `.ibidignore`, `.ignore` or `.gitignore` name are passed over; links
 * are not followed.
 */
export async function find(
  paths: readonly string[],
  { besidePages, sourceNames, notRead }: NodeModule,
): Promise<Found> {
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
  const places = all.map(({ place }) => place);
  const names = sourceNames(folders, places);
  const beside = besidePages(folders, places);
  for (const { place } of all.filter((_, at) => beside[at] === 1)) others.set(place, basename(place));
  const named = all.map(({ path }, at) => ({ name: names[at] ?? path, path }));
  const documents = named.filter((_, at) => beside[at] !== 1);
  documents.sort((one, other) => Buffer.compare(Buffer.from(one.name), Buffer.from(other.name)));
  return { documents, notRead: notRead([...others.values()]) };
}

/** The shortest of the places that a file is in counts, then the first by name; likewise of the paths. */
function isBefore(one: Way, other: Way): boolean {
  for (const part of ['place', 'path'] as const) {
    const [a, b] = [Buffer.from(one[part]), Buffer.from(other[part])];
    const order = a.length - b.length || Buffer.compare(a, b);
    if (order !== 0) return order < 0;
  }
  return false;
}

/** The place of a file or folder, by its own name even if that is a link's. */
async function placeOf(path: string): Promise<string> {
  const name = basename(path);
  const isName = name !== '' && name !== '.' && name !== '..';
  const place = isName ? join(await realpath(dirname(path)), name) : await realpath(path);
  return place.replaceAll('\\', '/');
}

/** All files below a folder. */
async function below({ path, place }: Way): Promise<Way[]> {
  const found: Way[] = [];
  const root = place === '/' ? '' : place;
  const folders: (Way & { above: Ignored })[] = [{ path, place: root, above: await ignoredAbove(root) }];
  for (let folder = folders.pop(); folder !== undefined; folder = folders.pop()) {
    const { path, place, above } = folder;
    const entries = await readdir(path, { withFileTypes: true }).catch((error) => {
      throw failed('searched', path, error);
    });
    const ignored = await ignoredIn(place, above);
    for (const entry of entries) {
      if (entry.name.startsWith('.') || PASSED_OVER.has(entry.name)) continue;
      const way = { path: join(path, entry.name), place: `${place}/${entry.name}` };
      if (isIgnored(ignored, way.place, entry.isDirectory())) continue;
      if (entry.isDirectory()) folders.push({ ...way, above: ignored });
      else if (entry.isFile()) found.push(way);
    }
  }
  return found;
}

function isDocument(name: string): boolean {
  const lower = name.toLowerCase();
  return ENDINGS.some((ending) => lower.endsWith(`.${ending}`));
}
