import type { BlockNode, CellNode, InlineNode, TextNode } from '../ask/answer-types.js';

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
const TABLE_RULE = /^\|?\s*:?-+:?\s*(\|\s*:?-+:?\s*)*\|?$/;
const RULE = /^\s{0,3}([-*_])(?:\s*\1){2,}\s*$/;

// What is bounded in length keeps a text that opens again and again, and never closes, from taking time by its square.
const INLINE = new RegExp(
  [
    '`(?<code>[^`]+)`',
    '\\*\\*(?=\\S)(?<strong>.{1,500}?)(?<=\\S)\\*\\*',
    '__(?=\\S)(?<strong2>.{1,500}?)(?<=\\S)__',
    '\\*(?![\\s*])(?<emphasis>[^*]+?)(?<!\\s)\\*(?!\\w)',
    '(?<!\\w)_(?![\\s_])(?<emphasis2>[^_]+?)(?<!\\s)_(?!\\w)',
    '\\[(?<citation>\\d{1,4}(?:\\s*[,;]\\s*\\d{1,4})*)\\]',
    '!?\\[(?<link>[^\\]]{0,500})\\]\\([^()\\s]{0,2000}\\)',
    '\\\\(?<escaped>[!-/:-@[-`{-~])',
  ].join('|'),
  'g',
);

type Knows = (number: number) => boolean;

/**
 * The blocks of a text that goes on. A bracket is a citation if `knows` one of its numbers, and else text. Nothing in it has
 * a place in the text: all `start` and `end` are 0.
 */
export function partialTree(text: string, knows: Knows): BlockNode[] {
  return parseBlocks(text.split('\n'), knows, 0);
}

function parseBlocks(lines: readonly string[], knows: Knows, depth: number): BlockNode[] {
  const blocks: BlockNode[] = [];
  let next = 0;
  while (next < lines.length) {
    if (lines[next]?.trim() === '') next += 1;
    else {
      const [block, after] = parseBlock(lines, next, knows, depth);
      blocks.push(block);
      next = after;
    }
  }
  return blocks;
}

/** The block that begins on a line, and the line behind it. */
function parseBlock(lines: readonly string[], from: number, knows: Knows, depth: number): [BlockNode, number] {
  const line = lines[from] ?? '';
  if (FENCE.test(line)) return fenced(lines, from);
  if (TABLE.test(line)) {
    const after = runOf(lines, from, (row) => TABLE.test(row));
    return [table(lines.slice(from, after), knows), after];
  }
  if (RULE.test(line)) return [{ type: 'thematicBreak' }, from + 1];
  const heading = HEADING.exec(line);
  if (heading !== null) {
    const children = inline(line.slice(heading[0].length), knows);
    const level = (heading[1]?.length ?? 1) as 1 | 2 | 3 | 4 | 5 | 6;
    return [{ type: 'heading', level, children }, from + 1];
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

function interrupts(line: string): boolean {
  return [FENCE, TABLE, HEADING, QUOTE, ITEM, RULE].some((pattern) => pattern.test(line));
}

function fenced(lines: readonly string[], from: number): [BlockNode, number] {
  const fence = FENCE.exec(lines[from] ?? '')?.[1] ?? '';
  const after = runOf(lines, from, (line) => !line.trimStart().startsWith(fence));
  return [code(lines.slice(from + 1, after)), Math.min(after + 1, lines.length)];
}

function code(lines: readonly string[]): BlockNode {
  return { type: 'codeBlock', children: [said(lines.join('\n'))] };
}

function said(text: string): TextNode {
  return { type: 'text', text, start: 0, end: 0 };
}

/** Lines with a rule under the first are a table; until that has come they stay as they are. */
function table(lines: readonly string[], knows: Knows): BlockNode {
  if (lines.length < 2 || !TABLE_RULE.test(lines[1]?.trim() ?? '')) return code(lines);
  const cell = (words: string): CellNode => ({ type: 'cell', children: inline(words, knows) });
  const [header = [], , ...rows] = lines.map((line) => cells(line).map(cell));
  return { type: 'table', alignment: [], header, rows };
}

/** A row's cells, between bars that are neither escaped nor in code. */
function cells(line: string): string[] {
  const row = line.trim().replace(/^\|/, '');
  return [...row.matchAll(/(?:\\.|`[^`]*`|[^|\\])+|\\$/g)].map((match) => match[0].trim());
}

function list(lines: readonly string[], from: number, knows: Knows, depth: number): [BlockNode, number] {
  const first = ITEM.exec(lines[from] ?? '');
  const base = first?.[1]?.length ?? 0;
  const ordered = first?.[3] !== undefined;
  const items: string[][] = [];
  let next = from;
  for (; next < lines.length; next += 1) {
    const line = lines[next] ?? '';
    const item = ITEM.exec(line);
    const indent = line.length - line.trimStart().length;
    const blank = line.trim() === '';
    const afterBlank = next > from && lines[next - 1]?.trim() === '';
    if (item !== null && indent < base + 2) {
      if ((item[3] !== undefined) !== ordered || indent < base - 1) break;
      items.push([line.slice(item[0].length)]);
    } else if (blank || indent >= base + 2 || (!afterBlank && !interrupts(line))) {
      items.at(-1)?.push(line.slice(Math.min(indent, base + 2)));
    } else break;
  }
  while (lines[next - 1]?.trim() === '') next -= 1;
  const children = items.map((item) => ({ type: 'item' as const, children: parseBlocks(item, knows, depth + 1) }));
  return [{ type: 'list', ordered, ...(ordered && { start: Number(first?.[3]) }), children }, next];
}

function runOf(lines: readonly string[], from: number, belongs: (line: string) => boolean): number {
  let after = from + 1;
  while (after < lines.length && belongs(lines[after] ?? '')) after += 1;
  return after;
}

function inline(text: string, knows: Knows, depth = 0): InlineNode[] {
  const nodes: InlineNode[] = [];
  let done = 0;
  const plain = (end: number) => {
    if (end > done) nodes.push(said(text.slice(done, end)));
  };
  for (const match of text.matchAll(INLINE)) {
    const [name = '', inner = ''] = Object.entries(match.groups ?? {}).find(([, value]) => value !== undefined) ?? [];
    const numbers = name === 'citation' ? inner.split(/[,;]/).map(Number) : [];
    if (name === 'citation' && !numbers.some(knows)) continue;
    plain(match.index);
    done = match.index + match[0].length;
    if (name === 'citation') {
      for (const number of numbers) {
        nodes.push(knows(number) ? { type: 'citation', number, start: 0, end: 0 } : said(`[${number}]`));
      }
    } else if (name === 'escaped' || name === 'link') {
      if (inner !== '') nodes.push(said(inner));
    } else if (name === 'code' || depth === MAX_DEPTH) {
      nodes.push({ type: 'code', children: [said(inner)] });
    } else {
      const type = name.startsWith('strong') ? 'strong' : 'emphasis';
      nodes.push({ type, children: inline(inner, knows, depth + 1) });
    }
  }
  plain(text.length);
  return nodes;
}
