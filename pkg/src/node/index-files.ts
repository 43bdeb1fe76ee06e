import { readdir, readFile, rename, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { NodeModule } from '../engine.js';
import { partsOf } from '../folder/remote-folder.js';
import { failed, writeWhole } from './files.js';

/** The index that `ibid build` writes and `ibid serve` serves where none is named. */
export const DEFAULT_INDEX = 'site.ibid';

/** From this size on, an index is written as a folder: static hosts limit files to 25 MB. */
const LARGEST_FILE = 16 << 20;
/** The length of its parts: a host that gives no ranges sends whole ones. */
const PART_BYTES = 1 << 20;

/**
 * Writes an index: as a file, or, above 16 MiB and where a folder is already, as a folder; then returns the number of its
 * parts. Parts are written first and the head last, so that the old index stays whole until the new one is. Parts that only
 * the old head names stay until the next time, for pages that are open on it.
 */
export async function writeIndex(
  path: string,
  index: Uint8Array,
  { cutIndex }: NodeModule,
  largestFile = LARGEST_FILE,
): Promise<number | undefined> {
  const old = await stat(path).catch(() => undefined);
  const head = old?.isDirectory() ? await readFile(join(path, 'head')).catch(() => undefined) : undefined;
  const isSpecial = old !== undefined && !old.isFile() && !old.isDirectory();
  // A folder that is no index is none to write into: as a file it is refused.
  const isFolder = head !== undefined || (index.length > largestFile && !isSpecial && !old?.isDirectory());
  if (!isFolder) {
    await writeWhole(path, index);
    return undefined;
  }
  // A file cannot become a folder at once; until it has, the new one has another name.
  const making = old?.isFile() ? `${path}.${process.pid}.tmp` : path;
  const kept = new Set(head === undefined ? [] : (partsOf(head) ?? []).map(({ name }) => name));
  const [first, ...parts] = cutIndex(index, PART_BYTES);
  for (const { name, bytes } of parts) {
    const there = await stat(join(making, name)).catch(() => undefined);
    if (there?.size !== bytes.length) await writeWhole(join(making, name), bytes);
    kept.add(name);
  }
  if (first !== undefined) await writeWhole(join(making, first.name), first.bytes);
  try {
    if (making !== path) {
      await rm(path);
      await rename(making, path);
    }
    const isPart = /^[0-9a-f]{16}\.part$/;
    for (const name of await readdir(path)) {
      if (isPart.test(name) && !kept.has(name)) await rm(join(path, name), { force: true });
    }
  } catch (error) {
    throw failed('written', path, error);
  }
  return parts.length;
}
