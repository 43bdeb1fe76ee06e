import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { IbidError } from '../error.js';
import { read } from './files.js';

const FILE_NAME = 'all-minilm-l6-v2.ibidmodel';

/** A file of this package; none of them is ever missing from an installed one. */
export async function packaged(name: 'query-table.bin' | 'projection.bin' | 'wasm/ibid_build_bg.wasm') {
  try {
    return await readFile(new URL(`../${name}`, import.meta.url));
  } catch (error) {
    throw new IbidError('io', `The package's own file ${name} cannot be read.`, {
      hint: 'Install the package again.',
      cause: error,
    });
  }
}

/** The packed model that embeds documents, from the first place that is named or has it; as the native command looks. */
export async function documentModel(named: string | undefined): Promise<Uint8Array> {
  const given = named ?? variable('IBID_MODEL');
  if (given !== undefined) return await read(given);
  const found = [dataFile(), join('models', FILE_NAME)].find((path) => path !== undefined && existsSync(path));
  if (found !== undefined) return await read(found);
  throw new IbidError('io', 'The model that embeds documents is not on this machine.', {
    hint:
      'Get the files of all-MiniLM-L6-v2 and run `ibid model import DIR`, or name a packed model with `--model FILE`. ' +
      '`--encoder table` does without, but finds long passages less well.',
  });
}

/** `ibid/all-minilm-l6-v2.ibidmodel` in the folder for programs' data, by the XDG Base Directory Specification. */
export function dataFile(): string | undefined {
  const data = variable('XDG_DATA_HOME');
  const home = variable('HOME') ?? variable('USERPROFILE');
  const folder = data ?? (home && join(home, '.local', 'share'));
  return folder && join(folder, 'ibid', FILE_NAME);
}

/** The value of an environment variable; one that is set to nothing counts as not set. */
function variable(name: string): string | undefined {
  return process.env[name] || undefined;
}
