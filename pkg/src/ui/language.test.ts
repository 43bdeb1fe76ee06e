import assert from 'node:assert/strict';
import test from 'node:test';
import { inLanguage } from './language.js';

const VALUES = [
  { value: 'en', count: 40 },
  { value: 'de-DE', count: 38 },
  { value: 'pt-BR', count: 12 },
  { value: 'pt-PT', count: 10 },
];

function searched(tag: string, values = VALUES): unknown {
  const filter = inLanguage(values, tag) as { or: [{ language: string[] }, unknown] } | undefined;
  return filter?.or[0].language;
}

test('readers search their own language, with the main one where few documents are in it', () => {
  assert.deepEqual(searched('en-GB'), ['en']);
  assert.deepEqual(searched('de'), ['de-DE']);
  assert.deepEqual(searched('pt-br'), ['pt-BR', 'en']);
  assert.deepEqual(searched('pt'), ['pt-BR', 'pt-PT', 'en']);
});

test('nothing is left out where no document is in the language, or all are', () => {
  assert.equal(searched('sv'), undefined);
  assert.equal(searched('en', [{ value: 'en', count: 3 }]), undefined);
  assert.equal(searched('en', []), undefined);
});

test('documents of no known language are searched', () => {
  assert.deepEqual(inLanguage(VALUES, 'en'), { or: [{ language: ['en'] }, { language: null }] });
});
