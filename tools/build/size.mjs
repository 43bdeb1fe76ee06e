// Prints what a page loads, raw and compressed, and compares it with tests/size-budget.json.
// Run as `node size.mjs SITE_FOLDER BUDGET_FILE`; ends with status 1 when a limit is passed.

import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { gzipSync } from 'node:zlib';

const [site, budgetFile] = process.argv.slice(2);
const { groups } = JSON.parse(readFileSync(budgetFile, 'utf8'));

/** The files that an entry names: `folder/*.js` is all of that kind in the folder, anything else one file. */
function expand(entry) {
  const [folder, end] = [dirname(entry), entry.split('*')[1]];
  if (end === undefined) return [entry];
  const found = existsSync(join(site, folder)) ? readdirSync(join(site, folder)) : [];
  const names = found.filter((name) => name.endsWith(end)).sort();
  return names.length > 0 ? names.map((name) => join(folder, name)) : [entry];
}

/** The bytes that a page fetches: of an index, all up to the first of the sections that come later. */
function fetched(path) {
  const bytes = readFileSync(path);
  if (!path.endsWith('.ibid')) return bytes;
  for (let line = 64; line < 64 + 32 * bytes.readUInt32LE(24); line += 32) {
    if (bytes.toString('latin1', line, line + 4) === 'code')
      return bytes.subarray(0, Number(bytes.readBigUInt64LE(line + 8)));
  }
  return bytes;
}

function sizes(path) {
  const bytes = fetched(path);
  return [bytes.length, gzipSync(bytes, { level: 9 }).length];
}

const add = (left, right) => left.map((value, index) => value + right[index]);
const row = (name, columns) =>
  console.log(name.padEnd(36) + columns.map((column) => String(column).padStart(12)).join(''));

row('', ['raw', 'gzip -9', 'gzip limit']);
let total = [0, 0];
const over = [];
for (const { name, files, gzipLimit, later = false } of groups) {
  let sum = [0, 0];
  const expanded = files.flatMap(expand);
  for (const file of expanded) {
    const path = join(site, file);
    if (!existsSync(path)) {
      over.push(`${file} is missing; it is listed in the budget`);
      continue;
    }
    const measured = sizes(path);
    if (expanded.length > 1) row(`  ${file}`, measured);
    sum = add(sum, measured);
  }
  row(name, [...sum, gzipLimit]);
  if (sum[1] > gzipLimit) {
    over.push(`${name}: ${sum[1]} bytes by gzip, ${sum[1] - gzipLimit} over the limit of ${gzipLimit}`);
  }
  if (!later) total = add(total, sum);
}
row('all of a first visit', total);

if (over.length > 0) {
  console.log(`\nOver budget:\n${over.map((line) => `  ${line}`).join('\n')}`);
  console.log(
    "\nSee './build.sh size --top' for what weighs most in the wasm. If the growth is worth its bytes, raise the" +
      '\nlimit in tests/size-budget.json in the same commit and say there what was bought with them.',
  );
  process.exit(1);
}
