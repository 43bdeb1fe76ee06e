// Reads an answer as a small tree: paragraphs, lists, tables, quotes, bold, italic and code. It is no full markdown: raw
// HTML stays text, and an image or a link is reduced to its words. Every piece of text keeps its position in the answer,
// so that citations and flags, which are positions, can be found in it.

const MAX_DEPTH = 4;
const ITEM = /^(\s*)([-*+]|(\d{1,9})[.)])(\s+)(?=\S)/;
const FENCE = /^\s*(```|~~~)/;
const HEADING = /^\s{0,3}#{1,6}\s+/;
const QUOTE = /^\s{0,3}>\s?/;
const TABLE = /^\s*\|/;
const TABLE_RULE = /^\s*\|?\s*:?-+:?\s*(\|\s*:?-+:?\s*)*\|?\s*$/;
const RULE = /^\s{0,3}([-*_])(?:\s*\1){2,}\s*$/;

const INLINE = new RegExp(
  [
    '`(?<code>[^`]+)`',
    '\\*\\*(?=\\S)(?<strong>.+?)(?<=\\S)\\*\\*',
    '__(?=\\S)(?<strong2>.+?)(?<=\\S)__',
    '\\*(?![\\s*])(?<em>[^*]+?)(?<!\\s)\\*(?!\\w)',
    '(?<!\\w)_(?![\\s_])(?<em2>[^_]+?)(?<!\\s)_(?!\\w)',
    // A bracket with nothing but numbers is a citation, whatever follows it.
    '!?\\[(?<link>[^\\]]*[^\\]\\d,; ][^\\]]*)\\]\\([^()\\s]*\\)',
    '\\\\(?<escaped>[!-/:-@[-`{-~])',
  ].join('|'),
  'g',
);

/**
 * The blocks of a text: `{ type, start, end }` and, by type, `inline` (paragraph, heading, pre), `blocks`
 * (quote), `items` with `blocks` each, and `first` where numbered (list), `head` and `rows` of cells, each an array of
 * inline content (table), nothing (rule). Inline content is an array of
 * `{ type: 'text', text, at }` and `{ type: 'strong' | 'em' | 'code', inline }`.
 */
export function parseAnswer(text) {
  const lines = [];
  let at = 0;
  for (const line of text.split('\n')) {
    lines.push({ text: line, at });
    at += line.length + 1;
  }
  return parseBlocks(lines, 0);
}

function parseBlocks(lines, depth) {
  const blocks = [];
  let next = 0;
  while (next < lines.length) {
    const line = lines[next];
    if (line.text.trim() === '') {
      next += 1;
      continue;
    }
    const [block, after] = parseBlock(lines, next, depth);
    const last = lines[after - 1];
    blocks.push({ ...block, start: line.at, end: last.at + last.text.length });
    next = after;
  }
  return blocks;
}

function parseBlock(lines, from, depth) {
  const { text, at } = lines[from];
  if (FENCE.test(text)) return fenced(lines, from);
  if (TABLE.test(text)) {
    const after = runOf(lines, from, TABLE);
    return [table(lines.slice(from, after)), after];
  }
  if (RULE.test(text)) return [{ type: 'rule' }, from + 1];
  const heading = HEADING.exec(text);
  if (heading !== null) {
    const length = heading[0].length;
    return [{ type: 'heading', inline: parseInline(text.slice(length), at + length) }, from + 1];
  }
  if (depth < MAX_DEPTH && QUOTE.test(text)) {
    const after = runOf(lines, from, QUOTE);
    const inner = lines.slice(from, after).map((line) => cut(line, QUOTE.exec(line.text)[0].length));
    return [{ type: 'quote', blocks: parseBlocks(inner, depth + 1) }, after];
  }
  if (depth < MAX_DEPTH && ITEM.test(text)) return list(lines, from, depth);
  return paragraph(lines, from);
}

function paragraph(lines, from) {
  let after = from + 1;
  while (after < lines.length && lines[after].text.trim() !== '' && !interrupts(lines[after].text)) after += 1;
  const inline = [];
  for (const line of lines.slice(from, after)) {
    const indent = line.text.length - line.text.trimStart().length;
    if (inline.length > 0) inline.push({ type: 'text', text: ' ', at: line.at - 1 });
    inline.push(...parseInline(line.text.slice(indent), line.at + indent));
  }
  return [{ type: 'paragraph', inline }, after];
}

function interrupts(text) {
  return [FENCE, TABLE, HEADING, QUOTE, ITEM, RULE].some((pattern) => pattern.test(text));
}

function fenced(lines, from) {
  const fence = FENCE.exec(lines[from].text)[1];
  let close = from + 1;
  while (close < lines.length && !lines[close].text.trimStart().startsWith(fence)) close += 1;
  return [{ type: 'pre', inline: verbatim(lines.slice(from + 1, close)) }, Math.min(close + 1, lines.length)];
}

/** Lines with a rule under the first are a table; others that begin with a bar stay as they were typed. */
function table(lines) {
  if (lines.length < 2 || !TABLE_RULE.test(lines[1].text)) return { type: 'pre', inline: verbatim(lines) };
  const [head, , ...rows] = lines.map(cells);
  return { type: 'table', head, rows };
}

/** A row's cells, between bars that are neither escaped nor in code. */
function cells({ text, at }) {
  const row = [];
  for (const match of text.matchAll(/(?:\\.|`[^`]*`|[^|\\])+|\\$/g)) {
    const cell = match[0].trim();
    const start = match.index + match[0].indexOf(cell);
    const outside = cell === '' && (match.index === 0 || match.index + match[0].length === text.length);
    if (!outside) row.push(parseInline(cell, at + start));
  }
  return row;
}

function list(lines, from, depth) {
  const first = ITEM.exec(lines[from].text);
  const base = first[1].length;
  const numbered = first[3] !== undefined;
  const items = [];
  let next = from;
  while (next < lines.length) {
    const line = lines[next];
    const item = ITEM.exec(line.text);
    const indent = line.text.length - line.text.trimStart().length;
    const blank = line.text.trim() === '';
    const afterBlank = next > from && lines[next - 1].text.trim() === '';
    if (item !== null && indent < base + 2) {
      if ((item[3] !== undefined) !== numbered || indent < base - 1) break;
      items.push([cut(line, item[0].length)]);
    } else if (blank || indent >= base + 2 || (!afterBlank && !interrupts(line.text))) {
      items.at(-1).push(cut(line, Math.min(indent, base + 2)));
    } else break;
    next += 1;
  }
  while (lines[next - 1].text.trim() === '') next -= 1;
  const parsed = items.map((item) => ({ blocks: parseBlocks(item, depth + 1) }));
  return [{ type: 'list', items: parsed, ...(numbered && { first: Number(first[3]) }) }, next];
}

function cut(line, length) {
  return { text: line.text.slice(length), at: line.at + length };
}

function runOf(lines, from, pattern) {
  let after = from + 1;
  while (after < lines.length && pattern.test(lines[after].text)) after += 1;
  return after;
}

/** Lines as they are. Each is a piece of its own, since in a quote or a list they do not follow on one another. */
function verbatim(lines) {
  return lines.flatMap(({ text, at }, index) => [
    ...(index === 0 ? [] : [{ type: 'text', text: '\n', at: at - 1 }]),
    { type: 'text', text, at },
  ]);
}

function parseInline(text, at, depth = 0) {
  const inline = [];
  let done = 0;
  const plain = (end) => {
    if (end > done) inline.push({ type: 'text', text: text.slice(done, end), at: at + done });
  };
  for (const match of text.matchAll(INLINE)) {
    const [name, inner] = Object.entries(match.groups).find(([, value]) => value !== undefined);
    plain(match.index);
    const opening = name.startsWith('strong') || match[0].startsWith('!') ? 2 : 1;
    const start = match.index + opening;
    if (name === 'escaped' || name === 'link') {
      inline.push({ type: 'text', text: inner, at: at + start });
    } else if (name === 'code') {
      inline.push({ type: 'code', inline: [{ type: 'text', text: inner, at: at + start }] });
    } else {
      const content = depth < MAX_DEPTH ? parseInline(inner, at + start, depth + 1) : [];
      const fallback = [{ type: 'text', text: inner, at: at + start }];
      inline.push({ type: name.replace('2', ''), inline: content.length > 0 ? content : fallback });
    }
    done = match.index + match[0].length;
  }
  plain(text.length);
  return inline;
}

/**
 * The citations in a text that is still being written, by its brackets alone; the finished answer brings its own,
 * checked ones. A link is none.
 */
export function bracketCitations(text) {
  const citations = [];
  for (const match of text.matchAll(/\[(\d{1,4}(?:\s*[,;]\s*\d{1,4})*)\]/g)) {
    for (const number of match[1].split(/[,;]/)) {
      citations.push({ number: Number(number), start: match.index, end: match.index + match[0].length });
    }
  }
  return citations;
}

/**
 * Cuts a piece of text at its citations and flags: `{ text, flags }`, and `numbers` for a citation, in order. Citations
 * with the same position are one bracket. What only partly lies in the piece is cut to it.
 */
export function segments(leaf, citations, flags) {
  const end = leaf.at + leaf.text.length;
  const inside = (span) => span.start < end && span.end > leaf.at;
  const here = citations.filter((citation) => citation.start >= leaf.at && citation.end <= end);
  const flagged = flags.filter(inside);
  const points = new Set([leaf.at, end]);
  for (const span of [...here, ...flagged]) {
    points.add(Math.max(span.start, leaf.at));
    points.add(Math.min(span.end, end));
  }
  const cuts = [...points].sort((a, b) => a - b).filter((point) => !here.some((c) => c.start < point && point < c.end));
  return cuts.slice(0, -1).map((start, index) => {
    const stop = cuts[index + 1];
    const numbers = here.filter((c) => c.start === start && c.end === stop).map((c) => c.number);
    return {
      text: leaf.text.slice(start - leaf.at, stop - leaf.at),
      flags: flagged.filter((flag) => flag.start < stop && flag.end > start),
      ...(numbers.length > 0 && { numbers: [...new Set(numbers)] }),
    };
  });
}
