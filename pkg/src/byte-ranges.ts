/** A stretch of a file in bytes: `start` is inside, `end` is the first one outside. */
export interface ByteRange {
  start: number;
  end: number;
}

/** A part of a range, with the piece that has it, if one does. */
interface Covered<P extends ByteRange> extends ByteRange {
  piece?: P;
}

/** Sorts ranges and joins those between which no more than `gap` bytes lie. */
export function join(ranges: readonly ByteRange[], gap: number): ByteRange[] {
  const joined: ByteRange[] = [];
  for (const { start, end } of [...ranges].sort((a, b) => a.start - b.start)) {
    const last = joined.at(-1);
    if (last !== undefined && start <= last.end + gap) last.end = Math.max(last.end, end);
    else joined.push({ start, end });
  }
  return joined;
}

/** Divides a range into the parts that pieces have and the gaps between them, in order. */
export function cover<P extends ByteRange>({ start, end }: ByteRange, pieces: readonly P[]): Covered<P>[] {
  const parts: Covered<P>[] = [];
  let at = start;
  for (const piece of [...pieces].sort((a, b) => a.start - b.start)) {
    if (piece.end <= at || piece.start >= end) continue;
    if (piece.start > at) parts.push({ start: at, end: piece.start });
    const from = Math.max(at, piece.start);
    at = Math.min(end, piece.end);
    parts.push({ start: from, end: at, piece });
  }
  if (at < end) parts.push({ start: at, end });
  return parts;
}

/** Ranges as the wasm module gives and takes them: start and end by turns. */
export function unflatten(flat: Float64Array): ByteRange[] {
  return Array.from({ length: flat.length >> 1 }, (_, at) => ({
    start: flat[2 * at] as number,
    end: flat[2 * at + 1] as number,
  }));
}

export const lengthOf = (ranges: readonly ByteRange[]) => ranges.reduce((sum, { start, end }) => sum + end - start, 0);
