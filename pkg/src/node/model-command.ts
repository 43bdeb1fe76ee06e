import { join } from 'node:path';
import { importModel } from '../build/builder.js';
import { IbidError } from '../error.js';
import { read, writeWhole } from './files.js';
import { dataFile, packaged } from './models.js';
import { note, parsed, UsageError } from './terminal.js';

export const MODEL_HELP = `Packs the weights of all-MiniLM-L6-v2 (\`model.safetensors\`, \`vocab.txt\`, \`config.json\`) into one int8 file.

Usage: ibid model import [OPTIONS] <DIR>

Arguments:
  <DIR>  The folder with the three files

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
  const [folder, ...more] = positionals;
  if (folder === undefined || more.length > 0) throw new UsageError('exactly one folder is needed', 'model ');
  const output = values.output ?? dataFile();
  if (output === undefined) {
    throw new IbidError('invalid-option', 'No home folder is known.', { hint: 'Name the file with `-o FILE`.' });
  }
  const [config, vocab, weights, wasm] = await Promise.all([
    read(join(folder, 'config.json')),
    read(join(folder, 'vocab.txt')),
    read(join(folder, 'model.safetensors')),
    packaged('wasm/ibid_build_bg.wasm'),
  ]);
  const bytes = await importModel({ config, vocab, weights }, { wasm });
  await writeWhole(output, bytes);
  note(`${output}: ${bytes.length} bytes`);
}
