// Writes every example in TypeScript or JavaScript of the documentation into a file of its own, so that the compiler can
// check it.
// Run as `node docs_examples.mjs FOLDER`; `pkg/tsconfig.examples.json` says what the examples take for granted.

import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const docs = fileURLToPath(new URL('../docs/', import.meta.url));
const [out] = process.argv.slice(2);
rmSync(out, { recursive: true, force: true });
mkdirSync(out, { recursive: true });

let count = 0;
for (const page of readdirSync(docs).filter((name) => name.endsWith('.md'))) {
  const text = readFileSync(join(docs, page), 'utf8');
  for (const [, example] of text.matchAll(/^```[tj]s\n(.*?)^```$/gms)) {
    count += 1;
    const at = text.slice(0, text.indexOf(example)).split('\n').length;
    // Lines are where they are on the page, so that what the compiler says can be found there.
    writeFileSync(join(out, `${page.replace('.md', '')}-${at}.ts`), `${'\n'.repeat(at - 1)}${example}export {};\n`);
  }
}
if (count === 0) throw new Error(`There is no example in ${docs}.`);
