// Takes from a module what the linker has noted of its data: the objects, and the addresses of them in data and in code.
//
//   node objects.mjs LINKED MODULE OBJECTS
//
// LINKED was linked with `--emit-relocs`. MODULE is the same without these notes, which tools that change code don't keep
// right; addresses of data stay as they are. OBJECTS is JSON:
//
// - `objects`: the address, the number of bytes, and whether nothing ever writes there;
// - `pointers`: where an address is held, and the object that it is of;
// - `code`: an address in the code, and the object that it is of. It can lie outside of it, as that of `TABLE[x - 960]`.
//
// The notes' format: github.com/WebAssembly/tool-conventions/blob/main/Linking.md.

import { readFileSync, writeFileSync } from 'node:fs';
import { Reader, sectionsOf } from './binary.mjs';

const DATA_SECTION = 11;
const [SEGMENTS, SYMBOLS] = [5, 8];
const [FUNCTION, DATA, GLOBAL, SECTION, TAG, TABLE] = [0, 1, 2, 3, 4, 5];
const [UNDEFINED, NAMED] = [0x10, 0x40];
/** The kinds of relocations to addresses of data, each with the form of the address, and those to something else. */
const ADDRESSES = { 3: (at) => at.number(), 4: (at) => at.signed(), 5: ({ bytes, at }) => bytes.readUInt32LE(at) };
const OTHERS = new Set([0, 1, 2, 6, 7, 13, 20]);

const [linked, plain, out] = process.argv.slice(2);
const bytes = readFileSync(linked);
const sections = sectionsOf(bytes);
const isNote = ({ name }) => name === 'linking' || name?.startsWith('reloc.');
writeFileSync(
  plain,
  Buffer.concat([
    bytes.subarray(0, 8),
    ...sections.filter((section) => !isNote(section)).map(({ start, end }) => bytes.subarray(start, end)),
  ]),
);
const segments = segmentsOf();
const symbols = symbolsOf();
const objects = symbols.filter((symbol) => symbol?.size > 0);
writeFileSync(
  out,
  JSON.stringify({
    objects: objects.map(({ address, size, isConstant }) => [address, size, isConstant]),
    pointers: relocations('DATA').map(({ offset, object }) => [placeOf(offset), object]),
    code: relocations('CODE').map(({ address, object }) => [address, object]),
  }),
);

/** The segments of data: their addresses, where in the section their bytes lie, and whether they are constant. */
function segmentsOf() {
  const { content } = sections.find(({ id }) => id === DATA_SECTION);
  const reader = new Reader(bytes, content);
  const names = linking(SEGMENTS, (named) => {
    const name = named.text();
    named.number();
    named.number();
    return name;
  });
  return Array.from({ length: reader.number() }, (_, at) => {
    // An active segment of the first memory, with `i32.const ADDRESS` and `end`.
    if (reader.number() !== 0 || reader.byte() !== 0x41) throw new Error('a segment of data has no address');
    const address = reader.signed();
    reader.at++;
    const size = reader.number();
    const offset = reader.at - content;
    reader.at += size;
    return { address, offset, size, isConstant: names[at].startsWith('.rodata') };
  });
}

/** The linker's symbols in their order; those of data with address, size, and whether they are constant. */
function symbolsOf() {
  return linking(SYMBOLS, (reader) => {
    const kind = reader.byte();
    const flags = reader.number();
    if (kind === SECTION) {
      reader.number();
      return undefined;
    }
    if (kind === DATA) {
      reader.text();
      if (flags & UNDEFINED) return undefined;
      const segment = segments[reader.number()];
      const address = segment.address + reader.number();
      return { address, size: reader.number(), isConstant: segment.isConstant };
    }
    if (![FUNCTION, GLOBAL, TAG, TABLE].includes(kind)) throw new Error(`a symbol of unknown kind ${kind}`);
    reader.number();
    if (!(flags & UNDEFINED) || flags & NAMED) reader.text();
    return undefined;
  });
}

/** The list in one of the subsections of the linker's notes. */
function linking(wanted, item) {
  const { content, end } = sections.find(({ name }) => name === 'linking');
  const reader = new Reader(bytes, content);
  reader.number();
  while (reader.at < end) {
    const kind = reader.byte();
    const next = reader.number() + reader.at;
    if (kind === wanted) return Array.from({ length: reader.number() }, () => item(reader));
    reader.at = next;
  }
  return [];
}

/** The relocations of a section that are addresses of data; each is held against the address that is there. */
function relocations(name) {
  const { content } = sections.find((section) => section.name === `reloc.${name}`);
  const reader = new Reader(bytes, content);
  const { content: start } = sections[reader.number()];
  const all = Array.from({ length: reader.number() }, () => {
    const kind = reader.byte();
    const [offset, symbol] = [reader.number(), reader.number()];
    if (OTHERS.has(kind)) return undefined;
    const read = ADDRESSES[kind];
    if (read === undefined) throw new Error(`a relocation of unknown kind ${kind}`);
    const address = symbols[symbol].address + reader.signed();
    if (read(new Reader(bytes, start + offset)) !== address)
      throw new Error(`another address than ${address} in ${name}`);
    return { offset, address, object: symbols[symbol].address };
  });
  return all.filter(Boolean);
}

/** The address of a byte of the section of data. */
function placeOf(at) {
  const { address, offset } = segments.find(({ offset, size }) => at >= offset && at < offset + size);
  return address + at - offset;
}
