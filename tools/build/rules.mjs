// node rules.mjs OUT.js SOURCE...: rules or lists as a script that exports their text, without notes and empty lines. SOURCE
// is a file, or a folder whose mod.rs names the files in their order: a class stands before the phrases with it.
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const [out, ...sources] = process.argv.slice(2);
const files = sources.flatMap((source) => (source.endsWith('.txt') ? [source] : named(source)));
if (files.length === 0) throw new Error(`${sources.join(', ')}: no rules are named.`);
const lines = files
  .flatMap((file) => readFileSync(file, 'utf8').split('\n'))
  .filter((line) => line.trim() !== '' && !line.startsWith('#'));
writeFileSync(out, `export default ${JSON.stringify(`${lines.join('\n')}\n`)};\n`);

function named(folder) {
  const matches = readFileSync(join(folder, 'mod.rs'), 'utf8').matchAll(/include_str!\("(.+)"\)/g);
  return [...matches].map(([, file]) => join(folder, file));
}
