// Finds the flags of an answer in the nodes of its tree: both have their place in the answer's text.

/**
 * Cuts a text or a citation where flags begin and end: `{ text, flags }` in order, and `unknown` for a bracket that names no
 * source. A node is cut only if it is the answer's text itself; what stands for a character reference, or for a part of a
 * bracket, is flagged as a whole. A node of an answer that is still being written has no place, and so no flags.
 */
export function cutAtFlags({ type, text, start, end }, flags) {
  const cited = type === 'citation';
  // That a bracket names a number too many is no doubt about its other numbers.
  const about = ({ kind, span }) => span.start < end && span.end > start && !(cited && kind === 'unknown_source');
  const here = flags.filter(about);
  const piece = (from, to, words) => {
    const doubts = here.filter(({ span }) => span.start < to && span.end > from);
    const unknown = doubts.some(({ kind, span }) => kind === 'unknown_source' && span.start <= from && span.end >= to);
    return { text: words, flags: doubts, unknown };
  };
  if (here.length === 0 || cited || text.length !== end - start) return [piece(start, end, text)];
  const points = new Set([start, end]);
  for (const { span } of here) {
    points.add(Math.max(span.start, start));
    points.add(Math.min(span.end, end));
  }
  const cuts = [...points].sort((a, b) => a - b);
  return cuts.slice(1).map((to, index) => piece(cuts[index], to, text.slice(cuts[index] - start, to - start)));
}
