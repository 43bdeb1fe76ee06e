// The functions of a wasm module that still has its name section, by the binary format:
// webassembly.github.io/spec/core/binary.

/**
 * The functions that a module defines, `{ name, size, body }`, the number of those that it imports, the bytes of its data,
 * and where its name section lies.
 */
export function sizesOf(bytes) {
  let at = 8;
  let imported = 0;
  let data = 0;
  const bodies = [];
  const names = new Map();
  let section = { start: bytes.length, end: bytes.length };

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
      bodies.push(bytes.subarray(at, at + size));
      at += size;
    }
  }

  function nameSection(start, end) {
    if (text() !== 'name') return;
    section = { start, end };
    while (at < end) {
      const kind = bytes[at++];
      const next = number() + at;
      if (kind === 1) for (let left = number(); left > 0; left--) names.set(number(), text());
      at = next;
    }
  }

  while (at < bytes.length) {
    const start = at;
    const id = bytes[at++];
    const size = number();
    const end = at + size;
    if (id === 0) nameSection(start, end);
    else if (id === 2) importSection();
    else if (id === 10) codeSection();
    else if (id === 11) data += size;
    at = end;
  }

  const functions = bodies.map((body, at) => {
    return { body, size: body.length, name: names.get(imported + at) ?? `function ${imported + at}` };
  });
  return { functions, imported, data, names: section };
}
