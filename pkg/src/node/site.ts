import { existsSync } from 'node:fs';
import { readdir, readFile, realpath, stat } from 'node:fs/promises';
import { dirname, join, relative, sep } from 'node:path';
import type { NodeModule } from '../engine.js';
import type { DocumentPage } from '../types.js';

/** The folders above and below one that a configuration is looked for in. */
const ABOVE = 3;
const BELOW = 2;

/** The site that documents belong to. */
export interface Site {
  /** A description of it, for a person; nothing where only an address was given. */
  line: string | undefined;
  /** The page of a document, by the path that it is read by. */
  pageOf(path: string): Promise<DocumentPage | undefined>;
}

/** A generator's configuration: its path, and the folder of the content. */
interface Configuration {
  generator: string;
  path: string;
  content: string;
}

/** Looks for the site of documents at the given paths. What options give is stronger than what is found. */
export async function findSite(
  paths: readonly string[],
  options: { site: string | undefined; baseUrl: string | undefined },
  files: NodeModule,
): Promise<Site | undefined> {
  const { site, baseUrl } = options;
  if (site === 'none') return undefined;
  const folders = await Promise.all(paths.map(folderOf));
  const named = folders[0];
  if (named === undefined) return undefined;
  const known = rows(files.siteConfigurations()).filter(({ generator }) => (site ?? generator) === generator);
  let found: Configuration | undefined;
  for (const folder of folders) found ??= await near(folder, known);
  const generator = found?.generator ?? site;
  const text = found && (await readFile(found.path, 'utf8').catch(() => undefined));
  const line = files.siteLine(generator ?? '', text ?? '', baseUrl ?? '');
  const content = found?.content ?? named;
  const by = found === undefined ? '' : ` (${relative('', found.path)})`;
  return {
    line: line && `${line}${by}`,
    async pageOf(path) {
      const isPage = /\.x?html?$/i.test(path);
      const below = relative(isPage ? named : content, await realpath(path));
      if (below.startsWith('..')) return undefined;
      const own = below.split(sep).join('/');
      const page = generator === 'hugo' && !isPage ? await bundleOf(content, own) : own;
      if (page === undefined) return undefined;
      return {
        path: page,
        ...(generator !== undefined && { site: generator }),
        ...(text !== undefined && { configuration: text }),
        ...(baseUrl !== undefined && { baseUrl }),
      };
    },
  };
}

/**
 * The file that makes the page on which a file's text is, nothing where there is none: by Hugo the `index.md` in its
 * folder or in one above it, or the `_index.md` that says of all below it that no pages are made of them.
 */
async function bundleOf(content: string, path: string): Promise<string | undefined> {
  const folders = path.split('/').slice(0, -1);
  for (const at of folders.keys()) {
    const folder = folders.slice(0, at + 1).join('/');
    if (existsSync(join(content, folder, 'index.md'))) return `${folder}/index.md`;
    const above = await readFile(join(content, folder, '_index.md'), 'utf8').catch(() => '');
    const [own = '', below = ''] = above.split(/cascade([\s\S]*)/, 2);
    if (/^\s*render\s*[:=]\s*["']?never/m.test(below.split('\n---')[0] ?? '')) {
      return /^\s*render\s*[:=]\s*["']?always/m.test(own) ? `${folder}/_index.md` : undefined;
    }
  }
  return path;
}

function rows(table: readonly string[]): { start: string; generator: string; content: string }[] {
  return Array.from({ length: table.length / 3 }, (_, at) => {
    const [start = '', generator = '', content = ''] = table.slice(3 * at, 3 * at + 3);
    return { start, generator, content };
  });
}

type Known = ReturnType<typeof rows>;

/** The folder that a path is or stands in, without links. */
async function folderOf(path: string): Promise<string> {
  const real = await realpath(path);
  return (await stat(real)).isDirectory() ? real : dirname(real);
}

/** The configuration that stands in a folder, in one above it, or in one below. */
async function near(folder: string, known: Known): Promise<Configuration | undefined> {
  let above = folder;
  for (let step = 0; step <= ABOVE; step += 1) {
    const found = await at(above, known);
    if (found !== undefined) return found;
    // Folders above a repository belong to somebody else.
    if (existsSync(join(above, '.git'))) break;
    above = dirname(above);
  }
  let level = [folder];
  for (let step = 0; step < BELOW; step += 1) {
    level = (await Promise.all(level.map(foldersIn))).flat();
    for (const below of level) {
      const found = await at(below, known);
      if (found !== undefined) return found;
    }
  }
  return undefined;
}

async function foldersIn(folder: string): Promise<string[]> {
  const entries = await readdir(folder, { withFileTypes: true }).catch(() => []);
  const folders = entries.filter((entry) => entry.isDirectory() && !/^\.|^node_modules$/.test(entry.name));
  return folders.map(({ name }) => join(folder, name)).sort();
}

async function at(folder: string, known: Known): Promise<Configuration | undefined> {
  for (const { start, generator, content } of known) {
    const below = join(folder, content);
    const place = join(folder, dirname(start));
    const begins = start.split('/').at(-1) ?? start;
    const isFolder = await stat(below).then(
      (there) => there.isDirectory(),
      () => false,
    );
    const entries = isFolder ? await readdir(place, { withFileTypes: true }).catch(() => []) : [];
    const [name] = entries
      .filter((entry) => entry.isFile() && entry.name.startsWith(begins))
      .map((entry) => entry.name)
      .sort();
    if (name !== undefined) return { generator, path: join(place, name), content: below };
  }
  return undefined;
}
