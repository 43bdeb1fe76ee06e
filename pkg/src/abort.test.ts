import assert from 'node:assert/strict';
import { test } from 'node:test';
import { orAborted } from './abort.js';
import { gate } from './test-support.js';

const refused = { code: 'aborted' };

test('what was aborted before is given up, even where the work is done', async () => {
  const done = Promise.resolve('done');
  await assert.rejects(orAborted(done, undefined, AbortSignal.abort()), refused);
  assert.equal(await orAborted(done, undefined, new AbortController().signal), 'done');
});

test('the wait ends with the first signal that aborts, and the work goes on', async () => {
  const [one, other] = [new AbortController(), new AbortController()];
  const work = gate<string>();
  const waiting = orAborted(work.opened, one.signal, other.signal);
  other.abort();
  await assert.rejects(waiting, refused);
  work.open('done');
  assert.equal(await work.opened, 'done');
});
