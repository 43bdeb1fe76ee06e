import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ANSWER } from '../test-support.js';
import { Lru } from './lru.js';
import { scriptedIbid } from './test-ibid.js';
import type { AskOptions } from './types.js';

const LLM = { baseURL: 'https://example.org/v1', model: 'm' };

test('what was used longest ago goes first', () => {
  const lru = new Lru<number>(2);
  lru.set('a', 1);
  lru.set('b', 2);
  assert.equal(lru.get('a'), 1);
  lru.set('c', 3);
  assert.deepEqual([lru.get('a'), lru.get('b'), lru.get('c')], [1, undefined, 3]);
});

test('a search of runs is made once, until the index changes', async () => {
  const { ibid, script } = await scriptedIbid();
  await ibid.ask('Search this');
  await ibid.ask('Search this');
  assert.equal(script.finds, 1);
  await ibid.ask('Search this', { cache: { searches: false } });
  assert.equal(script.finds, 2);
  await ibid.remove('a');
  await ibid.ask('Search this');
  assert.equal(script.finds, 3);
});

test('an answer is kept only on request, and only for the very same question', async () => {
  let asked = 0;
  const { ibid } = await scriptedIbid(async () => ({ ...ANSWER, text: `Answer ${++asked}` }));
  const options: AskOptions = { llm: LLM, cache: { answers: true } };
  const text = async (question: string, more: AskOptions = {}) =>
    (await ibid.ask(question, { ...options, ...more })).text;
  assert.equal(await text('Why?'), 'Answer 1');
  assert.equal(await text('Why? '), 'Answer 1');
  assert.equal(await text('Why?', { llm: { ...LLM, apiKey: 'another' } }), 'Answer 1');
  const kept = await ibid.ask('Why?', options);
  assert.equal(kept.cached, true);
  kept.sources.push({} as never);
  assert.deepEqual((await ibid.ask('Why?', options)).sources, []);
  assert.equal(await text('Why?', { cache: {} }), 'Answer 2');
  assert.equal(await text('How?'), 'Answer 3');
  assert.equal(await text('Why?', { llm: { ...LLM, model: 'n' } }), 'Answer 4');
  assert.equal(await text('Why?', { prompts: { preset: 'clinical' } }), 'Answer 5');
  assert.equal(await text('Why?', { prepareStep: () => undefined }), 'Answer 6');
  assert.equal(await text('Why?', { prepareStep: () => undefined }), 'Answer 7');
  assert.equal((await ibid.conversation().ask('Why?', options)).text, 'Answer 8');
  await ibid.remove('a');
  assert.equal(await text('Why?'), 'Answer 9');
  const [one, other] = [1, 2].map((part) => ({ name: 'mine', stream: () => [String(part)] }));
  assert.equal(await text('Why?', { llm: one }), 'Answer 10');
  assert.equal(await text('Why?', { llm: other }), 'Answer 11');
  assert.equal(await text('Why?', { llm: one }), 'Answer 10');
  assert.equal(await text('Why?', { rerank: () => [] }), 'Answer 12');
});

test('a kept answer comes as text and answer', async () => {
  const { ibid } = await scriptedIbid();
  const options: AskOptions = { llm: LLM, cache: { answers: true } };
  await ibid.ask('Why?', options);
  const events = [];
  for await (const event of ibid.ask('Why?', options)) events.push(event);
  assert.deepEqual(events, [
    { type: 'text', delta: ANSWER.text, restart: true },
    { type: 'answer', answer: { ...ANSWER, cached: true } },
  ]);
});

test('an answer that was cut short is not kept', async () => {
  let asked = 0;
  const { ibid } = await scriptedIbid(async () => ({ ...ANSWER, text: `${++asked}`, stoppedBy: 'tokens' }));
  const options: AskOptions = { llm: LLM, cache: { answers: true } };
  await ibid.ask('Why?', options);
  assert.equal((await ibid.ask('Why?', options)).text, '2');
});
