import { test } from 'node:test';
import { CORPUS } from '../corpus/index.js';
import { expect } from './harness.js';

test('the corpus of hostile texts is what it says', () => {
  expect(CORPUS.length).toBeGreaterThanOrEqual(110);
  expect(new Set(CORPUS.map(({ name }) => name)).size).toBe(CORPUS.length);
});
