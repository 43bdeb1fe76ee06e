// Finds the locals of a function that may still be read at a place of it, by the usual data-flow analysis from behind.

import { opened, partsOf } from './regions.mjs';

/** A set of locals is a number with a bit for each. */
const bit = (local) => 1n << BigInt(local);
export const has = (locals, local) => (locals & bit(local)) !== 0n;

/** What is live after each block and each `if` of a function's body, and for each label in it after a break to that. */
export function afterEach(body) {
  const found = new Map();
  liveBefore(body, { after: 0n, labels: new Map() }, found);
  return found;
}

/** What is live before an expression. */
export function liveBefore(expression, { after, labels }, found = new Map()) {
  const { kind, node } = opened(expression);
  const part = (of, live, known = labels) => liveBefore(of, { after: live, labels: known }, found);
  const parts = (live, known) => partsOf(expression).reduceRight((live, { get }) => part(get(), live, known), live);
  const to = (label) => labels.get(label) ?? 0n;
  switch (kind) {
    case 'Block': {
      const inner = node.name ? new Map(labels).set(node.name, after) : labels;
      found.set(expression, { after, labels: inner });
      return parts(after, inner);
    }
    case 'Loop':
      for (let first = 0n; ; ) {
        const live = part(node.body, after, new Map(labels).set(node.name, first));
        if (live === first) return live;
        first = live;
      }
    case 'If': {
      found.set(expression, { after, labels });
      const [one, other] = [node.ifTrue, node.ifFalse].map((arm) => (arm === 0 ? after : part(arm, after)));
      return part(node.condition, one | other);
    }
    case 'Break':
      return parts(node.condition === 0 ? to(node.name) : after | to(node.name));
    case 'Switch':
      return parts([...node.names, node.defaultName].map(to).reduce((a, b) => a | b));
    case 'LocalGet':
      return after | bit(node.index);
    case 'LocalSet':
      return parts(after & ~bit(node.index));
    case 'Return':
    case 'Unreachable':
      return parts(0n);
    default:
      return parts(after);
  }
}
