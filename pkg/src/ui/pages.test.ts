import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Hit } from '../search-types.js';
import { address, anonymous, byPage, isCode, pageTitle, section } from './pages.js';

function hit(given: Partial<Hit>): Hit {
  const excerpt = given.excerpt ?? '';
  return {
    ...{ title: 'Errors - The Book', headingPath: ['Errors - The Book', 'Errors'], url: '/errors.html', anchor: null },
    ...{ documentId: 'errors', text: excerpt, excerpt, highlights: [], excerptHighlights: [] },
    ...given,
  } as Hit;
}

test('hits are grouped by page and heading, in the order of the best', () => {
  const other = hit({ url: '/traits.html', title: 'Traits', headingPath: ['Traits'] });
  const deep = hit({ headingPath: ['Errors - The Book', 'Errors', 'Panics'] });
  const pages = byPage([deep, other, hit({}), hit({ ...deep, excerpt: 'again' }), hit({ url: null })]);
  assert.deepEqual(
    pages.map(({ key, title, hits }) => [key, title, hits.map(section)]),
    [
      ['/errors.html', 'Errors', ['Panics', '']],
      ['/traits.html', 'Traits', ['']],
      ['errors', 'Errors', ['']],
    ],
  );
  assert.equal(pageTitle(hit({ title: 'Dosing', headingPath: ['Dosing', 'Adults'] })), 'Dosing');
  assert.equal(section(hit({ title: 'Dosing', headingPath: ['Dosing', 'Adults', 'Elderly'] })), 'Adults › Elderly');
});

test('an address leads to the heading and to the words that matched', () => {
  const found = hit({ anchor: 'a b', excerpt: '…we re-throw, say: why.', excerptHighlights: [{ start: 4, end: 12 }] });
  assert.equal(address(found, true), '/errors.html#a%20b:~:text=re%2Dthrow%2C%20say');
  assert.equal(address(found, false), '/errors.html#a%20b');
  assert.equal(address({ ...found, anchor: null }, true), '/errors.html#:~:text=re%2Dthrow%2C%20say');
  assert.equal(address({ ...found, url: '/errors.html#top' }, true), '/errors.html#top:~:text=re%2Dthrow%2C%20say');
  assert.equal(address(hit({ url: null }), true), null);
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
