import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { AnswerNode, BlockNode, CellNode } from '../ask/answer-types.js';
import { partialTree } from './partial.js';

const INLINE = new Set<string>(['text', 'citation', 'strong', 'emphasis', 'code']);
const BLOCKS = new Set<string>(['paragraph', 'heading', 'list', 'table', 'codeBlock', 'blockQuote', 'thematicBreak']);
const knows = (number: number) => number <= 3;

type Shape = (string | number | Shape)[];

/** A tree in a form that reads well. */
function shape(nodes: readonly AnswerNode[]): Shape {
  return nodes.map((node) => {
    if (node.type === 'text') return node.text;
    if (node.type === 'citation') return node.number;
    if (node.type === 'table') return ['table', row(node.header), ...node.rows.map(row)];
    const name = node.type === 'list' && node.ordered ? `list ${node.start}` : node.type;
    return [name, ...shape('children' in node ? node.children : [])];
  });
}
const row = (cells: readonly CellNode[]): Shape => cells.map((cell) => shape(cell.children));
const tree = (text: string) => shape(partialTree(text, knows));

test('paragraphs, bold, italic and code', () => {
  assert.deepEqual(tree('Use **5 mg** _once_, *not* `twice`.\nSame paragraph.\n\nNext.'), [
    [
      'paragraph',
      'Use ',
      ['strong', '5 mg'],
      ' ',
      ['emphasis', 'once'],
      ', ',
      ['emphasis', 'not'],
      ' ',
      ['code', 'twice'],
      '.\nSame paragraph.',
    ],
    ['paragraph', 'Next.'],
  ]);
  assert.deepEqual(tree('**a *b* c**'), [['paragraph', ['strong', 'a ', ['emphasis', 'b'], ' c']]]);
});

test('what only looks like markup stays text', () => {
  for (const text of ['2 * 3 * 4', 'snake_case_name', '5 ** 2 ** 1', 'an unclosed **bold', '[9]', 'a < b > c', '[1']) {
    assert.deepEqual(tree(text), [['paragraph', text]]);
  }
  assert.deepEqual(tree('\\*plain\\*'), [['paragraph', '*', 'plain', '*']]);
});

test('HTML stays text; links and images are reduced to their words', () => {
  assert.deepEqual(tree('<img src=x onerror=alert(1)>'), [['paragraph', '<img src=x onerror=alert(1)>']]);
  assert.deepEqual(tree('See [this](javascript:x) ![pic](https://e.org/p.png) end'), [
    ['paragraph', 'See ', 'this', ' ', 'pic', ' end'],
  ]);
});

test('brackets are citations where a source of the number is known', () => {
  assert.deepEqual(tree('A [1]. **B [2; 13]** [x] [12345] `[1]`'), [
    ['paragraph', 'A ', 1, '. ', ['strong', 'B ', 2, '[13]'], ' [x] [12345] ', ['code', '[1]']],
  ]);
});

test('lists, nested and numbered, and what follows them', () => {
  assert.deepEqual(tree('- a\n  - b\n- c\n\n3. d\n4. e\nlazy\n\nafter'), [
    ['list', ['item', ['paragraph', 'a'], ['list', ['item', ['paragraph', 'b']]]], ['item', ['paragraph', 'c']]],
    ['list 3', ['item', ['paragraph', 'd']], ['item', ['paragraph', 'e\nlazy']]],
    ['paragraph', 'after'],
  ]);
});

test('headings, quotes, rules, tables and fences', () => {
  assert.deepEqual(tree('## Dose\n> one\n> two\n\n---\n| a | b |\n```\n**raw**\n```'), [
    ['heading', 'Dose'],
    ['blockQuote', ['paragraph', 'one\ntwo']],
    ['thematicBreak'],
    ['codeBlock', '| a | b |'],
    ['codeBlock', '**raw**'],
  ]);
  assert.deepEqual(tree('```\nnever closed'), [['codeBlock', 'never closed']]);
});

test('tables have a head and rows of cells', () => {
  assert.deepEqual(tree('| Drug | Dose [1] |\n|:--|---|\n| **Zinc** | 5 \\| 10 mg |\n| `a|b` | |\n\nAfter.'), [
    ['table', [['Drug'], ['Dose ', 1]], [[['strong', 'Zinc']], ['5 ', '|', ' 10 mg']], [[['code', 'a|b']], []]],
    ['paragraph', 'After.'],
  ]);
});

test('any text becomes nodes of known kinds, and what they say comes out of it', () => {
  const pieces = '- |1. |> |  |\n|\n\n|**|*|_|`|```|# |word| |[1]|[a](b)|\\*|---|🫁|<b>'
    .split('|')
    .concat('| x', '|-|\n');
  let seed = 7;
  const random = (below: number) => {
    seed = (seed * 1103515245 + 12345) % 2147483648;
    return Math.floor((seed / 2147483648) * below);
  };
  for (let round = 0; round < 3000; round += 1) {
    const text = Array.from({ length: random(40) }, () => pieces[random(pieces.length)]).join('');
    let at = 0;
    const check = (nodes: readonly AnswerNode[], kinds: Set<string>) => {
      for (const node of nodes) {
        assert.ok(kinds.has(node.type), JSON.stringify({ text, node }));
        for (const char of node.type === 'text' ? node.text : '') {
          at = text.indexOf(char, at) + char.length;
          assert.ok(at > 0, JSON.stringify({ text, node }));
        }
        if (node.type === 'list') for (const item of node.children) check(item.children, BLOCKS);
        else if (node.type === 'table')
          for (const cell of [node.header, ...node.rows].flat()) check(cell.children, INLINE);
        else check('children' in node ? node.children : [], node.type === 'blockQuote' ? BLOCKS : INLINE);
      }
    };
    const blocks: BlockNode[] = partialTree(text, knows);
    check(blocks, BLOCKS);
  }
});

test('a deeply nested text does not exhaust the stack', () => {
  assert.equal(partialTree('> '.repeat(20_000), knows).length, 1);
  assert.equal(partialTree(`${'- '.repeat(20_000)}x`, knows).length, 1);
});

test('what opens and never closes takes no time by its square', () => {
  for (const piece of ['**a ', '__a ', '[', '![a', '`', '*a ', '_a ', '|', '- ', '[1,', '<', '&lt', '**[`_']) {
    partialTree(piece.repeat(100_000), knows);
  }
  for (const text of [`|a\n|${' '.repeat(200_000)}x`, `${' '.repeat(200_000)}|\n`, `|a\n${'|-'.repeat(100_000)}x`]) {
    partialTree(text, knows);
  }
});
