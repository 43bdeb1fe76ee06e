// The expressions of a function in binaryen.js, and its regions: what may not run although the function does.

import binaryen from 'binaryen';

/** For each kind of expression, the properties that hold another one, in the order in which these run. */
const PARTS = {
  Binary: ['left', 'right'],
  Block: [],
  Break: ['value', 'condition'],
  Call: [],
  CallIndirect: ['target'],
  Drop: ['value'],
  GlobalSet: ['value'],
  If: ['condition', 'ifTrue', 'ifFalse'],
  Load: ['ptr'],
  LocalGet: [],
  LocalSet: ['value'],
  Loop: ['body'],
  MemoryCopy: ['dest', 'source', 'size'],
  MemoryFill: ['dest', 'value', 'size'],
  MemoryGrow: ['delta'],
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
  TupleExtract: ['tuple'],
  TupleMake: [],
  Unary: ['value'],
};
/** Those that hold a list, whose expressions run first. */
const LISTS = { Block: 'Child', Call: 'Operand', CallIndirect: 'Operand', TupleMake: 'Operand' };
const KINDS = new Map(Object.keys(PARTS).map((kind) => [binaryen[`${kind}Id`], kind]));

/** An expression with its kind, as an object whose properties can be read and set. Others than those above have no parts. */
export function opened(expression) {
  const kind = KINDS.get(binaryen.getExpressionId(expression)) ?? 'other';
  return { kind, node: kind === 'other' ? undefined : new binaryen[kind](expression) };
}

/** The places of an expression's parts: each is read by `get` and filled by `set`. */
export function partsOf(expression) {
  const { kind, node } = opened(expression);
  if (node === undefined) return [];
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
 * region around it.
 */
export function regionsOf(body) {
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
