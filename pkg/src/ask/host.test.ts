import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ANSWER, coreError, scriptedIbid, until } from '../test-support.js';
import type { AskEvent } from './answer-types.js';
import type { CustomModel, LlmOptions } from './model-types.js';
import type { AskHost } from './module.js';
import type { AskOptions, Tool } from './types.js';

type Use = (host: AskHost, signal: AbortSignal) => Promise<unknown>;

/** Has a run use its host; what that gives is the text of its answer, as JSON. */
async function hosted(options: AskOptions, use: Use): Promise<unknown> {
  const { ibid } = await scriptedIbid(async (_wire, _emit, signal, host) => {
    return { ...ANSWER, text: JSON.stringify(await use(host, signal)) };
  });
  return JSON.parse((await ibid.ask('Why?', options)).text);
}

const call = (options: AskOptions, args = '{"a":1}') =>
  hosted(options, async (host) => await host.callTool?.('t', args, 'call-1'));
const tool = (execute: Tool['execute'], more: Partial<Tool> = {}): Tool => ({
  name: 't',
  description: 'A tool.',
  readOnly: true,
  execute,
  ...more,
});

test('a tool gets its arguments, and its result is text or JSON', async () => {
  const seen: unknown[] = [];
  const execute: Tool['execute'] = (args, { callId, signal }) => {
    seen.push(args, callId, signal.aborted);
    return { sum: 3 };
  };
  assert.equal(await call({ tools: [tool(execute)] }), '{"sum":3}');
  assert.deepEqual(seen, [{ a: 1 }, 'call-1', false]);
  assert.equal(await call({ tools: [tool(async () => 'plain')] }, ''), 'plain');
  assert.equal(await call({ tools: [tool(() => undefined)] }), 'null');
  const slow = tool(() => new Promise((resolve) => setImmediate(resolve, 'late')), { timeout: Infinity });
  assert.equal(await call({ tools: [slow] }), 'late');
});

test('what goes wrong in a tool is told to the model, without secrets', async () => {
  const failing = tool(() => {
    throw new Error('Refused for sk-secret-1.');
  });
  const llm = { baseURL: 'https://example.org', model: 'm', apiKey: 'sk-secret-1' };
  await assert.rejects(call({ tools: [failing], llm }), { message: 'Refused for [secret].' });
  const cyclic: unknown[] = [];
  cyclic.push(cyclic);
  await assert.rejects(call({ tools: [tool(() => cyclic)] }), /cannot be written as JSON/);
  await assert.rejects(call({ tools: [tool(() => '')] }, '{"a":'), /not valid JSON/);
  await assert.rejects(call({}), /no tool named t/);
});

test('a tool that hangs is given up, and told so', async () => {
  let inner: AbortSignal | undefined;
  const hanging = tool(
    (_, { signal }) => {
      inner = signal;
      return new Promise(() => {});
    },
    { timeout: 5 },
  );
  await assert.rejects(call({ tools: [hanging] }), { code: 'timeout', message: /no result within 5 milliseconds/ });
  assert.equal(inner?.aborted, true);
});

test('a tool that may change something needs approval', async () => {
  let runs = 0;
  const writing = tool(() => ++runs, { readOnly: false });
  await assert.rejects(call({ tools: [writing] }), /nobody here can approve/);
  await assert.rejects(call({ tools: [writing], onApproval: () => false }), /did not approve/);
  const why = async () => ({ approved: false, reason: 'Not on Sundays.' });
  await assert.rejects(call({ tools: [writing], onApproval: why }), /did not approve it\. Not on Sundays\./);
  await assert.rejects(call({ tools: [writing], onApproval: () => 'yes' as unknown as boolean }), /did not approve/);
  assert.equal(runs, 0);
  const asked: unknown[] = [];
  const onApproval = (asking: unknown) => {
    asked.push(asking);
    return true;
  };
  assert.equal(await call({ tools: [writing], onApproval }), '1');
  assert.deepEqual(asked, [{ id: 'call-1', name: 't', arguments: { a: 1 } }]);
  // What only reads is asked for if it has a callback of its own, and by that.
  assert.equal(await call({ tools: [tool(() => 'read')], onApproval: () => false }), 'read');
  await assert.rejects(call({ tools: [tool(() => 'read', { approve: () => false })] }), /did not approve/);
});

test('prepareStep and rerank are called with data and give data', async () => {
  const options: AskOptions = {
    prepareStep: ({ turn }) => (turn === 1 ? { tools: [], toolChoice: 'none' } : undefined),
    rerank: (_query, texts) => texts.map(({ length }) => length),
  };
  const state = (more: object) => JSON.stringify({ turn: 1, searches: 0, usage: null, messages: [], ...more });
  const results = await hosted(options, async (host) => [
    await host.prepareStep?.(state({})),
    (await host.prepareStep?.(state({ turn: 2 }))) ?? 'nothing',
    Array.from((await host.rerank?.('q', '["a","bb"]')) ?? []),
  ]);
  assert.deepEqual(results, ['{"tools":[],"toolChoice":"none"}', 'nothing', [1, 2]]);
});

test('a callback that fails is an error that keeps its cause', async () => {
  const cause = new Error('My own.');
  const prepareStep = () => {
    throw cause;
  };
  const throughWasm: Use = async (host) => {
    try {
      return await host.prepareStep?.('{}');
    } catch (error) {
      const { code, message } = error as Error & { code: string };
      throw coreError(code, message);
    }
  };
  for (const useless of [() => 'tools', () => ({ tool: 'x' })]) {
    const refused = hosted({ prepareStep: useless as unknown as typeof prepareStep }, throughWasm);
    await assert.rejects(refused, { code: 'invalid-option', message: /It returned/ });
  }
  const failing = hosted({ prepareStep }, throughWasm);
  await assert.rejects(failing, { code: 'invalid-option', message: '`prepareStep` failed: My own.', cause });
});

function model(stream: CustomModel['stream']): AskOptions {
  return { llm: { name: 'mine', stream } };
}

const REQUEST = JSON.stringify({ messages: [{ role: 'user', content: 'Hi' }], tools: [], toolChoice: 'auto' });
const stream: Use = async (host, signal) => {
  const parts: unknown[] = [];
  await host.callModel(0, REQUEST, (part) => parts.push(JSON.parse(part)), signal);
  return parts;
};

test('a custom model gives parts, or just text', async () => {
  const generator: CustomModel['stream'] = async function* ({ messages }) {
    yield String(messages[0]?.content);
    yield { type: 'tool-call', name: 'x', arguments: { a: 1 } };
    yield { type: 'finish', reason: 'stop' };
  };
  const parts = [
    { type: 'text', delta: 'Hi' },
    { type: 'tool-call', name: 'x', arguments: { a: 1 } },
    { type: 'finish', reason: 'stop' },
  ];
  assert.deepEqual(await hosted(model(generator), stream), parts);
  assert.deepEqual(
    await hosted(
      model(async () => ['Hi']),
      stream,
    ),
    [parts[0]],
  );
});

test('a custom model that fails or gives something else is an error', async () => {
  const broken = model(() => {
    throw new Error('No GPU.');
  });
  await assert.rejects(hosted(broken, stream), { code: 'provider-request', message: 'The model mine failed: No GPU.' });
  for (const [given, code] of [
    [undefined, 'provider-protocol'],
    ['text', 'provider-protocol'],
    [[{ type: 'usage', usage: 1n }], 'provider-request'],
  ]) {
    const failing = hosted(
      model(() => given as never),
      stream,
    );
    await assert.rejects(failing, { code });
  }
});

test('an own fetch is called, and its failures are told as what they are', async () => {
  const outcomes: unknown[] = [];
  const fetch: LlmOptions['fetch'] = async ({ url }) => {
    if (url.endsWith('/broken')) throw new TypeError('No route.');
    return url.endsWith('/useless') ? (undefined as unknown as Response) : new Response(url);
  };
  await hosted({ llm: [{ model: 'other' }, { model: 'm', fetch }] }, async ({ fetches }) => {
    assert.equal(fetches[0], undefined);
    for (const path of ['fine', 'broken', 'useless']) {
      const request = new Request(`https://proxy.example/${path}`);
      const answer = fetches[1]?.(request);
      outcomes.push(await answer?.then((response) => response.text()).catch(({ code, message }) => [code, message]));
    }
    return null;
  });
  assert.deepEqual(outcomes, [
    'https://proxy.example/fine',
    ['network', '`llm.fetch` failed: No route.'],
    ['invalid-option', '`llm.fetch` failed: It returned no `Response`.'],
  ]);
});

test('aborting leaves a custom model that hangs', async () => {
  let started = false;
  const left: string[] = [];
  const { ibid } = await scriptedIbid(async (_wire, _emit, signal, host) => {
    await host.callModel(0, REQUEST, () => {}, signal);
    return ANSWER;
  });
  const hanging = {
    [Symbol.asyncIterator]: () => ({
      next: () => {
        started = true;
        return new Promise<never>(() => {});
      },
      return: async () => {
        left.push('left');
        return { done: true as const, value: undefined };
      },
    }),
  };
  const run = ibid.ask(
    'Why?',
    model(() => hanging),
  );
  await until(() => started);
  run.abort();
  await assert.rejects(Promise.resolve(run), { code: 'aborted' });
  await until(() => left.length > 0);
});

test('the answer is the last event, and comes once', async () => {
  const { ibid } = await scriptedIbid(async (_wire, emit) => {
    emit({ type: 'answer', answer: ANSWER });
    emit({ type: 'step', step: { name: 'model', startedAt: 0, durationMs: 1 } });
    return ANSWER;
  });
  const events: AskEvent['type'][] = [];
  for await (const { type } of ibid.ask('Why?')) events.push(type);
  assert.deepEqual(events, ['step', 'answer']);
});

test("characters that a model's stream tears apart cross the boundary as escapes, to be put together behind it", async () => {
  const parts: string[] = [];
  const stream = () => ['a \ud83e', '\udec1 b', { type: 'reasoning' as const, delta: '\ud83e' }];
  await hosted({ llm: { name: 'mine', stream } }, async (host) => {
    await host.callModel(0, '{}', (part) => parts.push(part));
    return null;
  });
  assert.deepEqual(parts, [
    '{"type":"text","delta":"a \\ud83e"}',
    '{"type":"text","delta":"\\udec1 b"}',
    '{"type":"reasoning","delta":"\\ud83e"}',
  ]);
});

test('a run can be kept at each of its steps', async () => {
  const kept: string[] = [];
  await hosted({ checkpoint: (run) => kept.push(run) }, async (host) => host.checkpoint?.('{"run":1}'));
  assert.deepEqual(kept, ['{"run":1}']);
  assert.equal(await hosted({}, async (host) => host.checkpoint === undefined), true);
});
