// Writes the repository's address into all packages: npm asks for it before it takes a package with its provenance.
//
//   node repository.mjs https://github.com/OWNER/NAME

import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const ROOT = join(import.meta.dirname, '../..');
const [address] = process.argv.slice(2);
if (!address?.startsWith('https://')) throw new Error('usage: node repository.mjs https://github.com/OWNER/NAME');

/** Changes a file below each of the folders in which it is. */
function change(file, folders, edit) {
  for (const folder of folders) {
    const path = join(ROOT, folder, file);
    if (existsSync(path)) writeFileSync(path, edit(readFileSync(path, 'utf8'), folder));
  }
}
const below = (folder) => readdirSync(join(ROOT, folder)).map((name) => `${folder}/${name}`);
const packages = ['pkg', 'wheel', ...below('plugins'), ...below('pkg/models')];

change('package.json', packages, (text, directory) => {
  const repository = { type: 'git', url: `git+${address}.git`, directory };
  return `${JSON.stringify({ ...JSON.parse(text), repository }, null, 2)}\n`;
});
change('pyproject.toml', packages, (text) => `${text}\n[project.urls]\nRepository = "${address}"\n`);
change('Cargo.toml', ['.', ...below('crates')], (text) =>
  text
    .replace(/^license = .*$/m, `$&\nrepository = "${address}"`)
    .replace(/^license\.workspace = true$/m, '$&\nrepository.workspace = true'),
);
