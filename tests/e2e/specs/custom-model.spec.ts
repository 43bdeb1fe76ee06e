import { expect } from '../harness.js';
import { answerOf, steps, streamed, test } from '../in-page.js';

// A model of the page's own: an async generator in the place of a provider.

const QUESTION = 'How much metformin a day with an eGFR of 35?';

test('a generator searches and answers', async ({ lib, requests }) => {
  const seen = await lib.evaluate(async (question) => {
    const asked: unknown[] = [];
    const outcome = await window.outcome(
      window.ibid.ask(question, {
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
      }),
    );
    return { outcome, asked };
  }, QUESTION);
  const answer = answerOf(seen.outcome);
  expect(answer).toMatchObject({ text: 'Up to 1000 mg [1].', model: 'parrot', turns: 2, searches: 1, mode: 'model' });
  expect(answer.usage).toMatchObject({ inputTokens: 10, outputTokens: 5 });
  expect(answer.citations).toHaveLength(1);
  expect(steps(answer)).toEqual(['model', 'retrieve', 'model', 'seek', 'verify']);
  expect(streamed(seen.outcome.events)).toBe(answer.text);
  expect(seen.outcome.events).toContainEqual({ type: 'reasoning', delta: 'I look it up.' });
  expect(seen.asked).toEqual([
    { roles: ['system', 'user'], tools: ['search_documents'], toolChoice: 'auto' },
    { roles: ['system', 'user', 'assistant', 'tool'], tools: ['search_documents'], toolChoice: 'auto' },
  ]);
  expect(requests.filter(({ pathname }) => pathname.includes('chat'))).toEqual([]);
});

test('a generator may be plain, write its calls as text, and go through every policy', async ({ lib }) => {
  const texts = await lib.evaluate(async (question) => {
    const call = JSON.stringify({ name: 'search_documents', arguments: { query: 'metformin' } });
    const replies: Record<string, string[]> = {
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
      const options = { policy: policy as 'auto', bareToolCalls: true, llm: { name: 'plain', stream } };
      texts.push((await window.ibid.ask(question, options)).text);
      texts.push(...rest);
    }
    return texts;
  }, QUESTION);
  expect(texts).toEqual(['Classic [1].', 'Tools [1].', 'Pipeline [1].', 'Since when?', 'Auto [1].']);
});

test('what a generator throws is the error of the run, and an abort reaches it', async ({ lib }) => {
  const seen = await lib.evaluate(async (question) => {
    const thrown = await window.outcome(
      window.ibid.ask(question, {
        llm: {
          name: 'broken',
          // biome-ignore lint/correctness/useYield: it fails before it says anything.
          async *stream() {
            throw new Error('The graphics card is asleep.');
          },
        },
      }),
    );
    const nonsense = await window.outcome(
      window.ibid.ask(question, { llm: { name: 'odd', stream: () => [{ type: 'text', delta: 7 }] as never } }),
    );
    let aborted = false;
    let left = false;
    const run = window.ibid.ask(question, {
      llm: {
        name: 'slow',
        async *stream(_request, { signal }) {
          signal.addEventListener('abort', () => {
            aborted = true;
          });
          try {
            for (;;) {
              yield 'and so on ';
              await new Promise((resolve) => setTimeout(resolve, 10));
            }
          } finally {
            left = true;
          }
        },
      },
    });
    for await (const event of run) if (event.type === 'text') break;
    const code = await run.catch(({ code }) => code);
    await new Promise((resolve) => setTimeout(resolve, 100));
    return { thrown: thrown.error, nonsense: nonsense.error, code, aborted, left };
  }, QUESTION);
  expect(seen.thrown?.message).toContain('The graphics card is asleep.');
  expect(seen.nonsense?.code).toBe('provider-protocol');
  expect(seen).toMatchObject({ code: 'aborted', aborted: true, left: true });
});

test('a generator that takes too long is told to stop, and the run ends with what it has', async ({ lib }) => {
  const seen = await lib.evaluate(async (question) => {
    const ended: string[] = [];
    const tool = {
      name: 'wait',
      description: 'Waits.',
      readOnly: true,
      execute: (_: unknown, { signal }: { signal: AbortSignal }) =>
        new Promise(() => signal.addEventListener('abort', () => ended.push('tool'))),
    };
    const hangs = {
      name: 'slow',
      async *stream(_: unknown, { signal }: { signal: AbortSignal }) {
        signal.addEventListener('abort', () => ended.push('model'));
        yield 'I think';
        await new Promise(() => {});
      },
    };
    const calls = { name: 'calls', stream: () => [{ type: 'tool-call', name: 'wait', arguments: {} } as const] };
    const outcomes = [
      await window.outcome(window.ibid.ask(question, { llm: hangs, timeout: 400 })),
      await window.outcome(window.ibid.ask(question, { llm: calls, tools: [tool], timeout: 400 })),
    ];
    return { outcomes, ended };
  }, QUESTION);
  for (const outcome of seen.outcomes) {
    expect(answerOf(outcome)).toMatchObject({ mode: 'extractive', stoppedBy: 'timeout' });
  }
  expect(seen.ended).toEqual(['model', 'tool']);
});
