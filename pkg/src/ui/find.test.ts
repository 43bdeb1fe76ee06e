import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Ibid } from '../ibid.js';
import { findIn } from './find.js';
import type { Choice, Found } from './types.js';

test('what a first search chooses is counted anew, before a letter too', async () => {
  const found: Found = { hits: [], pages: [], total: 0, facets: [] };
  const limits: unknown[] = [];
  const query = async (_: string, { limit }: { limit: number }) => limits.push(limit) && found;
  const ibid = { query } as unknown as Ibid;
  const recounted = async () => ({ ...found, total: 7 });
  // The options choose the version that is open.
  let choice: Choice | undefined;
  const optionsOf = async () => {
    choice = { values: new Map([['version', new Set(['2'])]]), sort: undefined, recounted };
    return {};
  };
  for (const offset of ['facets', 'typed', 0] as const) {
    choice = undefined;
    const { total } = await findIn(ibid, '', { optionsOf, chosen: () => choice, isGrouped: false }, offset);
    assert.equal(total, 7);
  }
  assert.deepEqual(limits, [1, 5, 8]);
});
