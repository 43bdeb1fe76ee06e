// Finds what holds at a place of a function, by the usual data-flow analysis from behind.
//
// A question to it says what holds at the function's end (`none`) and is assumed at the beginning of a loop (`first`), where
// a way divides (`either`), and before an expression if something holds after it (`through`).

import binaryen from 'binaryen';
import { opened, partsOf } from './regions.mjs';

/** A set of locals is a number with a bit for each. */
const bit = (local) => 1n << BigInt(local);
export const has = (locals, local) => (locals & bit(local)) !== 0n;

/** The locals that may still be read. */
export const LIVE = {
  none: 0n,
  first: 0n,
  either: (a, b) => a | b,
  through: ({ kind, node, expression }, after) => {
    if (kind === 'LocalGet') return after | bit(node.index);
    if (kind === 'LocalSet') return after & ~bit(node.index);
    return kind === 'Return' || isUnreachable(expression) ? 0n : after;
  },
};

/** Whether each way from here calls a function that `isRare` names, or panics. */
export const rare = (isRare) => ({
  none: false,
  first: true,
  either: (a, b) => a && b,
  through: ({ kind, node, expression }, after) => {
    if (kind === 'Return') return false;
    return after || isUnreachable(expression) || (kind === 'Call' && isRare(node.target));
  },
});

/** What holds after each block and each `if` of a function's body, and for each label in it after a break to that. */
export function afterEach(body, asked) {
  const found = new Map();
  before(body, { after: asked.none, labels: new Map() }, asked, found);
  return found;
}

/** What holds before an expression. */
export function before(expression, { after, labels }, asked, found = new Map()) {
  const { kind, node } = opened(expression);
  const part = (of, live, known = labels) => before(of, { after: live, labels: known }, asked, found);
  const parts = (live, known) => partsOf(expression).reduceRight((live, { get }) => part(get(), live, known), live);
  const to = (label) => labels.get(label) ?? asked.none;
  switch (kind) {
    case 'Block': {
      const inner = node.name ? new Map(labels).set(node.name, after) : labels;
      found.set(expression, { after, labels: inner });
      return parts(after, inner);
    }
    case 'Loop':
      for (let { first } = asked; ; ) {
        const live = part(node.body, after, new Map(labels).set(node.name, first));
        if (live === first) return live;
        first = live;
      }
    case 'If': {
      found.set(expression, { after, labels });
      const [one, other] = [node.ifTrue, node.ifFalse].map((arm) => (arm === 0 ? after : part(arm, after)));
      return part(node.condition, asked.either(one, other));
    }
    case 'Break':
      return parts(node.condition === 0 ? to(node.name) : asked.either(after, to(node.name)));
    case 'Switch':
      return parts([...node.names, node.defaultName].map(to).reduce(asked.either));
    default:
      return parts(asked.through({ kind, node, expression }, after));
  }
}

function isUnreachable(expression) {
  return binaryen.getExpressionId(expression) === binaryen.UnreachableId;
}
