import assert from 'node:assert/strict';
import { test } from 'node:test';
import { progressText } from './terminal.js';

test('progress tells what is done, what is left and the rate', () => {
  const of = (done: number, ms: number) => progressText(done, 3038, 'passages', ms);
  assert.equal(of(64, 900), '64 of 3,038 passages');
  assert.equal(of(1200, 14_000), '1,200 of 3,038 passages, 85 a second, 21 s left');
  assert.equal(of(64, 20_000), '64 of 3,038 passages, 3.2 a second, 15 min 29 s left');
  assert.equal(of(3, 20_000), '3 of 3,038 passages, 0.1 a second, 5 h 37 min left');
});
