import { QUESTION } from '../asking.js';
import { expect } from '../harness.js';
import { test } from '../in-page.js';

// The wasm that answers comes in two files: what answers without a model run, and the rest.

const REST = '/ibid/wasm/ibid_ask_rest.wasm';

test('answers without a model run without the second part', async ({ lib, requests }) => {
  await lib.evaluate(async (question) => {
    const { text } = await window.ibid.ask(question);
    if (text === '') throw new Error('There is no answer.');
    const conversation = window.ibid.conversation();
    await conversation.ask(question);
    await conversation.ask('And for adults?');
  }, QUESTION);
  const paths = requests.map(({ pathname }) => pathname);
  expect(paths).toContain('/ibid/wasm/ibid_ask_bg.wasm');
  // Its search runs without the other second part, too.
  expect(paths.filter((path) => path.endsWith('_rest.wasm'))).toEqual([]);
});

test('options fetch the second part first, once', async ({ lib, requests }) => {
  await lib.evaluate(async (question) => {
    await Promise.all([window.ibid.ask(question, { maxTurns: 3 }), window.ibid.ask(question, { maxTurns: 3 })]);
  }, QUESTION);
  expect(requests.filter(({ pathname }) => pathname === REST)).toHaveLength(1);
});

test('where the second part is not there, options fail, and can be tried again', async ({ lib }) => {
  await lib.route(`**${REST}`, (route) => route.fulfill({ status: 404, body: 'Not Found' }));
  const outcomes = () =>
    lib.evaluate(async (question) => {
      const outcome = (run: PromiseLike<unknown>) =>
        run.then(
          () => 'answered',
          ({ code }) => code as string,
        );
      const { ibid } = window;
      return [await outcome(ibid.ask(question, { maxTurns: 3 })), await outcome(ibid.ask(question))];
    }, QUESTION);
  expect(await outcomes()).toEqual(['wasm-load', 'answered']);
  await lib.unroute(`**${REST}`);
  expect(await outcomes()).toEqual(['answered', 'answered']);
});
