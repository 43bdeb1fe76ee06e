// node rules.mjs FOLDER OUT.js: the rules for emergencies as a script that exports their text, without notes and empty
// lines. FOLDER/mod.rs names the files in their order: a class stands before the phrases with it.
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const [folder, out] = process.argv.slice(2);
const files = [...readFileSync(join(folder, 'mod.rs'), 'utf8').matchAll(/include_str!\("(.+)"\)/g)].map(
  ([, file]) => file,
);
if (files.length === 0) throw new Error(`${folder}/mod.rs names no rules.`);
const lines = files
  .flatMap((file) => readFileSync(join(folder, file), 'utf8').split('\n'))
  .filter((line) => line.trim() !== '' && !line.startsWith('#'));
writeFileSync(out, `export default ${JSON.stringify(`${lines.join('\n')}\n`)};\n`);
