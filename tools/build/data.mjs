// Tells which data only the rest of a module reads, so that this can bring it along.
//
// The first file can read what its code has the address of, and what the data there has the addresses of. An address that is
// handed to a function of the rest does not count: until that runs, nobody reads what lies there.

import binaryen from 'binaryen';
import { opened, partsOf } from './regions.mjs';

/** Bytes between two runs of data cost less than another segment when there are fewer. */
const GAP = 8;

/**
 * The segments of data for the first file and for the rest. `kept` are the bodies of the first file's functions, `isLater`
 * tells calls of the rest, and `objects` is what objects.mjs has found.
 */
export function parted(module, kept, isLater, { objects, pointers, code }) {
  const segments = segmentsOf(module);
  const start = Math.min(...segments.map(({ address }) => address));
  const end = Math.max(...segments.map(({ address, data }) => address + data.length));
  const image = new Uint8Array(end - start);
  for (const { address, data } of segments) image.set(data, address - start);

  const known = new Map();
  for (const [address, object] of code) known.set(address, [...(known.get(address) ?? []), object]);
  const at = (address) =>
    known.get(address) ?? objects.filter(([of, size]) => address >= of && address < of + size).map(([of]) => of);
  const held = new Map(pointers);
  const sizes = new Map();
  for (const [address, size] of objects) sizes.set(address, Math.max(size, sizes.get(address) ?? 0));

  const mutable = objects.filter(([, , isConstant]) => !isConstant).map(([address]) => address);
  const read = new Set([...mutable, ...[...addressesIn(kept, isLater)].flatMap(at)]);
  // A set is walked to what is added meanwhile.
  for (const object of read) {
    for (let place = object; place < object + sizes.get(object); place++) {
      if (held.has(place)) read.add(held.get(place));
    }
  }

  const [FIRST, REST, MUTABLE] = [0, 1, 2];
  const parts = new Uint8Array(image.length);
  const mark = (of, part) => {
    for (const object of of) parts.fill(part, object - start, object - start + sizes.get(object));
  };
  // Strings can share their ends.
  mark(sizes.keys(), REST);
  mark(read, FIRST);
  mark(mutable, MUTABLE);
  return {
    first: runsOf((at) => parts[at] !== REST),
    rest: runsOf((at) => parts[at] === REST),
  };

  /** The runs of those bytes that are not zero. Where one goes over others, these are constant and stay what they are. */
  function runsOf(isOwn) {
    const runs = [];
    let isOpen = false;
    for (const [at, byte] of image.entries()) {
      const last = runs.at(-1);
      if (byte === 0 || !isOwn(at)) isOpen &&= at + 1 - last.to < GAP && parts[at] !== MUTABLE;
      else if (isOpen) last.to = at + 1;
      else {
        runs.push({ from: at, to: at + 1 });
        isOpen = true;
      }
    }
    return runs.map(({ from, to }) => ({ address: start + from, data: image.slice(from, to) }));
  }
}

function segmentsOf(module) {
  return Array.from({ length: module.getNumDataSegments() }, (_, at) => {
    const { offset, data } = module.getDataSegmentInfo(module.getDataSegmentByIndex(at));
    return { address: offset, data: new Uint8Array(data) };
  });
}

/** The numbers in functions that may be addresses of data: constants, and those in instructions that load or store. */
function addressesIn(bodies, isLater) {
  const found = new Set();
  const look = (expression, isHanded) => {
    const { kind, node } = opened(expression);
    if (kind === 'Const') {
      if (!isHanded && binaryen.getExpressionType(expression) === binaryen.i32) found.add(node.valueI32 >>> 0);
    } else if (node.offset !== undefined) found.add(Number(node.offset));
    for (const part of partsOf(expression)) look(part.get(), isLater(expression));
  };
  for (const body of bodies) look(body, false);
  return found;
}
