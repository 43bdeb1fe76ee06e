import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import { GlobalWindow } from 'happy-dom';
import type { CitationNode, Claim, Flag, InlineNode, Source, TextNode } from '../ask/answer-types.js';
import { Marks } from './marks.js';
import { partialReader } from './partial-reader.js';
import { renderAnswer, renderFlags } from './render.js';
import type { Mark, RenderOptions, Shown } from './types.js';
import { AnswerView } from './view.js';
import { describeMark } from './words.js';

let document: Document;

before(() => {
  document = new GlobalWindow().document as unknown as Document;
});

const source = (number: number, title: string, url: string | null = null) => ({ number, title, url }) as Source;
const SOURCES = [source(1, 'Zinc', 'zinc.html'), source(3, 'Iron')];
const said = (text: string, start = 0): TextNode => ({ type: 'text', text, start, end: start + text.length });
const cited = (number: number, start: number, end: number): CitationNode => ({ type: 'citation', number, start, end });
const paragraph = (...children: InlineNode[]) => ({ type: 'paragraph' as const, children });
const flag = (kind: string, start: number, end: number, message = 'Doubtful.'): Flag => ({
  kind,
  span: { start, end },
  message,
});
function claim(
  start: number,
  end: number,
  status: string,
  more: Partial<Claim> = {},
  alternatives: number[] = [],
): Claim {
  const span = { start: 0, end: 4 };
  const check = {
    status,
    coverage: 0.5,
    evidence: [{ number: 1, span, coverage: 0.5 }],
    alternatives: alternatives.map((number) => ({ number, span, coverage: 0.9 })),
  };
  return { text: '', start, end, sources: [1], check, ...more };
}

function shown(answer: Partial<Shown>, options: RenderOptions = {}): HTMLElement {
  const place = document.createElement('div');
  place.append(renderAnswer({ tree: [], sources: SOURCES, ...answer }, { document, ...options }));
  return place;
}

/** The elements in short, `p(a strong(b))`; signs by their status. */
function short(node: Node): string {
  if (node.nodeType === 3) return node.textContent ?? '';
  const element = node as Element;
  if (element.classList.contains('ibid-sign')) return `!${element.getAttribute('data-status')}`;
  return `${element.tagName.toLowerCase()}(${[...element.childNodes].map(short).join(' ')})`;
}
const shorts = (place: Element) => [...place.childNodes].map(short);

test('each kind of node has its element', () => {
  const cell = (text: string) => ({ type: 'cell' as const, children: [said(text)] });
  const types = ['emphasis', 'strong', 'strikethrough', 'code'] as const;
  const inline = types.map((type) => ({ type, children: [said('x')] }) as InlineNode);
  const place = shown({
    tree: [
      { type: 'heading', level: 2, children: [said('Dose')] },
      { type: 'heading', level: 5, children: [said('In children')] },
      paragraph(...inline, { type: 'lineBreak' }, { type: 'link', url: 'zinc.html#dose', children: [said('see')] }),
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
    ],
  });
  assert.deepEqual(shorts(place), [
    'h3(Dose)',
    'h4(In children)',
    'p(em(x) strong(x) s(x) code(x) br() a(see))',
    'ol(li(a p(b)))',
    'ul(li())',
    'blockquote(p(q))',
    'pre(<b>)',
    'hr()',
    'div(table(thead(tr(th(h) th(i))) tbody(tr(td(1) td(2)))))',
  ]);
  assert.equal(place.querySelector('a')?.getAttribute('href'), 'zinc.html#dose');
  assert.equal(place.querySelector('ol')?.getAttribute('start'), '3');
  const alignments = [...place.querySelectorAll('td')].map((each) => each.getAttribute('data-align'));
  assert.deepEqual(alignments, [null, 'right']);
});

test('links lead to sources and nowhere else, whatever the tree says', () => {
  const urls = [
    'https://evil.example/',
    'javascript:alert(1)',
    'JaVa\tscript:alert(1)',
    '//evil.example',
    'data:text/html,x',
    '',
  ];
  const sources = [...SOURCES, ...urls.slice(1, 3).map((url, at) => source(at + 5, 'Bad', url))];
  const tree = [paragraph(...urls.map((url) => ({ type: 'link' as const, url, children: [said('x')] })))];
  const place = shown({ tree, sources });
  assert.equal(place.querySelectorAll('a').length, 0);
  assert.equal(place.textContent, 'xxxxxx');
});

test('text is text, of unknown nodes too', () => {
  const attack = '<img src=x onerror=alert(1)><script>x</script>';
  const unknown = { type: 'script', children: [said(attack)] } as unknown as InlineNode;
  const place = shown({ tree: [paragraph(said(attack), unknown)] });
  assert.equal(place.textContent, attack + attack);
  assert.deepEqual(shorts(place), [`p(${attack} span(${attack}))`]);
});

test('citations are links, or buttons that open their source with the claim', () => {
  const tree = [paragraph(said('A '), cited(1, 2, 5), cited(9, 5, 8))];
  const [link] = shown({ tree }).querySelectorAll('a');
  assert.equal(link?.getAttribute('href'), '#source-1');
  assert.equal(link?.getAttribute('aria-label'), '[1] Source 1: Zinc');
  const opened: unknown[] = [];
  const place = shown(
    { tree, claims: [claim(0, 5, 'supported')] },
    { onCitation: (source, claim) => opened.push([source.title, claim?.check?.status]) },
  );
  assert.equal(place.textContent, 'A [1][9]');
  place.querySelector<HTMLElement>('.ibid-cite')?.click();
  assert.deepEqual(opened, [['Zinc', 'supported']]);
  const href = shown({ tree }, { sourceHref: ({ number }) => `/s/${number}`, citationLabel: ({ title }) => title });
  assert.equal(href.querySelector('a')?.getAttribute('href'), '/s/1');
  assert.equal(href.querySelector('a')?.getAttribute('aria-label'), 'Zinc');
});

test('what is flagged is marked, and a number of no source is no button', () => {
  const flags = [
    flag('unknown_source', 2, 6, 'No [99].'),
    flag('unknown_source', 7, 14, 'No [98].'),
    flag('cut_off', 0, 0),
  ];
  const rest: TextNode = { type: 'text', text: '[98]', start: 7, end: 14 };
  const tree = [paragraph(said('A [99] '), cited(1, 7, 14), rest)];
  const place = shown({ tree, flags }, { onCitation: () => {} });
  assert.deepEqual(shorts(place), ['p(A  mark(span([99])) !doubt   button([1]) mark(span([98])) !doubt)']);
  assert.deepEqual(
    [...place.querySelectorAll('mark')].map((mark) => mark.title),
    ['No [99].', 'No [98].'],
  );
  const [sign] = place.querySelectorAll('.ibid-sign');
  assert.deepEqual(
    ['role', 'aria-label', 'data-flags'].map((name) => sign?.getAttribute(name)),
    ['img', 'No [99].', 'unknown_source'],
  );
  assert.equal(place.textContent, 'A [99] [1][98]');
  assert.equal(shown({ tree, flags }, { signs: false }).querySelector('.ibid-sign'), null);
});

test('a claim has one sign behind it, which tells its flags too', () => {
  // "A is 5. B is 6 [1]. Who?"
  const tree = [
    paragraph(
      said('A is 5. B is '),
      { type: 'strong', children: [said('6', 13)] },
      said(' ', 14),
      cited(1, 15, 18),
      said('. Who?', 18),
    ),
  ];
  const claims = [
    claim(0, 7, 'uncited', { sources: [] }),
    claim(8, 19, 'unsupported', {}, [3]),
    claim(20, 24, 'not_checked'),
  ];
  const flags = [flag('number_unsupported', 13, 14, '6 is not in [1].')];
  const chosen: Mark[] = [];
  const place = shown({ tree, claims, flags }, { onMark: (mark) => chosen.push(mark) });
  assert.deepEqual(shorts(place), ['p(A is 5. !uncited  B is  strong(mark(6))   a([1]) . !unsupported  Who?)']);
  const labels = [...place.querySelectorAll('button')].map((sign) => sign.getAttribute('aria-label'));
  assert.deepEqual(labels, ['Cites no source.', 'Supported by [3], not [1]. 6 is not in [1].']);
  place.querySelectorAll('button')[1]?.click();
  assert.deepEqual(chosen, [{ claim: claims[1], flags }]);
  const said2 = shown({ tree, claims, flags }, { describe: ({ claim }) => `Stand: ${claim?.check?.status}` });
  assert.equal(said2.querySelector('.ibid-sign')?.getAttribute('aria-label'), 'Stand: uncited');
});

test('a claim that ends outside of any leaf has its sign behind the last one', () => {
  const cell = (...children: InlineNode[]) => ({ type: 'cell' as const, children });
  const tree = [
    {
      type: 'table' as const,
      alignment: [],
      header: [cell(said('h', 2))],
      rows: [[cell(said('a', 10)), cell(cited(1, 14, 17))]],
    },
  ];
  assert.deepEqual(shorts(shown({ tree, claims: [claim(8, 20, 'uncited')] })), [
    'div(table(thead(tr(th(h))) tbody(tr(td(a) td(a([1]) !uncited)))))',
  ]);
  assert.deepEqual(
    shorts(shown({ tree, claims: [claim(18, 20, 'uncited')] }))
      .join('')
      .includes('!'),
    false,
  );
});

test('character references and streamed texts are not cut', () => {
  const entity: TextNode = { type: 'text', text: '<', start: 0, end: 4 };
  assert.deepEqual(shorts(shown({ tree: [paragraph(entity)], flags: [flag('x', 2, 9)] })), ['p(mark(<) !doubt)']);
  const abc = said('abc', 10);
  const flags = [flag('x', 5, 11), flag('y', 12, 40), flag('z', 0, 10), flag('w', 13, 14)];
  assert.deepEqual(shorts(shown({ tree: [paragraph(abc)], flags }, { signs: false })), ['p(mark(a) b mark(c))']);
});

test('many marks in one long text take no time by their square', () => {
  const text = 'A is 5. '.repeat(40_000);
  const claims = Array.from({ length: 40_000 }, (_, at) => claim(at * 8, at * 8 + 7, 'uncited'));
  const flags = claims.map(({ start }) => flag('x', start + 5, start + 6));
  const marks = new Marks({ tree: [paragraph(said(text))], sources: [], claims, flags });
  const leaf = said(text);
  assert.equal(marks.of(leaf).length, 1);
  const tree = [paragraph(leaf)];
  const pieces = new Marks({ tree, sources: [], claims, flags }).of(leaf);
  assert.equal(pieces.length, 120_001);
  assert.equal(pieces.map((piece) => piece.text).join(''), text);
});

test('flags are listed with the sources that would support the claim', () => {
  const text = 'A is 5 [1].';
  const claims = [claim(0, 11, 'unsupported', {}, [3, 3])];
  const flags = [
    flag('number_unsupported', 5, 6, '5 is not in [1].'),
    flag('cut_off', 0, 0, 'Cut off.'),
    flag('low_coverage', 0, 11, 'See [3].'),
  ];
  const list = document.createElement('ul');
  list.append(renderFlags({ text, flags, claims }, { document }));
  assert.deepEqual(shorts(list), [
    'li(q(5)   5 is not in [1]. Supported by [3], not [1].)',
    'li(Cut off.)',
    'li(q(A is 5 [1].)   See [3].)',
  ]);
});

test('what came of a claim is said in words', () => {
  const say = (status: string, sources: number[], alternatives: number[] = []) =>
    describeMark({ claim: claim(0, 1, status, { sources }, alternatives), flags: [] });
  assert.equal(say('supported', [1, 2]), 'Supported by [1], [2].');
  assert.equal(say('unsupported', [1]), 'Not supported by [1].');
  assert.equal(say('uncited', [], [3]), 'Cites no source. Supported by [3].');
  assert.equal(say('whatever comes later', [1]), '');
});

test('a view changes only the blocks that have changed', () => {
  // Any reader will do that reads a paragraph as it did before.
  partialReader.read = (text) => JSON.stringify(text.split('\n\n').map((words) => paragraph(said(words))));
  const place = document.createElement('section');
  const view = new AnswerView(place, { document });
  const sources = new Map(SOURCES.map((each) => [each.number, each]));
  view.showPartial('One [1].\n\nTwo', sources);
  assert.deepEqual(shorts(place), ['p(One [1].)', 'p(Two)']);
  const [first, second] = place.children;
  view.showPartial('One [1].\n\nTwo [2] <b>\n\n- x', sources);
  assert.equal(place.children[0], first);
  assert.notEqual(place.children[1], second);
  assert.deepEqual(shorts(place), ['p(One [1].)', 'p(Two [2] <b>)', 'p(- x)']);
  view.showComplete({ tree: [paragraph(said('Done.'))], sources: SOURCES });
  assert.deepEqual(shorts(place), ['p(Done.)']);
  view.clear();
  delete partialReader.read;
  assert.equal(place.childNodes.length, 0);
});
