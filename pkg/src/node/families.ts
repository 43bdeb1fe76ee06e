import { join } from 'node:path';
import { IbidError } from '../error.js';

/** A model family: a transformer, and the table and the projection of this package that share its space. */
export interface Family {
  name: string;
  /** The npm package that carries the packed transformer, and the version that was made for this program. */
  package: string;
  version: string;
  /** The packed transformer's file. */
  file: string;
  /** Length and SHA-256 of that file. */
  bytes: number;
  sha256: string;
  table: 'query-table.bin' | 'multilingual-table.bin';
  projection: 'projection.bin' | 'multilingual-projection.bin';
  /** The command that gets the transformer. */
  get: string;
}

/** For English, and for a hundred languages. */
export const FAMILIES: Record<'minilm' | 'e5', Family> = {
  minilm: {
    name: 'all-MiniLM-L6-v2',
    package: 'ibid-model-en',
    version: '1.0.0',
    file: 'minilm-distilled.ibidmodel',
    bytes: 12_369_024,
    sha256: '517485695f10455a4df1ab56a9f206b54b70b2bcdc9481ec6e7cf186d8d090b8',
    table: 'query-table.bin',
    projection: 'projection.bin',
    get: 'npx ibid model fetch',
  },
  e5: {
    name: 'multilingual-e5-small',
    package: 'ibid-model-multilingual',
    version: '1.0.0',
    file: 'multilingual-e5-small.ibidmodel',
    bytes: 79_802_112,
    sha256: '1da32e2b77518f1d9dcbd910e1d8a897959e7bad9847be52903654b1fdbbe7b5',
    table: 'multilingual-table.bin',
    projection: 'multilingual-projection.bin',
    get: 'npx ibid model fetch e5',
  },
};

/** The place where a family's transformer is to be written: the one that was named, or where commands look for it. */
export function modelPlace(family: Family, output?: string): string {
  const place = output ?? dataFile(family);
  if (place !== undefined) return place;
  throw new IbidError('invalid-option', 'No home folder is known.', { hint: 'Name the file with `-o FILE`.' });
}

/** The place of a family's transformer in the folder for programs' data, by the XDG Base Directory Specification. */
export function dataFile({ file }: Family): string | undefined {
  const data = variable('XDG_DATA_HOME');
  const home = variable('HOME') ?? variable('USERPROFILE');
  const folder = data ?? (home && join(home, '.local', 'share'));
  return folder && join(folder, 'ibid', file);
}

/** The value of an environment variable; one that is set to nothing counts as not set. */
export function variable(name: string): string | undefined {
  return process.env[name] || undefined;
}
