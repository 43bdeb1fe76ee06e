import { readFile } from 'node:fs/promises';
import ignore, { type Ignore } from 'ignore';

/** The files that name what is passed over, the strongest first. */
const FILES = ['.ibidignore', '.ignore', '.gitignore'];

/** The word of such a file on all below its folder. */
interface Rules {
  folder: string;
  /** The place of its name among {@link FILES}. */
  rank: number;
  says: Ignore;
}

/** The rules that hold in a folder, in the order in which they are asked. */
export type Ignored = readonly Rules[];

/** The rules of the folders above one that was named. A file that passes over all in there has no say: the folder is meant. */
export async function ignoredAbove(place: string): Promise<Ignored> {
  const names = place.split('/');
  let ignored: Ignored = [];
  for (const at of names.keys()) if (at > 0) ignored = await ignoredIn(names.slice(0, at).join('/'), ignored);
  return ignored.filter((rules) => !test(rules, `${place}/any`).ignored);
}

/** The rules in a folder: its own, then those of the folders above. */
export async function ignoredIn(folder: string, above: Ignored): Promise<Ignored> {
  const own: Rules[] = [];
  for (const [rank, name] of FILES.entries()) {
    const text = await readFile(`${folder}/${name}`, 'utf8').catch(() => undefined);
    if (text !== undefined) own.push({ folder, rank, says: ignore({ ignoreCase: false }).add(text) });
  }
  // To a file that passes over this folder, all in it is ignored; a stronger one has taken the folder in.
  const others = above.filter((rules) => !test(rules, `${folder}/`).ignored);
  return [...own, ...others].sort((one, other) => one.rank - other.rank);
}

/** Returns true if a file, or a folder, is passed over. */
export function isIgnored(ignored: Ignored, place: string, isFolder: boolean): boolean {
  for (const rules of ignored) {
    const result = test(rules, isFolder ? `${place}/` : place);
    if (result.ignored || result.unignored) return result.ignored;
  }
  return false;
}

function test({ folder, says }: Rules, place: string) {
  return says.test(place.slice(folder.length + 1));
}
