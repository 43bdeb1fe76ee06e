import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { ModelPart, ModelRequest } from '../ask/model-types.js';
import { type PromptApiAvailability, type PromptApiOptions, promptApi } from './prompt-api.js';

type Api = NonNullable<PromptApiOptions['languageModel']>;
type Session = Awaited<ReturnType<Api['create']>>;

const ASKED: ModelRequest = {
  messages: [
    { role: 'system', content: 'Cite.' },
    { role: 'user', content: 'Hi' },
  ],
  tools: [],
  toolChoice: 'auto',
};

class FakeSession implements Session {
  contextUsage = 10;
  contextWindow = 100;
  destroyed = 0;
  cancelled = false;
  readonly asked: unknown[] = [];

  constructor(
    readonly answer: (string | Error)[] = ['Yes', '.'],
    readonly length = 5,
  ) {}

  promptStreaming(...asked: unknown[]): ReadableStream<string> {
    this.asked.push(asked);
    const pieces = [...this.answer];
    return new ReadableStream<string>(
      {
        pull: (controller) => {
          const piece = pieces.shift();
          if (piece === undefined) controller.close();
          else if (typeof piece === 'string') controller.enqueue(piece);
          else controller.error(piece);
          this.contextUsage += 5;
        },
        cancel: () => {
          this.cancelled = true;
        },
      },
      { highWaterMark: 0 },
    );
  }
  async measureContextUsage(): Promise<number> {
    return this.length;
  }
  destroy(): void {
    this.destroyed += 1;
  }
}

function api(session = new FakeSession(), availability: PromptApiAvailability = 'available', failure?: Error) {
  const created: Parameters<Api['create']>[0][] = [];
  const languageModel: Api = {
    availability: async () => availability,
    create: async (options) => {
      created.push(options);
      if (failure) throw failure;
      options?.monitor?.({ addEventListener: (_, listener) => listener({ loaded: 0.5 }) });
      return session;
    },
  };
  return { languageModel, created, session };
}

async function parts(options: PromptApiOptions, request: Partial<ModelRequest> = {}): Promise<ModelPart[]> {
  const all: ModelPart[] = [];
  const { signal } = new AbortController();
  const stream = await promptApi(options).stream({ ...ASKED, ...request }, { signal });
  for await (const part of stream) all.push(typeof part === 'string' ? { type: 'text', delta: part } : part);
  return all;
}

const domError = (name: string) => new DOMException('It said so.', name);

test('asks in a session of its own, and gives text and tokens', async () => {
  const { languageModel, created, session } = api();
  const options = { languageModel, inputLanguages: ['en'], outputLanguage: 'en' };
  assert.deepEqual(await parts(options), [
    { type: 'text', delta: 'Yes' },
    { type: 'text', delta: '.' },
    { type: 'usage', usage: { inputTokens: 15, outputTokens: 10 } },
    { type: 'finish', reason: 'stop' },
  ]);
  const { monitor: _, signal: __, ...given } = created[0] ?? {};
  assert.deepEqual(given, {
    expectedInputs: [{ type: 'text', languages: ['en'] }],
    expectedOutputs: [{ type: 'text', languages: ['en'] }],
    initialPrompts: [{ role: 'system', content: 'Cite.' }],
  });
  assert.equal(session.destroyed, 1);
});

test('a schema is its constraint, and a call comes back as one', async () => {
  const { languageModel, session } = api(new FakeSession(['{"name":"search","arguments":{}}']));
  const tools = [{ name: 'search', description: '', parameters: {} }];
  const called = await parts({ languageModel }, { tools, toolChoice: 'required' });
  assert.deepEqual(called.at(-1), { type: 'finish', reason: 'tool-calls' });
  const schema = { type: 'object' };
  await parts({ languageModel }, { output: { name: 'answer', schema } });
  const constraints = session.asked.map((asked) => (asked as [unknown, { responseConstraint: object }])[1]);
  assert.deepEqual(
    constraints.map(({ responseConstraint }) => Object.keys(responseConstraint)[0]),
    ['type', 'type'],
  );
  assert.deepEqual(constraints[1]?.responseConstraint, schema);
});

test('says whether it is there, and prepares it', async () => {
  const seen: number[] = [];
  const { languageModel, created, session } = api(undefined, 'downloadable');
  const model = promptApi({ languageModel, onDownload: (loaded) => seen.push(loaded) });
  assert.equal(await model.availability(), 'downloadable');
  assert.deepEqual(await model.prepare(), { contextWindow: 100 });
  assert.deepEqual([seen, session.destroyed, created.length], [[0.5], 1, 1]);
  assert.equal(await promptApi().availability(), 'unavailable');
  const refusing = { ...languageModel, availability: () => Promise.reject(new TypeError('No such language.')) };
  assert.equal(await promptApi({ languageModel: refusing }).availability(), 'unavailable');
});

test('what goes wrong has a code', async () => {
  await assert.rejects(parts({}), { code: 'provider-not-found', message: /has no Prompt API/ });
  await assert.rejects(parts(api(undefined, 'unavailable')), { code: 'provider-not-found' });
  const codes = [
    ['QuotaExceededError', 'context-length'],
    ['NotAllowedError', 'provider-request'],
    ['NotSupportedError', 'provider-request'],
    ['NetworkError', 'network'],
    ['AbortError', 'aborted'],
    ['UnknownError', 'provider-request'],
  ] as const;
  for (const [name, code] of codes) {
    await assert.rejects(parts(api(undefined, 'available', domError(name))), { code }, name);
    const { languageModel, session } = api(new FakeSession(['Y', domError(name)]));
    await assert.rejects(parts({ languageModel }), { code }, name);
    assert.equal(session.destroyed, 1);
  }
});

test('what does not fit is refused, since parts of it would be dropped', async () => {
  const { languageModel, session } = api(new FakeSession([], 91));
  await assert.rejects(parts({ languageModel }), { code: 'context-length', message: /101 tokens were asked, 100 fit/ });
  assert.deepEqual([session.asked, session.destroyed], [[], 1]);
});

test('an answer that the browser holds back is a reason to end', async () => {
  const filtered = await parts(api(new FakeSession(['Y', domError('NotReadableError')])));
  assert.deepEqual(filtered.at(-1), { type: 'finish', reason: 'content-filter' });
});

test('leaving early cancels and frees', async () => {
  const { languageModel, session } = api();
  const { signal } = new AbortController();
  for await (const _ of await promptApi({ languageModel }).stream(ASKED, { signal })) break;
  assert.deepEqual([session.cancelled, session.destroyed], [true, 1]);
});
