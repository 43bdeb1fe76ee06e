// Makes the pages of the JavaScript API from the types' own comments: node api.mjs FOLDER.
import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { withPolicy } from './policy.mjs';

const folder = process.argv[2];
const command = join(import.meta.dirname, 'node_modules/.bin/typedoc');
execFileSync(command, ['--options', 'typedoc.config.mjs', '--out', folder], {
  cwd: import.meta.dirname,
  stdio: 'inherit',
});
for (const name of readdirSync(folder, { recursive: true })) {
  if (!name.endsWith('.html')) continue;
  const path = join(folder, name);
  writeFileSync(path, withPolicy(readFileSync(path, 'utf8')));
}
