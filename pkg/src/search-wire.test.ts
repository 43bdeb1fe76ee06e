import assert from 'node:assert/strict';
import { test } from 'node:test';
import { needsRest, queryWire } from './search-wire.js';

const read = (text: string, options: Parameters<typeof queryWire>[1]) => JSON.parse(queryWire(text, options));

test('a query carries what is given and nothing else', () => {
  assert.deepEqual(read('fever', {}), { text: 'fever' });
  const signal = new AbortController().signal;
  assert.deepEqual(read('fever', { limit: 3, mode: undefined, signal }), { text: 'fever', limit: 3 });
  assert.deepEqual(read('', { vector: Float32Array.of(0.5, 1) }), { text: '', vector: [0.5, 1] });
});

test('a number that is none is refused before it becomes nothing', () => {
  const refused = { code: 'invalid-option', message: '`minRelevance` is not a finite number.' };
  assert.throws(() => queryWire('fever', { minRelevance: Number.NaN }), refused);
  assert.throws(() => queryWire('fever', { vector: [1, Number.POSITIVE_INFINITY] }), { code: 'invalid-option' });
});

test('ages are counted from the given day, or from today', () => {
  const reference = (given?: string | Date) => read('fever', { freshness: { reference: given } }).freshness.reference;
  assert.equal(reference('2026-03-31'), '2026-03-31');
  assert.equal(reference(new Date('2026-03-31T12:00:00Z')), '2026-03-31');
  assert.match(reference(), /^\d{4}-\d\d-\d\d$/);
  assert.throws(() => reference(new Date('never')), { code: 'invalid-option' });
});

test('only options that few use need the rest of the module', () => {
  for (const query of ['{"text":"tea"}', '{"text":"tea","limit":3,"groupBy":"page","filter":null,"facets":[]}']) {
    assert.equal(needsRest(query), false, query);
  }
  for (const query of ['{"filter":{}}', '{"text":"tea","mmr":{}}', '{"text":"tea","unknown":1}']) {
    assert.equal(needsRest(query), true, query);
  }
});
