import assert from 'node:assert/strict';
import { afterEach, test } from 'node:test';
import { KeptStore } from './kept.js';

const storage = new Map<string, string>();
const kept = new KeptStore();

function store(fails = false) {
  const get = (key: string) => storage.get(key) ?? null;
  const set = (key: string, value: string) => {
    if (fails) throw new DOMException('full', 'QuotaExceededError');
    storage.set(key, value);
  };
  Object.assign(globalThis, {
    localStorage: { getItem: get, setItem: set, removeItem: (key: string) => storage.delete(key) },
  });
}

afterEach(() => storage.clear());

test('the latest come first, favourites stay, and the rest is forgotten', () => {
  store();
  for (const at of [1, 2, 3, 4, 5, 6]) kept.opened({ title: `${at}`, section: '', href: `/${at}` });
  kept.toggle('/2');
  for (const at of [7, 8, 9, 10, 11]) kept.opened({ title: `${at}`, section: '', href: `/${at}` });
  assert.deepEqual(
    kept.get().pages.map(({ href }) => href),
    ['/2', '/11', '/10', '/9', '/8', '/7'],
  );
  kept.opened({ title: '2', section: '', href: '/2' });
  assert.equal(kept.get().pages[0]?.favourite, true);
  kept.forget('/2');
  assert.ok(kept.get().pages.every(({ href }) => href !== '/2'));
  for (const query of ['a', 'b', 'a']) kept.searched(query);
  assert.deepEqual(kept.get().searches, ['a', 'b']);
  kept.clear();
  assert.deepEqual(kept.get(), { searches: [], pages: [] });
});

test('a storage that is full, or was written by something else, is no failure', () => {
  store(true);
  kept.searched('a');
  store();
  const script = { title: 'x', section: '', href: 'javascript:alert(1)' };
  storage.set('ibid-search', JSON.stringify({ searches: ['a', 1], pages: [script, null, { href: '/a' }] }));
  assert.deepEqual(kept.get(), { searches: ['a'], pages: [] });
  storage.set('ibid-search', 'no JSON');
  assert.deepEqual(kept.get(), { searches: [], pages: [] });
});
