import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { ModelPart, ModelRequest } from '../ask/model-types.js';
import { type WebLlmChunk, type WebLlmEngine, type WebLlmOptions, type WebLlmRequest, webLlm } from './web-llm.js';

const TOOL = { name: 'search', description: 'Searches.', parameters: { type: 'object' } };
const ASKED: ModelRequest = { messages: [{ role: 'user', content: 'Hi' }], tools: [], toolChoice: 'auto' };
const USAGE = { prompt_tokens: 5, completion_tokens: 2, total_tokens: 7 };

/** An engine that answers in pieces, in the way of WebLLM 0.2. */
function engine(pieces: string[], finish = 'stop') {
  const requests: WebLlmRequest[] = [];
  let interrupted = 0;
  const created = async function* (): AsyncGenerator<WebLlmChunk> {
    for (const content of pieces) yield { choices: [{ delta: { content }, finish_reason: null }] };
    yield { choices: [{ delta: {}, finish_reason: finish }] };
    yield { choices: [], usage: USAGE };
  };
  const fake: WebLlmEngine = {
    chat: {
      completions: {
        create: async (request) => {
          requests.push(request);
          return created();
        },
      },
    },
    interruptGenerate: () => {
      interrupted += 1;
    },
  };
  return { fake, requests, interruptions: () => interrupted };
}

async function parts(
  fake: WebLlmEngine,
  request: Partial<ModelRequest> = {},
  options?: WebLlmOptions,
  signal = new AbortController().signal,
): Promise<ModelPart[]> {
  const all: ModelPart[] = [];
  const stream = await webLlm(fake, options).stream({ ...ASKED, ...request }, { signal });
  for await (const part of stream) all.push(typeof part === 'string' ? { type: 'text', delta: part } : part);
  return all;
}

test('gives text, usage and why it ended', async () => {
  const { fake, requests } = engine(['Ye', 's.']);
  assert.deepEqual(await parts(fake, {}, { model: 'm', temperature: 0, thinking: false }), [
    { type: 'text', delta: 'Ye' },
    { type: 'text', delta: 's.' },
    { type: 'usage', usage: { inputTokens: 5, outputTokens: 2, totalTokens: 7 } },
    { type: 'finish', reason: 'stop' },
  ]);
  assert.deepEqual(requests, [
    {
      messages: [{ role: 'user', content: 'Hi' }],
      stream: true,
      stream_options: { include_usage: true },
      max_tokens: 2000,
      temperature: 0,
      model: 'm',
      extra_body: { enable_thinking: false },
    },
  ]);
  assert.deepEqual((await parts(engine(['Y'], 'length').fake)).at(-1), { type: 'finish', reason: 'length' });
});

test('tools are described, calls and results are messages, and a call comes back as one', async () => {
  const { fake, requests } = engine(['{"name":"search",', '"arguments":{"query":"fever"}}']);
  const request: Partial<ModelRequest> = {
    messages: [
      { role: 'system', content: 'Cite.' },
      { role: 'user', content: 'Why?' },
      { role: 'assistant', content: '', toolCalls: [{ id: '1', name: 'search', arguments: '{"query":"x"}' }] },
      { role: 'tool', callId: '1', content: '<source/>' },
      { role: 'tool', callId: '2', content: 'No.', isError: true },
    ],
    tools: [TOOL],
  };
  const [answered, , finish] = await parts(fake, request);
  assert.deepEqual(answered?.type, 'usage');
  assert.deepEqual(finish, { type: 'finish', reason: 'tool-calls' });
  const messages = requests[0]?.messages ?? [];
  assert.deepEqual(
    messages.map(({ role }) => role),
    ['system', 'user', 'assistant', 'user'],
  );
  assert.match(messages[0]?.content ?? '', /^Cite\.\n\nYou have these tools:\n\{"name":"search".*\nTo call a tool, /);
  assert.equal(messages[2]?.content, '{"name": "search", "arguments": {"query":"x"}}');
  assert.match(messages[3]?.content ?? '', /Result of the tool \(call 1\):\n<source\/>\n\nThe tool failed \(call 2\)/);
});

test('a call that must be made, and an answer with a schema, are held to their form', async () => {
  const must = engine(['{"name":"search","arguments":{}}']);
  const other = { ...TOOL, name: 'other' };
  await parts(must.fake, { tools: [TOOL, other], toolChoice: { tool: 'search' } });
  const schema = JSON.parse(must.requests[0]?.response_format?.schema ?? '');
  assert.deepEqual(schema.properties.name, { type: 'string', enum: ['search'] });
  await parts(must.fake, { tools: [TOOL, other], toolChoice: 'required' });
  assert.equal(JSON.parse(must.requests[1]?.response_format?.schema ?? '').anyOf.length, 2);
  const output = { name: 'answer', schema: { type: 'object' } };
  await parts(must.fake, { output });
  assert.deepEqual(must.requests[2]?.response_format, { type: 'json_object', schema: '{"type":"object"}' });
  assert.match(must.requests[2]?.messages[0]?.content ?? '', /JSON alone/);
  await parts(must.fake, { output, tools: [TOOL], toolChoice: 'none' });
  assert.equal(must.requests[3]?.response_format?.schema, '{"type":"object"}');
  await parts(must.fake, { output, tools: [TOOL] });
  assert.equal(must.requests[4]?.response_format, undefined);
});

test('aborting interrupts the engine', async () => {
  const abort = new AbortController();
  const { fake, interruptions } = engine(['a', 'b']);
  const stream = await webLlm(fake).stream(ASKED, { signal: abort.signal });
  await assert.rejects(async () => {
    for await (const _ of stream) abort.abort();
  });
  assert.equal(interruptions(), 1);
  await assert.rejects(parts(fake, {}, {}, abort.signal));
});

test("the engine's errors have codes", async () => {
  const failing = (name: string, message: string) => {
    const { fake } = engine([]);
    const create = async () => {
      throw Object.assign(new Error(message), { name });
    };
    return parts({ ...fake, chat: { completions: { create } } });
  };
  const long = 'Prompt tokens exceed context window size: number of prompt tokens: 9; context window size: 4';
  await assert.rejects(failing('ContextWindowSizeExceededError', long), { code: 'context-length' });
  // As it comes from a worker.
  await assert.rejects(failing('Error', long), { code: 'context-length' });
  await assert.rejects(failing('ModelNotLoadedError', 'Model not loaded before'), { code: 'provider-not-found' });
  await assert.rejects(failing('DeviceLostError', 'Lost.'), { code: 'provider-request' });
  await assert.rejects(failing('Error', 'Other.'), { message: 'Other.' });
});

test('a model of text alone refuses images', async () => {
  const { fake, requests } = engine(['Yes.']);
  const images = [{ mediaType: 'image/png', data: 'iVBORw==' }];
  await assert.rejects(parts(fake, { images }), { code: 'invalid-option' });
  assert.equal(requests.length, 0);
});
