import assert from 'node:assert/strict';
import { test } from 'node:test';
import { orAborted } from './abort.js';

const refused = { code: 'aborted' };

test('what was aborted before is given up, even where the work is done', async () => {
  const done = Promise.resolve('done');
  await assert.rejects(orAborted(done, undefined, AbortSignal.abort()), refused);
  assert.equal(await orAborted(done, undefined, new AbortController().signal), 'done');
});

test('the wait ends with the first signal that aborts, and the work goes on', async () => {
  const [one, other] = [new AbortController(), new AbortController()];
  const { promise, resolve } = withResolvers();
  const waiting = orAborted(promise, one.signal, other.signal);
  other.abort();
  await assert.rejects(waiting, refused);
  resolve('done');
  assert.equal(await promise, 'done');
});

function withResolvers(): { promise: Promise<string>; resolve: (value: string) => void } {
  let resolve: (value: string) => void = () => {};
  const promise = new Promise<string>((settle) => {
    resolve = settle;
  });
  return { promise, resolve };
}
