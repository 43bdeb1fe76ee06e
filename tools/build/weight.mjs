// Tells which crates and functions weigh most in a wasm file that still has its name section.
// Run as `node weight.mjs FILE [HOW_MANY]`.

import { readFileSync } from 'node:fs';
import { sizesOf } from './functions.mjs';

const [file, limit = '25'] = process.argv.slice(2);
const bytes = readFileSync(file);
const { functions: named, data } = sizesOf(bytes);

// Names are mangled in the old way (`_ZN4core3fmt...E`) or written out with hashes of their crates (`core[c593...]::fmt`);
// the first path segment is the crate.
function readable(name) {
  const legacy = /^_ZN(.*)17h[0-9a-f]{16}E/.exec(name);
  if (!legacy) return name.replace(/::h[0-9a-f]{16}$/, '').replace(/\[[0-9a-f]{16}\]/g, '');
  const parts = [];
  for (let rest = legacy[1]; rest.length > 0; ) {
    const length = Number.parseInt(rest, 10);
    if (Number.isNaN(length)) break;
    const digits = String(length).length;
    parts.push(rest.slice(digits, digits + length));
    rest = rest.slice(digits + length);
  }
  return parts
    .join('::')
    .replaceAll('$LT$', '<')
    .replaceAll('$GT$', '>')
    .replaceAll('$u20$', ' ')
    .replaceAll('$RF$', '&')
    .replaceAll('..', '::');
}

function crateOf(name) {
  const path = /^[_<&\s]*(?:\[|\(|dyn |mut )*([A-Za-z_][A-Za-z0-9_]*)::/.exec(name);
  return path ? path[1] : '(other)';
}

const functions = named.map(({ name, size }) => ({ size, name: readable(name) }));
const crates = new Map();
for (const { name, size } of functions) {
  crates.set(crateOf(name), (crates.get(crateOf(name)) ?? 0) + size);
}

function table(title, rows) {
  console.log(`\n${title}`);
  for (const [name, size] of rows.slice(0, Number(limit))) {
    const share = ((100 * size) / bytes.length).toFixed(1);
    console.log(`${String(size).padStart(9)} ${share.padStart(5)} %  ${name.slice(0, 110)}`);
  }
}

console.log(`${file}: ${bytes.length} bytes with names, of them ${data} data`);
const bySize = (left, right) => right[1] - left[1];
table(
  'Code by crate (generic code counts for the crate that defines it, inlined code for its caller)',
  [...crates].sort(bySize),
);
table('Code by function', functions.map(({ name, size }) => [name, size]).sort(bySize));
