// The expressions of a function in binaryen.js, and its regions: what may not run although the function does.

import binaryen from 'binaryen';

/**
 * For each kind of expression that may be in a module, the properties that hold another one, in the order in which these
 * run. A kind that is missed here could read a local that nobody sees: it is an error, never an expression without parts.
 */
const PARTS = {
  Binary: ['left', 'right'],
  Block: [],
  Break: ['value', 'condition'],
  Call: [],
  CallIndirect: ['target'],
  Const: [],
  Drop: ['value'],
  GlobalGet: [],
  GlobalSet: ['value'],
  If: ['condition', 'ifTrue', 'ifFalse'],
  Load: ['ptr'],
  LocalGet: [],
  LocalSet: ['value'],
  Loop: ['body'],
  MemoryCopy: ['dest', 'source', 'size'],
  MemoryFill: ['dest', 'value', 'size'],
  MemoryGrow: ['delta'],
  MemorySize: [],
  Nop: [],
  RefFunc: [],
  RefNull: [],
  Return: ['value'],
  SIMDExtract: ['vec'],
  SIMDLoad: ['ptr'],
  SIMDLoadStoreLane: ['ptr', 'vec'],
  SIMDReplace: ['vec', 'value'],
  SIMDShift: ['vec', 'shift'],
  SIMDShuffle: ['left', 'right'],
  SIMDTernary: ['a', 'b', 'c'],
  Select: ['ifTrue', 'ifFalse', 'condition'],
  Store: ['ptr', 'value'],
  Switch: ['value', 'condition'],
  TableFill: [],
  TableGet: ['index'],
  TableGrow: ['value', 'delta'],
  TableSet: ['index', 'value'],
  TableSize: [],
  TupleExtract: ['tuple'],
  TupleMake: [],
  Unary: ['value'],
  Unreachable: [],
};
/** Those that hold a list, whose expressions run first. */
const LISTS = { Block: 'Child', Call: 'Operand', CallIndirect: 'Operand', TupleMake: 'Operand' };
/** Not all kinds have their number in the documented part of binaryen.js. */
const KINDS = new Map(Object.keys(PARTS).map((kind) => [binaryen[`_Binaryen${kind}Id`](), kind]));

/** The parts of `table.fill`, as text: binaryen.js does not tell them in another way. */
const FILL = /^\(table\.fill \S+\s+\(local\.get \S+\)\s+\(ref\.null \w+\)\s+\(i32\.const \d+\)\s*\)\s*$/;

/** An expression with its kind, as an object whose properties can be read and set. */
export function opened(expression) {
  const id = binaryen.getExpressionId(expression);
  const kind = KINDS.get(id);
  if (kind === undefined) throw new Error(`an expression of unknown kind ${nameOf(id)}: add its parts to regions.mjs`);
  // Such a one, as wasm-bindgen writes it, has no address of data; for the local that it reads, see `regionsOf`.
  if (kind === 'TableFill' && !FILL.test(binaryen.emitText(expression)))
    throw new Error(`a table.fill with parts that are not known: ${binaryen.emitText(expression)}`);
  // The kinds without properties have no class.
  return { kind, node: binaryen[kind] === undefined ? {} : new binaryen[kind](expression) };
}

/** What Binaryen calls a kind. */
function nameOf(id) {
  const key = Object.keys(binaryen).find((key) => /^_Binaryen\w+Id$/.test(key) && binaryen[key]() === id);
  return key?.slice('_Binaryen'.length, -'Id'.length) ?? id;
}

/** The places of an expression's parts: each is read by `get` and filled by `set`. */
export function partsOf(expression) {
  const { kind, node } = opened(expression);
  const named = PARTS[kind].map((key) => ({
    key,
    get: () => node[key],
    set: (part) => {
      node[key] = part;
    },
  }));
  const list = LISTS[kind];
  const count = list === undefined ? 0 : kind === 'Block' ? node.numChildren : node.numOperands;
  const listed = Array.from({ length: count }, (_, at) => ({
    key: at,
    get: () => node[`get${list}At`](at),
    set: (part) => node[`set${list}At`](at, part),
  }));
  return [...listed, ...named].filter(({ get }) => get() !== 0);
}

/** Calls `see` for an expression and all that it has. */
export function walk(expression, see) {
  see(expression);
  for (const part of partsOf(expression)) walk(part.get(), see);
}

/**
 * The regions of a function's body, in an order that is the same whenever the same module is read: the function, the arms of
 * an `if`, and what follows in a block behind an expression that may leave it. Each has the expression that it is in, and the
 * region around it. A function with `table.fill`, whose local cannot be given another number, stays whole.
 */
export function regionsOf(body) {
  let isWhole = false;
  walk(body, (expression) => {
    isWhole ||= opened(expression).kind === 'TableFill';
  });
  if (isWhole) return [{ around: undefined }];
  const leaving = new Map();
  const leaves = (expression) => {
    if (!leaving.has(expression)) {
      const { kind } = opened(expression);
      const does = kind === 'Break' || kind === 'Switch' || kind === 'Return';
      leaving.set(expression, does || partsOf(expression).some(({ get }) => leaves(get())));
    }
    return leaving.get(expression);
  };
  const regions = [{ around: undefined }];
  const added = (region) => {
    regions.push(region);
    return region;
  };
  const look = (expression, around) => {
    const { kind, node } = opened(expression);
    const parts = partsOf(expression);
    if (kind === 'Block') {
      let current = around;
      for (const [at, part] of parts.entries()) {
        look(part.get(), current);
        if (at + 1 < parts.length && leaves(part.get()))
          current = added({ of: expression, around: current, block: node, from: at + 1 });
      }
      return;
    }
    for (const part of parts) {
      const isArm = kind === 'If' && part.key !== 'condition';
      look(part.get(), isArm ? added({ of: expression, around, arm: part }) : around);
    }
  };
  look(body, regions[0]);
  return regions;
}

/** Takes the expressions of a region out; `put` puts another one there. */
export function taken(region) {
  if (region.arm !== undefined) return [region.arm.get()];
  const { block, from } = region;
  return Array.from({ length: block.numChildren - from }, () => block.removeChildAt(from));
}

export function put(region, expression) {
  if (region.arm !== undefined) region.arm.set(expression);
  else region.block.insertChildAt(region.from, expression);
}
