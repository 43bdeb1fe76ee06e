import type { CustomModel, Policy, Tool } from '../../../pkg/src/index.js';
import { answerOf, QUESTION, steps, streamed } from '../asking.js';
import { ask, expect, test } from './harness.js';

// A model of the page's own: an async generator instead of a provider.

test('a generator searches and answers', async ({ ibid }) => {
  const asked: unknown[] = [];
  const outcome = await ask(ibid, QUESTION, {
    llm: {
      name: 'parrot',
      async *stream({ messages, tools, toolChoice }) {
        asked.push({ roles: messages.map(({ role }) => role), tools: tools.map(({ name }) => name), toolChoice });
        if (messages.at(-1)?.role === 'user') {
          yield { type: 'reasoning', delta: 'I look it up.' };
          yield { type: 'tool-call', name: 'search_documents', arguments: { query: 'metformin eGFR 35' } };
          return;
        }
        yield 'Up to 1000 mg ';
        await new Promise((resolve) => setTimeout(resolve, 5));
        yield { type: 'text', delta: '[1].' };
        yield { type: 'usage', usage: { inputTokens: 10, outputTokens: 5 } };
        yield { type: 'finish', reason: 'stop' };
      },
    },
  });
  const answer = answerOf(outcome);
  expect(answer).toMatchObject({ text: 'Up to 1000 mg [1].', model: 'parrot', turns: 2, searches: 1, mode: 'model' });
  expect(answer.usage).toMatchObject({ inputTokens: 10, outputTokens: 5 });
  expect(answer.citations).toHaveLength(1);
  expect(steps(answer)).toEqual(['model', 'retrieve', 'model', 'verify']);
  expect(streamed(outcome.events)).toBe(answer.text);
  expect(outcome.events).toContainEqual({ type: 'reasoning', delta: 'I look it up.' });
  expect(asked).toEqual([
    { roles: ['system', 'user'], tools: ['search_documents'], toolChoice: 'auto' },
    { roles: ['system', 'user', 'assistant', 'tool'], tools: ['search_documents'], toolChoice: 'auto' },
  ]);
});

test('a generator may be plain, write its calls as text, and go through every policy', async ({ ibid }) => {
  const call = JSON.stringify({ name: 'search_documents', arguments: { query: 'metformin' } });
  const replies: Record<Exclude<Policy, 'extractive'>, string[]> = {
    classic: ['Classic [1].'],
    tools: [call, 'Tools [1].'],
    pipeline: ['COMPARATIVE', '1. metformin\n2. sitagliptin', 'Pipeline [1].', 'SUFFICIENT'],
    case: ['Since when?'],
    auto: ['Auto [1].'],
  };
  const texts: string[] = [];
  for (const [policy, given] of Object.entries(replies)) {
    const rest = [...given];
    const stream = function* () {
      yield rest.shift() ?? 'nothing';
    };
    const options = { policy: policy as Policy, llm: { name: 'plain', stream } };
    texts.push((await ibid.ask(QUESTION, options)).text);
    texts.push(...rest);
  }
  expect(texts).toEqual(['Classic [1].', 'Tools [1].', 'Pipeline [1].', 'Since when?', 'Auto [1].']);
});

test('a generator that takes too long is told to stop, and the run ends with what it has', async ({ ibid }) => {
  const ended: string[] = [];
  const tool: Tool = {
    name: 'wait',
    description: 'Waits.',
    readOnly: true,
    execute: (_, { signal }) => new Promise(() => signal.addEventListener('abort', () => ended.push('tool'))),
  };
  const hangs: CustomModel = {
    name: 'slow',
    async *stream(_, { signal }) {
      signal.addEventListener('abort', () => ended.push('model'));
      yield 'I think';
      await new Promise(() => {});
    },
  };
  const calls: CustomModel = { name: 'calls', stream: () => [{ type: 'tool-call', name: 'wait', arguments: {} }] };
  for (const options of [{ llm: hangs }, { llm: calls, tools: [tool] }]) {
    const answer = await ibid.ask(QUESTION, { ...options, timeout: 400 });
    expect(answer).toMatchObject({ mode: 'extractive', stoppedBy: 'timeout' });
  }
  expect(ended).toEqual(['model', 'tool']);
});
