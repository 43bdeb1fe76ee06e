// The functions of a wasm module that still has its name section.

import { Reader, sectionsOf } from './binary.mjs';

/** The numbers of sections and of what is imported. */
const [IMPORTS, CODE, DATA] = [2, 10, 11];
const [FUNCTION, TABLE, , GLOBAL] = [0, 1, 2, 3];

/**
 * The functions that a module defines, `{ name, size, body }`, the number of those that it imports, the bytes of its data,
 * and where its name section lies.
 */
export function sizesOf(bytes) {
  const sections = sectionsOf(bytes);
  const own = (wanted) => sections.find(({ id }) => id === wanted);
  const section = sections.find(({ name }) => name === 'name') ?? { start: bytes.length, end: bytes.length };
  const imported = importsIn(bytes, own(IMPORTS));
  const names = namesIn(bytes, section);
  const data = own(DATA);

  const reader = new Reader(bytes, own(CODE).content);
  const functions = Array.from({ length: reader.number() }, (_, at) => {
    const size = reader.number();
    reader.at += size;
    const body = bytes.subarray(reader.at - size, reader.at);
    return { body, size, name: names.get(imported + at) ?? `function ${imported + at}` };
  });
  return { functions, imported, data: data === undefined ? 0 : data.end - data.content, names: section };
}

function importsIn(bytes, section) {
  if (section === undefined) return 0;
  const reader = new Reader(bytes, section.content);
  let functions = 0;
  for (let left = reader.number(); left > 0; left--) {
    reader.text();
    reader.text();
    const kind = reader.byte();
    if (kind === FUNCTION) {
      reader.number();
      functions++;
    } else if (kind === GLOBAL) reader.at += 2;
    else {
      if (kind === TABLE) reader.at++;
      const flags = reader.number();
      reader.number();
      if (flags & 1) reader.number();
    }
  }
  return functions;
}

function namesIn(bytes, { content, end }) {
  const names = new Map();
  const reader = new Reader(bytes, content ?? end);
  while (reader.at < end) {
    const kind = reader.byte();
    const next = reader.number() + reader.at;
    if (kind === 1) for (let left = reader.number(); left > 0; left--) names.set(reader.number(), reader.text());
    reader.at = next;
  }
  return names;
}
