// Reads the text of an answer that is still being written, as a tree of the same kinds of nodes as the `tree` of the
// finished answer. That one comes once, from the module that answers, and with checked citations. Until then there is only
// the text, which changes with every word, and its last line may yet become anything. So this reads what makes the
// difference to the eye, and no more: paragraphs, lists, tables, quotes, fences, bold, italic and code. Links and images
// are their words here, and HTML is text.

const MAX_DEPTH = 4;
const ITEM = /^(\s*)([-*+]|(\d{1,9})[.)])(\s+)(?=\S)/;
const FENCE = /^\s*(```|~~~)/;
const HEADING = /^\s{0,3}(#{1,6})\s+/;
const QUOTE = /^\s{0,3}>\s?/;
const TABLE = /^\s*\|/;
const TABLE_RULE = /^\s*\|?\s*:?-+:?\s*(\|\s*:?-+:?\s*)*\|?\s*$/;
const RULE = /^\s{0,3}([-*_])(?:\s*\1){2,}\s*$/;

const INLINE = new RegExp(
  [
    '`(?<code>[^`]+)`',
    '\\*\\*(?=\\S)(?<strong>.+?)(?<=\\S)\\*\\*',
    '__(?=\\S)(?<strong2>.+?)(?<=\\S)__',
    '\\*(?![\\s*])(?<emphasis>[^*]+?)(?<!\\s)\\*(?!\\w)',
    '(?<!\\w)_(?![\\s_])(?<emphasis2>[^_]+?)(?<!\\s)_(?!\\w)',
    '\\[(?<citation>\\d{1,4}(?:\\s*[,;]\\s*\\d{1,4})*)\\]',
    '!?\\[(?<link>[^\\]]*)\\]\\([^()\\s]*\\)',
    '\\\\(?<escaped>[!-/:-@[-`{-~])',
  ].join('|'),
  'g',
);

/** The blocks of a text that goes on. A bracket is a citation if `knows` one of its numbers, and else text. */
export function partialTree(text, knows) {
  return parseBlocks(text.split('\n'), knows, 0);
}

function parseBlocks(lines, knows, depth) {
  const blocks = [];
  let next = 0;
  while (next < lines.length) {
    if (lines[next].trim() === '') next += 1;
    else {
      const [block, after] = parseBlock(lines, next, knows, depth);
      blocks.push(block);
      next = after;
    }
  }
  return blocks;
}

/** The block that begins on a line, and the line behind it. */
function parseBlock(lines, from, knows, depth) {
  const line = lines[from];
  if (FENCE.test(line)) return fenced(lines, from);
  if (TABLE.test(line)) {
    const after = runOf(lines, from, (row) => TABLE.test(row));
    return [table(lines.slice(from, after), knows), after];
  }
  if (RULE.test(line)) return [{ type: 'thematicBreak' }, from + 1];
  const heading = HEADING.exec(line);
  if (heading !== null) {
    const children = inline(line.slice(heading[0].length), knows);
    return [{ type: 'heading', level: heading[1].length, children }, from + 1];
  }
  if (depth < MAX_DEPTH && QUOTE.test(line)) {
    const after = runOf(lines, from, (more) => QUOTE.test(more));
    const inner = lines.slice(from, after).map((more) => more.replace(QUOTE, ''));
    return [{ type: 'blockQuote', children: parseBlocks(inner, knows, depth + 1) }, after];
  }
  if (depth < MAX_DEPTH && ITEM.test(line)) return list(lines, from, knows, depth);
  const after = runOf(lines, from, (more) => more.trim() !== '' && !interrupts(more));
  const words = lines.slice(from, after).map((more) => more.trim());
  return [{ type: 'paragraph', children: inline(words.join('\n'), knows) }, after];
}

function interrupts(line) {
  return [FENCE, TABLE, HEADING, QUOTE, ITEM, RULE].some((pattern) => pattern.test(line));
}

function fenced(lines, from) {
  const fence = FENCE.exec(lines[from])[1];
  const after = runOf(lines, from, (line) => !line.trimStart().startsWith(fence));
  return [code(lines.slice(from + 1, after)), Math.min(after + 1, lines.length)];
}

function code(lines) {
  return { type: 'codeBlock', children: [{ type: 'text', text: lines.join('\n') }] };
}

/** Lines with a rule under the first are a table; until that has come they stay as they are. */
function table(lines, knows) {
  if (lines.length < 2 || !TABLE_RULE.test(lines[1])) return code(lines);
  const cell = (words) => ({ type: 'cell', children: inline(words, knows) });
  const [header, , ...rows] = lines.map((line) => cells(line).map(cell));
  return { type: 'table', alignment: [], header, rows };
}

/** A row's cells, between bars that are neither escaped nor in code. */
function cells(line) {
  const row = line.trim().replace(/^\|/, '');
  return [...row.matchAll(/(?:\\.|`[^`]*`|[^|\\])+|\\$/g)].map((match) => match[0].trim());
}

function list(lines, from, knows, depth) {
  const first = ITEM.exec(lines[from]);
  const base = first[1].length;
  const ordered = first[3] !== undefined;
  const items = [];
  let next = from;
  for (; next < lines.length; next += 1) {
    const line = lines[next];
    const item = ITEM.exec(line);
    const indent = line.length - line.trimStart().length;
    const blank = line.trim() === '';
    const afterBlank = next > from && lines[next - 1].trim() === '';
    if (item !== null && indent < base + 2) {
      if ((item[3] !== undefined) !== ordered || indent < base - 1) break;
      items.push([line.slice(item[0].length)]);
    } else if (blank || indent >= base + 2 || (!afterBlank && !interrupts(line))) {
      items.at(-1).push(line.slice(Math.min(indent, base + 2)));
    } else break;
  }
  while (lines[next - 1].trim() === '') next -= 1;
  const children = items.map((item) => ({ type: 'item', children: parseBlocks(item, knows, depth + 1) }));
  return [{ type: 'list', ordered, ...(ordered && { start: Number(first[3]) }), children }, next];
}

function runOf(lines, from, belongs) {
  let after = from + 1;
  while (after < lines.length && belongs(lines[after])) after += 1;
  return after;
}

function inline(text, knows, depth = 0) {
  const nodes = [];
  let done = 0;
  const plain = (end) => {
    if (end > done) nodes.push({ type: 'text', text: text.slice(done, end) });
  };
  for (const match of text.matchAll(INLINE)) {
    const [name, inner] = Object.entries(match.groups).find(([, value]) => value !== undefined);
    const numbers = name === 'citation' ? inner.split(/[,;]/).map(Number) : [];
    if (name === 'citation' && !numbers.some(knows)) continue;
    plain(match.index);
    done = match.index + match[0].length;
    if (name === 'citation') {
      const shown = (number) => (knows(number) ? { type: 'citation', number } : { type: 'text', text: `[${number}]` });
      nodes.push(...numbers.map(shown));
    } else if (name === 'escaped' || name === 'link') {
      if (inner !== '') nodes.push({ type: 'text', text: inner });
    } else if (name === 'code' || depth === MAX_DEPTH) {
      nodes.push({ type: 'code', children: [{ type: 'text', text: inner }] });
    } else nodes.push({ type: name.replace('2', ''), children: inline(inner, knows, depth + 1) });
  }
  plain(text.length);
  return nodes;
}
