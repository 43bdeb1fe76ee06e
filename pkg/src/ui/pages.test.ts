import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Hit } from '../search-types.js';
import { address, anonymous, bySection, isCode, joined, located, pageTitle, section } from './pages.js';
import { sourceAddress } from './sources.js';

function hit(given: Partial<Hit>): Hit {
  const excerpt = given.excerpt ?? '';
  return {
    ...{ title: 'Errors - The Book', headingPath: ['Errors - The Book', 'Errors'], url: '/errors.html', anchor: null },
    ...{ documentId: 'errors', text: excerpt, excerpt, highlights: [], excerptHighlights: [] },
    ...given,
  } as Hit;
}

test('a page shows the best hit below each heading', () => {
  const deep = hit({ headingPath: ['Errors - The Book', 'Errors', 'Panics'] });
  const hits = bySection([deep, hit({}), hit({ ...deep, excerpt: 'again' })]);
  assert.deepEqual(hits.map(section), ['Panics', '']);
  assert.equal(pageTitle(deep), 'Errors');
  assert.equal(pageTitle(hit({ title: 'Dosing', headingPath: ['Dosing', 'Adults'] })), 'Dosing');
  assert.equal(section(hit({ title: 'Dosing', headingPath: ['Dosing', 'Adults', 'Elderly'] })), 'Adults › Elderly');
});

test('the nearest pages come first, with what else is relevant on them', () => {
  const page = (documentId: string, ...chunks: number[]) => ({
    ...{ documentId, title: documentId, url: null },
    hits: chunks.map((chunk) => hit({ chunk })),
  });
  const shown = (limit: number) =>
    joined([page('a', 1, 2), page('weak', 9)], [page('b', 5), page('a', 2, 3), page('c', 7)], limit).map(
      ({ documentId, hits }) => `${documentId} ${hits.map(({ chunk }) => chunk)}`,
    );
  assert.deepEqual(shown(8), ['a 1,2,3', 'weak 9', 'b 5', 'c 7']);
  assert.deepEqual(shown(3), ['a 1,2,3', 'weak 9', 'b 5']);
});

test('an address leads to the heading and to the words that matched', () => {
  const found = hit({
    anchor: 'a b',
    excerpt: '…we re-throw std.err, say: why.',
    excerptHighlights: [{ start: 4, end: 12 }],
  });
  assert.equal(address(found, true), '/errors.html#a%20b:~:text=re%2Dthrow%20std.err%2C%20say');
  assert.equal(address(found, false), '/errors.html#a%20b');
  assert.equal(address({ ...found, anchor: null }, true), '/errors.html#:~:text=re%2Dthrow%20std.err%2C%20say');
  assert.equal(
    address({ ...found, url: '/errors.html#top' }, true),
    '/errors.html#top:~:text=re%2Dthrow%20std.err%2C%20say',
  );
  assert.equal(address(hit({ url: null }), true), null);
  // A word or two may stand above the heading, where the browser would stop.
  const short = { ...found, excerpt: '…core.eol: why.', excerptHighlights: [{ start: 1, end: 5 }] };
  assert.equal(address(short, true), '/errors.html#a%20b');
  assert.equal(address({ ...short, anchor: null }, true), '/errors.html#:~:text=core.eol');
});

test('a passage of a built site is where its file is', () => {
  const index = 'https://example.org/docs/site.ibid';
  const url = (source: string, at = index) => located(hit({ source }), 'source', at).url;
  assert.equal(url('guide/a b.html'), 'https://example.org/docs/guide/a%20b.html');
  assert.equal(url('guide/index.html'), 'https://example.org/docs/guide/');
  assert.equal(url('index.html', `${index}/`), 'https://example.org/docs/');
  assert.equal(located(hit({ source: 'a.html' }), null, index).url, '/errors.html');
});

test('an address that is no page is none', () => {
  for (const url of [
    'javascript:alert(1)',
    ' JavaScript:alert(1)',
    'java\nscript:alert(1)',
    'data:text/html,x',
    'http://[',
  ]) {
    assert.equal(address(hit({ url }), true), null, url);
    assert.equal(sourceAddress({ url, anchor: 'a' }), null, url);
  }
  for (const url of ['/a.html', 'a b.html', '//example.org/', 'https://example.org/?a=javascript:b']) {
    assert.ok(address(hit({ url }), true)?.startsWith(url), url);
  }
});

test('an excerpt of a code block is code', () => {
  const text = 'Call it.\n\n```rust\nfn main() {}\n```\n\nThat is all.';
  assert.equal(isCode(hit({ text, excerpt: 'fn main() {}' })), true);
  assert.equal(isCode(hit({ text, excerpt: '…That is all.' })), false);
  assert.equal(isCode(hit({ text, excerpt: 'elsewhere' })), false);
});

test('what may tell who asked does not leave', () => {
  assert.equal(anonymous('mail to ada@example.org about +44 20 7946 0958'), 'mail to … about …');
  assert.equal(anonymous('HTTP 404 in version 1.2.3'), 'HTTP 404 in version 1.2.3');
});
