import assert from 'node:assert/strict';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { test } from 'node:test';
import type { NodeModule } from '../engine.js';
import { find } from './find.js';

/** The part of the module that names documents: here by the end of their paths. */
const NAMES = {
  sourceNames: ([folder]: string[], places: string[]) =>
    places.map((place) => place.slice(folder === undefined ? place.lastIndexOf('/') + 1 : folder.length + 1)),
  besidePages: (_: string[], places: string[]) => new Uint8Array(places.length),
  notRead: (names: string[]) => names.join(' '),
} as unknown as NodeModule;

/** What is found at a path of a folder with these files. */
async function found(files: Record<string, string>, path: string) {
  const folder = await mkdtemp(join(tmpdir(), 'ibid-find-'));
  try {
    for (const [name, text] of Object.entries(files)) {
      await mkdir(dirname(join(folder, name)), { recursive: true });
      await writeFile(join(folder, name), text);
    }
    const { documents, notRead } = await find([join(folder, path)], NAMES);
    return { names: documents.map(({ name }) => name).join(' '), notRead };
  } finally {
    await rm(folder, { recursive: true });
  }
}

test('files that an ignore file names are passed over, in folders below too', async () => {
  const files = {
    '.ibidignore': '/only-here.md\ndrafts/\n',
    '.gitignore': 'made.md\n*.png\n',
    '.ignore': 'notes.txt\n',
    ...{ 'a.md': '', 'only-here.md': '', 'notes.txt': '', 'p.png': '', 'q.svg': '', 'A.MD': '', 'made.MD': '' },
    ...{ 'deep/only-here.md': '', 'deep/made.md': '', 'drafts/b.md': '', 'deep/drafts/c.md': '' },
  };
  assert.deepEqual(await found(files, ''), { names: 'A.MD a.md deep/only-here.md made.MD', notRead: 'q.svg' });
});

test('a file is taken in again by a deeper ignore file, and by `.ibidignore`', async () => {
  const files = {
    '.gitignore': 'api/\n*.txt\n',
    '.ibidignore': '!api/\n',
    'deep/.gitignore': '!kept.txt\n',
    ...{ 'api/a.md': '', 'deep/kept.txt': '', 'deep/other.txt': '', 'kept.txt': '' },
  };
  assert.equal((await found(files, '')).names, 'api/a.md deep/kept.txt');
});

test('an ignore file above a folder holds in it, unless it passes over the folder that was named', async () => {
  const pages = { 'site/docs/a.md': '', 'site/docs/drafts/b.md': '', 'site/docs/c.txt': '' };
  assert.equal((await found({ ...pages, '.ibidignore': 'site/docs/drafts\n' }, 'site/docs')).names, 'a.md c.txt');
  assert.equal((await found({ ...pages, 'site/.ibidignore': '/docs/drafts\n*.txt\n' }, 'site/docs')).names, 'a.md');
  for (const all of ['docs/', '/docs', '/docs/*', 'docs/**'])
    assert.equal((await found({ ...pages, 'site/.gitignore': all }, 'site/docs')).names, 'a.md c.txt drafts/b.md', all);
  assert.equal((await found({ ...pages, '.gitignore': 'a.md' }, 'site/docs/a.md')).names, 'a.md');
});
