// Tells which crates and functions weigh most in a wasm file that still has its name section.
// Run as `node weight.mjs FILE [HOW_MANY]`. Reads the binary format: webassembly.github.io/spec/core/binary.

import { readFileSync } from 'node:fs';

const [file, limit = '25'] = process.argv.slice(2);
const bytes = readFileSync(file);
let at = 8;

function number() {
  let value = 0;
  for (let shift = 0; ; shift += 7) {
    const byte = bytes[at++];
    value += (byte & 0x7f) * 2 ** shift;
    if (byte < 0x80) return value;
  }
}

function text() {
  const length = number();
  at += length;
  return bytes.toString('utf8', at - length, at);
}

let imported = 0;
let data = 0;
const bodies = [];
const names = new Map();

function importSection() {
  for (let left = number(); left > 0; left--) {
    text();
    text();
    const kind = bytes[at++];
    if (kind === 0) {
      number();
      imported++;
    } else if (kind === 3) at += 2;
    else {
      if (kind === 1) at++;
      const flags = number();
      number();
      if (flags & 1) number();
    }
  }
}

function codeSection() {
  for (let left = number(); left > 0; left--) {
    const size = number();
    bodies.push(size);
    at += size;
  }
}

function nameSection(end) {
  if (text() !== 'name') return;
  while (at < end) {
    const kind = bytes[at++];
    const next = number() + at;
    if (kind === 1) for (let left = number(); left > 0; left--) names.set(number(), text());
    at = next;
  }
}

while (at < bytes.length) {
  const id = bytes[at++];
  const size = number();
  const end = at + size;
  if (id === 0) nameSection(end);
  else if (id === 2) importSection();
  else if (id === 10) codeSection();
  else if (id === 11) data += size;
  at = end;
}

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

const functions = bodies.map((size, index) => ({
  size,
  name: readable(names.get(imported + index) ?? `function ${imported + index}`),
}));
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
