// Finds the flags and claims of an answer in the nodes of its tree: all of them have their place in the answer's text.
import type { AnswerNode, CitationNode, Claim, Flag, TextNode } from '../ask/answer-types.js';
import type { Mark, Shown } from './types.js';

type Leaf = TextNode | CitationNode;

/** A piece of a leaf. */
export interface Piece {
  /** Its words; the whole of a citation has none. */
  text: string;
  /** The doubts about it. */
  flags: Flag[];
  /** True if it is a bracket that names no source. */
  unknown: boolean;
  /** The marks whose sign stands behind it. */
  after: Mark[];
}

/** The claims that have a sign: those that were checked, and state something. */
const SIGNED = new Set(['supported', 'unsupported', 'uncited']);

/** The places of its marks in an answer's tree. */
export class Marks {
  readonly #pieces = new Map<Leaf, Piece[]>();
  readonly #claims: readonly Claim[];
  /** All marks, in the order of the text. */
  readonly all: readonly Mark[];

  constructor({ tree, flags = [], claims = [] }: Shown) {
    // Both are in the order of the text, but they may come from elsewhere.
    const doubts = flags.filter(({ span }) => span.start < span.end).sort((a, b) => a.span.start - b.span.start);
    this.#claims = [...claims].sort((a, b) => a.start - b.start);
    const leaves = leavesOf(tree);
    const marks = this.#marks(doubts);
    this.all = marks.map(({ mark }) => mark);
    const signs = placed(marks, leaves);
    let next = 0;
    let open: Flag[] = [];
    for (const leaf of leaves) {
      for (; next < doubts.length && (doubts[next]?.span.start ?? 0) < leaf.end; next += 1)
        open.push(doubts[next] as Flag);
      open = open.filter(({ span }) => span.end > leaf.start);
      const here = signs.get(leaf) ?? [];
      // That a bracket names a number too many is no doubt about its other numbers.
      const about = leaf.type === 'citation' ? open.filter(({ kind }) => kind !== 'unknown_source') : open;
      if (about.length > 0 || here.length > 0) this.#pieces.set(leaf, cut(leaf, about, here));
    }
  }

  /** Cuts the pieces of a leaf, in order. */
  of(leaf: Leaf): Piece[] {
    const text = leaf.type === 'text' ? leaf.text : '';
    return this.#pieces.get(leaf) ?? [{ text, flags: [], unknown: false, after: [] }];
  }

  /** Finds the claim that a place is in. */
  claimAt({ start, end }: { start: number; end: number }): Claim | undefined {
    if (start >= end) return undefined;
    // The last claim that begins before the end.
    let [low, high] = [0, this.#claims.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((this.#claims[middle]?.start ?? 0) < end) low = middle + 1;
      else high = middle;
    }
    const claim = this.#claims[low - 1];
    return claim !== undefined && claim.end > start ? claim : undefined;
  }

  /**
   * Makes a mark for each claim that has a sign, with its flags, and one for each flag that is in none, with where it
   * ends.
   */
  #marks(flags: readonly Flag[]): Placed[] {
    const ofClaims = new Map<Claim, Mark>();
    for (const claim of this.#claims) {
      if (SIGNED.has(claim.check?.status ?? '')) ofClaims.set(claim, { claim, flags: [] });
    }
    const marks: Placed[] = [...ofClaims].map(([{ start, end }, mark]) => ({ start, end, mark }));
    for (const flag of flags) {
      const claim = this.claimAt(flag.span);
      const mark = claim && ofClaims.get(claim);
      if (mark === undefined) marks.push({ ...flag.span, mark: { flags: [flag] } });
      else mark.flags.push(flag);
    }
    return marks.sort((a, b) => a.end - b.end);
  }
}

interface Placed {
  start: number;
  end: number;
  mark: Mark;
}

/** Lists the texts and citations of a tree that have a place, in order. */
function leavesOf(nodes: readonly AnswerNode[]): Leaf[] {
  const leaves: Leaf[] = [];
  const visit = (node: AnswerNode): void => {
    if (node.type === 'text' || node.type === 'citation') {
      if (node.start < node.end) leaves.push(node);
    } else if (node.type === 'table') {
      for (const cells of [node.header, ...node.rows]) cells.forEach(visit);
    } else if ('children' in node) node.children.forEach(visit);
  };
  nodes.forEach(visit);
  return leaves;
}

/** Finds the leaf behind or in which each mark ends, of those that it is in; marks in the order of their ends. */
function placed(marks: readonly Placed[], leaves: readonly Leaf[]): Map<Leaf, Placed[]> {
  const found = new Map<Leaf, Placed[]>();
  let next = 0;
  for (const mark of marks) {
    while (next < leaves.length && (leaves[next]?.start ?? 0) < mark.end) next += 1;
    const leaf = leaves[next - 1];
    if (leaf === undefined || leaf.end <= mark.start) continue;
    const there = found.get(leaf);
    if (there === undefined) found.set(leaf, [mark]);
    else there.push(mark);
  }
  return found;
}

/**
 * Cuts a leaf where flags begin and end and where signs stand. It is cut only if it is the answer's text itself; what stands
 * for a character reference, or for a part of a bracket, stays whole.
 */
function cut(leaf: Leaf, flags: readonly Flag[], signs: readonly Placed[]): Piece[] {
  const { start, end } = leaf;
  const text = leaf.type === 'text' ? leaf.text : '';
  let [nextFlag, nextSign] = [0, 0];
  let open: Flag[] = [];
  // Called for one piece after the other, so that many marks in one long text take no time by their square.
  const piece = (from: number, to: number, words: string): Piece => {
    for (; nextFlag < flags.length && (flags[nextFlag]?.span.start ?? 0) < to; nextFlag += 1) {
      open.push(flags[nextFlag] as Flag);
    }
    open = open.filter(({ span }) => span.end > from);
    const unknown = open.some(({ kind, span }) => kind === 'unknown_source' && span.start <= from && span.end >= to);
    const after: Mark[] = [];
    for (; nextSign < signs.length && Math.min(signs[nextSign]?.end ?? 0, end) <= to; nextSign += 1) {
      after.push((signs[nextSign] as Placed).mark);
    }
    return { text: words, flags: [...open], unknown, after };
  };
  if (text.length !== end - start) return [piece(start, end, text)];
  const points = new Set([start, end]);
  for (const { span } of flags) {
    points.add(Math.max(span.start, start));
    points.add(Math.min(span.end, end));
  }
  for (const sign of signs) points.add(Math.min(sign.end, end));
  const cuts = [...points].sort((a, b) => a - b);
  return cuts.slice(1).map((to, index) => {
    const from = cuts[index] ?? start;
    return piece(from, to, text.slice(from - start, to - start));
  });
}
