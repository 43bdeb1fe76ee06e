// Makes every panic of a wasm module a plain trap. Run as `node trap.mjs IN OUT`.
//
// A panic is a defect, and ends the module in any case. Its message with the place in the source, and the code that puts
// it together, are bytes that each page would fetch. The module must still have its name section.

import { readFileSync, writeFileSync } from 'node:fs';
import binaryen from 'binaryen';

/** What the standard library calls where something panics, and nowhere else. */
const PANICS = [
  /^core::panicking::/,
  /^core::(option|result)::(unwrap|expect)_failed$/,
  /^core::cell::panic_already/,
  /^core::str::slice_error_fail/,
  /^core::slice::.*(_fail|panic_on_ord_violation)$/,
  /^alloc::raw_vec::(handle_error|capacity_overflow)$/,
  /^std::thread::local::panic_access_error$/,
];

const [from, to] = process.argv.slice(2);
const bytes = readFileSync(from);
forgetPlaces(bytes);
binaryen.setDebugInfo(true);
const wasm = binaryen.readBinary(bytes);
let trapped = 0;
for (let at = 0; at < wasm.getNumFunctions(); at++) {
  const found = wasm.getFunctionByIndex(at);
  const { name, module } = binaryen.getFunctionInfo(found);
  // Names carry hashes: `core[c593...]::panicking::panic_fmt`, `core::panicking::panic::h0b5c...`.
  const plain = name.replace(/\[[0-9a-f]+\]/g, '').replace(/::h[0-9a-f]{16}$/, '');
  if (module !== '' || !PANICS.some((panics) => panics.test(plain))) continue;
  binaryen.Function(found).body = wasm.unreachable();
  trapped += 1;
}
if (trapped === 0) throw new Error(`${from} has no function that panics; has it lost its names?`);
writeFileSync(to, wasm.emitBinary());

/** Zeroes what tells a panic where it is: `core::panic::Location`, four numbers, and the names of files. */
function forgetPlaces(module) {
  const stretches = dataSegments(module);
  const locate = (address, length) => {
    const found = stretches.find(({ base, size }) => address >= base && address + length <= base + size);
    return found && found.start + address - found.base;
  };
  const names = new Map();
  for (const { base, start, size } of stretches) {
    for (let at = start + (-base & 3); at + 16 <= start + size; at += 4) {
      const [address, length, line, column] = [0, 4, 8, 12].map((offset) => module.readUInt32LE(at + offset));
      if (length < 4 || length > 512 || line === 0 || line > 1e6 || column === 0 || column > 1e3) continue;
      const name = locate(address, length);
      if (name === undefined || module.toString('latin1', name + length - 3, name + length) !== '.rs') continue;
      module.fill(0, at, at + 16);
      names.set(name, length);
    }
  }
  for (const [name, length] of names) module.fill(0, name, name + length);
}

/** Where the data lies: in memory (`base`) and in the file (`start`). */
function dataSegments(module) {
  let at = 8;
  const number = () => {
    let value = 0;
    for (let factor = 1; ; factor *= 128) {
      const byte = module[at++];
      value += (byte & 127) * factor;
      if (byte < 128) return value;
    }
  };
  while (at < module.length) {
    const id = module[at++];
    const end = number() + at;
    if (id !== 11) {
      at = end;
      continue;
    }
    return Array.from({ length: number() }, () => {
      if (number() !== 0 || module[at++] !== 0x41) throw new Error('A data segment has no fixed place.');
      const base = number();
      at += 1;
      const size = number();
      const start = at;
      at += size;
      return { base, start, size };
    });
  }
  return [];
}
