import assert from 'node:assert/strict';
import { test } from 'node:test';
import { bracketCitations, parseAnswer, segments } from '../../www/answer-tree.js';

/** A tree without its positions, in a form that reads well. */
function shape(blocks) {
  return blocks.map((block) => {
    if (block.inline) return [block.type, ...inlineShape(block.inline)];
    if (block.blocks) return [block.type, ...shape(block.blocks)];
    if (block.items) return [block.first === undefined ? 'ul' : `ol ${block.first}`, ...block.items.map(itemShape)];
    return [block.type];
  });
}
const itemShape = (item) => shape(item.blocks);
const inlineShape = (inline) =>
  inline.map((node) => (node.type === 'text' ? node.text : [node.type, ...inlineShape(node.inline)]));
const tree = (text) => shape(parseAnswer(text));

/** Every piece of text in a tree, in order. */
function leaves(blocks) {
  return blocks.flatMap((block) => [
    ...(block.inline ? inlineLeaves(block.inline) : []),
    ...(block.blocks ? leaves(block.blocks) : []),
    ...[block.head ?? [], ...(block.rows ?? [])].flat().flatMap(inlineLeaves),
    ...(block.items ?? []).flatMap((item) => leaves(item.blocks)),
  ]);
}
const inlineLeaves = (inline) => inline.flatMap((node) => (node.type === 'text' ? [node] : inlineLeaves(node.inline)));

test('paragraphs, bold, italic and code', () => {
  assert.deepEqual(tree('Use **5 mg** _once_, *not* `twice`.\nSame paragraph.\n\nNext.'), [
    [
      'paragraph',
      'Use ',
      ['strong', '5 mg'],
      ' ',
      ['em', 'once'],
      ', ',
      ['em', 'not'],
      ' ',
      ['code', 'twice'],
      '.',
      ' ',
      'Same paragraph.',
    ],
    ['paragraph', 'Next.'],
  ]);
  assert.deepEqual(tree('**a *b* c**'), [['paragraph', ['strong', 'a ', ['em', 'b'], ' c']]]);
});

test('what only looks like markup stays text', () => {
  for (const text of ['2 * 3 * 4', 'snake_case_name', '5 ** 2 ** 1', 'an unclosed **bold', '[1]', 'a < b > c']) {
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

test('lists, nested and numbered, and what follows them', () => {
  assert.deepEqual(tree('- a\n  - b\n- c\n\n3. d\n4. e\nlazy\n\nafter'), [
    [
      'ul',
      [
        ['paragraph', 'a'],
        ['ul', [['paragraph', 'b']]],
      ],
      [['paragraph', 'c']],
    ],
    ['ol 3', [['paragraph', 'd']], [['paragraph', 'e', ' ', 'lazy']]],
    ['paragraph', 'after'],
  ]);
});

test('headings, quotes, rules, tables and fences', () => {
  assert.deepEqual(tree('## Dose\n> one\n> two\n\n---\n| a | b |\n```\n**raw**\n```'), [
    ['heading', 'Dose'],
    ['quote', ['paragraph', 'one', ' ', 'two']],
    ['rule'],
    ['pre', '| a | b |'],
    ['pre', '**raw**'],
  ]);
  assert.deepEqual(tree('```\nnever closed'), [['pre', 'never closed']]);
});

test('tables have a head and rows of cells', () => {
  const text = '| Drug | Dose [1] |\n|:--|---|\n| **Zinc** | 5 \\| 10 mg |\n| `a|b` | |\n\nAfter.';
  const [table, after] = parseAnswer(text);
  const words = (cells) => cells.map((cell) => inlineLeaves(cell).map((leaf) => leaf.text));
  assert.equal(table.type, 'table');
  assert.deepEqual(words(table.head), [['Drug'], ['Dose [1]']]);
  assert.deepEqual(table.rows.map(words), [
    [['Zinc'], ['5 ', '|', ' 10 mg']],
    [['a|b'], []],
  ]);
  assert.deepEqual(table.rows[0][0][0].type, 'strong');
  for (const leaf of leaves([table])) assert.equal(text.slice(leaf.at, leaf.at + leaf.text.length), leaf.text);
  assert.equal(after.type, 'paragraph');
});

test('every piece of text knows its position, in any text', () => {
  const pieces = [
    '- ',
    '1. ',
    '> ',
    '  ',
    '\n',
    '\n\n',
    '**',
    '*',
    '_',
    '`',
    '```',
    '| x',
    '# ',
    'word',
    ' ',
    '[1]',
    '[a](b)',
    '\\*',
    '---',
    '🫁',
  ];
  let seed = 7;
  const random = (below) => {
    seed = (seed * 1103515245 + 12345) % 2147483648;
    return Math.floor((seed / 2147483648) * below);
  };
  for (let round = 0; round < 3000; round += 1) {
    const text = Array.from({ length: random(40) }, () => pieces[random(pieces.length)]).join('');
    let end = 0;
    for (const leaf of leaves(parseAnswer(text))) {
      const there = text.slice(leaf.at, leaf.at + leaf.text.length);
      assert.ok(there === leaf.text || (leaf.text === ' ' && there === '\n'), JSON.stringify({ text, leaf, there }));
      assert.ok(leaf.at >= end, JSON.stringify({ text, leaf, end }));
      end = leaf.at + leaf.text.length;
    }
  }
});

test('a deeply nested text does not exhaust the stack', () => {
  assert.equal(parseAnswer('> '.repeat(20_000)).length, 1);
  assert.equal(parseAnswer(`${'- '.repeat(20_000)}x`).length, 1);
});

test('citations are found by their brackets while the answer is written', () => {
  assert.deepEqual(bracketCitations('A [1]. B [2, 13]. [x] [12345]'), [
    { number: 1, start: 2, end: 5 },
    { number: 2, start: 9, end: 16 },
    { number: 13, start: 9, end: 16 },
  ]);
});

test('a piece of text is cut at its citations and flags', () => {
  const text = 'Give 5 mg [1, 2] now.';
  const flag = { start: 5, end: 16, message: 'm' };
  assert.deepEqual(segments({ text, at: 100 }, shift(bracketCitations(text)), shift([flag])), [
    { text: 'Give ', flags: [] },
    { text: '5 mg ', flags: shift([flag]) },
    { text: '[1, 2]', flags: shift([flag]), numbers: [1, 2] },
    { text: ' now.', flags: [] },
  ]);
  const across = segments(
    { text: 'abc', at: 10 },
    [],
    [
      { start: 5, end: 11 },
      { start: 12, end: 40 },
    ],
  );
  assert.deepEqual(
    across.map((segment) => [segment.text, segment.flags.length]),
    [
      ['a', 1],
      ['b', 0],
      ['c', 1],
    ],
  );
});
const shift = (spans) => spans.map((span) => ({ ...span, start: span.start + 100, end: span.end + 100 }));
