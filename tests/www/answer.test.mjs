import assert from 'node:assert/strict';
import { test } from 'node:test';

/** As much of a document as the view of answers needs. It has no way to parse HTML, so text can only be text. */
class Element {
  children = [];
  attributes = {};
  constructor(tag) {
    this.tag = tag;
  }
  append(...children) {
    for (const child of children) this.children.push(child);
  }
  setAttribute(name, value) {
    this.attributes[name] = value;
  }
  set textContent(text) {
    this.children = [text];
  }
  get textContent() {
    return this.children.map((child) => child.textContent ?? child).join('');
  }
  replaceChildren(...children) {
    this.children = children;
    for (const child of children) child.parent = this;
  }
}
globalThis.document = { createElement: (tag) => new Element(tag), getElementById: () => new Element('div') };
const { AnswerView } = await import('../../www/answer.js');
const { cutAtFlags } = await import('../../www/answer-flags.js');

const SOURCES = new Map([[1, { number: 1, title: 'Zinc' }]]);
const said = (text, start = 0) => ({ type: 'text', text, start, end: start + text.length });
const paragraph = (...children) => ({ type: 'paragraph', children });

function shown(answer, onCite = () => {}) {
  const place = new Element('div');
  new AnswerView(place, SOURCES, onCite).showComplete({ flags: [], ...answer });
  return place;
}
/** The elements in short, `p(a strong(b))`. */
const short = (node) => (typeof node === 'string' ? node : `${node.tag}(${node.children.map(short).join(' ')})`);
const find = (node, tag) =>
  typeof node === 'string'
    ? []
    : [...(node.tag === tag ? [node] : []), ...node.children.flatMap((child) => find(child, tag))];

test('each kind of node has its element', () => {
  const cell = (text) => ({ type: 'cell', children: [said(text)] });
  const inline = ['emphasis', 'strong', 'strikethrough', 'code'].map((type) => ({ type, children: [said('x')] }));
  const tree = [
    { type: 'heading', level: 2, children: [said('Dose')] },
    paragraph(...inline, { type: 'lineBreak' }, { type: 'link', url: 'zinc.html', children: [said('see')] }),
    {
      type: 'list',
      ordered: true,
      start: 3,
      children: [{ type: 'item', children: [paragraph(said('a')), paragraph(said('b'))] }],
    },
    { type: 'list', ordered: false, children: [{ type: 'item', children: [] }] },
    { type: 'blockQuote', children: [paragraph(said('q'))] },
    { type: 'codeBlock', language: 'sh', children: [said('<b>')] },
    { type: 'thematicBreak' },
    { type: 'table', alignment: ['none', 'right'], header: [cell('h'), cell('i')], rows: [[cell('1'), cell('2')]] },
  ];
  const place = shown({ tree });
  assert.deepEqual(place.children.map(short), [
    'p(Dose)',
    'p(em(x) strong(x) s(x) code(x) br() a(see))',
    'ol(li(a p(b)))',
    'ul(li())',
    'blockquote(p(q))',
    'pre(<b>)',
    'hr()',
    'div(table(thead(tr(th(h) th(i))) tbody(tr(td(1) td(2)))))',
  ]);
  assert.equal(find(place, 'a')[0].href, 'zinc.html');
  assert.equal(find(place, 'ol')[0].start, 3);
  assert.deepEqual(
    find(place, 'td').map((each) => each.attributes),
    [{}, { 'data-align': 'right' }],
  );
});

test('citations are buttons that open their source', () => {
  const opened = [];
  const tree = [paragraph(said('A '), { type: 'citation', number: 1, start: 2, end: 5 })];
  const [button] = find(
    shown({ tree }, (source) => opened.push(source.title)),
    'button',
  );
  assert.equal(button.textContent, '[1]');
  assert.equal(button.attributes['aria-label'], '[1] Source 1: Zinc');
  button.onclick();
  assert.deepEqual(opened, ['Zinc']);
});

test('what is flagged is marked, and a number of no source is no button', () => {
  const flags = [
    { kind: 'unknown_source', span: { start: 2, end: 6 }, message: 'No [99].' },
    { kind: 'unknown_source', span: { start: 7, end: 14 }, message: 'No [98].' },
    { kind: 'cut_off', span: { start: 0, end: 0 }, message: 'Cut off.' },
  ];
  const rest = { type: 'text', text: '[98]', start: 7, end: 14 };
  const tree = [paragraph(said('A [99] '), { type: 'citation', number: 1, start: 7, end: 14 }, rest)];
  const place = shown({ tree, flags });
  assert.deepEqual(place.children.map(short), ['p(A  mark(span([99]))   button([1]) mark(span([98])))']);
  assert.deepEqual(
    find(place, 'mark').map((mark) => mark.title),
    ['No [99].', 'No [98].'],
  );
});

test('a text is cut where flags begin and end', () => {
  const flag = (start, end) => ({ kind: 'other', span: { start, end }, message: 'm' });
  const cut = (node, ...flags) => cutAtFlags(node, flags).map(({ text, flags: doubts }) => [text, doubts.length]);
  const abc = { type: 'text', text: 'abc', start: 10, end: 13 };
  assert.deepEqual(cut(abc, flag(5, 11), flag(12, 40)), [
    ['a', 1],
    ['b', 0],
    ['c', 1],
  ]);
  assert.deepEqual(cut(abc, flag(0, 10), flag(13, 14)), [['abc', 0]]);
  assert.deepEqual(cut({ type: 'text', text: '<', start: 0, end: 4 }, flag(2, 9)), [['<', 1]]);
  assert.deepEqual(cut({ type: 'text', text: 'streamed' }, flag(0, 4)), [['streamed', 0]]);
});
