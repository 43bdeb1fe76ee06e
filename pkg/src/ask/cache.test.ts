import assert from 'node:assert/strict';
import { test } from 'node:test';
import { scriptedIbid } from '../test-support.js';
import { Lru } from './lru.js';

test('what was used longest ago goes first', () => {
  const lru = new Lru<number>(2);
  lru.set('a', 1);
  lru.set('b', 2);
  assert.equal(lru.get('a'), 1);
  lru.set('c', 3);
  assert.deepEqual([lru.get('a'), lru.get('b'), lru.get('c')], [1, undefined, 3]);
});

test('a search of runs is made once, until the index changes', async () => {
  const { ibid, script } = await scriptedIbid();
  await ibid.ask('Search this');
  await ibid.ask('Search this');
  assert.equal(script.finds, 1);
  await ibid.remove('a');
  await ibid.ask('Search this');
  assert.equal(script.finds, 2);
});
