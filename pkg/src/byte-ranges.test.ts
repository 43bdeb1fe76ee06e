import assert from 'node:assert/strict';
import { test } from 'node:test';
import { cover, join, lengthOf, unflatten } from './byte-ranges.js';

const range = (start: number, end: number) => ({ start, end });

test('ranges are joined across small gaps', () => {
  assert.deepEqual(join([range(50, 60), range(0, 10), range(12, 20), range(15, 18)], 2), [range(0, 20), range(50, 60)]);
  assert.deepEqual(join([], 2), []);
});

test('a range is divided into what pieces have and the gaps between them', () => {
  const [a, b, c] = [range(10, 30), range(20, 40), range(60, 200)];
  assert.deepEqual(cover(range(0, 100), [c, a, b]), [
    range(0, 10),
    { ...range(10, 30), piece: a },
    { ...range(30, 40), piece: b },
    range(40, 60),
    { ...range(60, 100), piece: c },
  ]);
  assert.deepEqual(cover(range(5, 10), [a]), [range(5, 10)]);
  assert.deepEqual(cover(range(12, 15), [a, b]), [{ ...range(12, 15), piece: a }]);
});

test('flat ranges are start and end by turns', () => {
  assert.deepEqual(unflatten(Float64Array.of(1, 2, 5, 9)), [range(1, 2), range(5, 9)]);
  assert.equal(lengthOf([range(1, 2), range(5, 9)]), 5);
});
