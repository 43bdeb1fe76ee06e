import type { AskHost, AskModule } from '../../../pkg/src/ask/module.js';
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

test('a call that nobody foresaw has the page wait for the second part, and tells where it is not there', async ({
  lib,
}) => {
  await lib.route(`**${REST}`, (route) => route.fulfill({ status: 404, body: 'Not Found' }));
  await lib.evaluate((question) => window.ibid.ask(question).then(), QUESTION);
  const outcomes = () =>
    lib.evaluate(async (question) => {
      const outcome = (run: PromiseLike<unknown>) =>
        run.then(
          () => 'answered',
          ({ code }) => code as string,
        );
      // The library asks for the second part before it calls with such options.
      const { ask }: AskModule = await import('/ibid/ask/wasm.js' as string);
      const host = { search: async () => '[]' } as unknown as AskHost;
      const unforeseen = ask('Malaria. symptom: fever.', { policy: 'case' }, host, () => {});
      return [await outcome(unforeseen), await outcome(window.ibid.ask(question))];
    }, QUESTION);
  expect(await outcomes()).toEqual(['network', 'answered']);
  await lib.unroute(`**${REST}`);
  expect(await outcomes()).toEqual(['answered', 'answered']);
});
