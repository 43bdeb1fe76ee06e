import { setTimeout as pause } from 'node:timers/promises';
import type { LlmDouble } from '../llm-double.js';
import type { ChatMessage } from '../llm-formats/request.js';
import * as replies from '../llm-replies.js';
import { scatter } from '../llm-wire.js';
import { expect, serverTest as test } from './harness.js';

const QUESTION: ChatMessage[] = [{ role: 'user', content: 'How much? 5 µg/kg ≥ 2 × daily 🫁' }];
const TOOL = {
  type: 'function',
  function: { name: 'search_documents', parameters: { type: 'object', properties: { query: { type: 'string' } } } },
};

function ask(llm: LlmDouble, body: Record<string, unknown> = {}, key = llm.key): Promise<Response> {
  return fetch(`${llm.baseUrl}/chat/completions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    body: JSON.stringify({
      model: llm.model,
      messages: QUESTION,
      stream: true,
      stream_options: { include_usage: true },
      ...body,
    }),
  });
}

interface Chunk {
  choices: {
    delta: { content?: string; tool_calls?: { function: { arguments?: string } }[] };
    finish_reason: string;
  }[];
  usage?: { total_tokens: number } | null;
}

/** The chunks of a stream that ended well. */
async function chunks(response: Response): Promise<Chunk[]> {
  const events = (await response.text()).split('\n\n').filter((event) => event !== '');
  expect(events.pop()).toBe('data: [DONE]');
  return events.map((event) => JSON.parse(event.replace(/^data: /, '')) as Chunk);
}

const wordsOf = (found: Chunk[]) => found.map((chunk) => chunk.choices[0]?.delta.content ?? '').join('');

test('streams an answer whose characters are split, with usage at the end', async ({ llm }) => {
  const text = 'Give 0.5 µg – at most ≥ 3 ×; “naïve” 薬 🫁.';
  llm.script(replies.answer(text));
  const response = await ask(llm);
  expect(response.headers.get('content-type')).toContain('text/event-stream');
  const pieces: Uint8Array[] = [];
  for await (const piece of response.body ?? []) pieces.push(piece);
  const strict = new TextDecoder('utf-8', { fatal: true });
  const broken = pieces.filter((piece) => {
    try {
      strict.decode(piece);
      return false;
    } catch {
      return true;
    }
  });
  expect(broken.length, 'pieces that begin or end inside a character').toBeGreaterThan(4);
  const found = await chunks(new Response(Buffer.concat(pieces)));
  expect(wordsOf(found)).toBe(text);
  expect(found.at(-1)?.choices).toEqual([]);
  expect(found.at(-1)?.usage?.total_tokens).toBe(366);
  expect(found.at(-2)?.choices[0]?.finish_reason).toBe('stop');
});

test('sends no usage to a client that did not ask for it', async ({ llm }) => {
  llm.script(replies.answer('Yes.'));
  const found = await chunks(await ask(llm, { stream_options: undefined }));
  expect(found.every((chunk) => !('usage' in chunk))).toBe(true);
});

test('calls a tool in pieces, then cites what the tool returned', async ({ llm }) => {
  llm.script(replies.searches('dose of adrenaline'), replies.answerFromSources(['Half a milligram.', 'Repeat.']));
  const first = await chunks(await ask(llm, { tools: [TOOL] }));
  const pieces = first.flatMap((chunk) => chunk.choices[0]?.delta.tool_calls ?? []);
  expect(pieces.length).toBeGreaterThan(5);
  const args = pieces.map((piece) => piece.function.arguments ?? '').join('');
  expect(JSON.parse(args)).toEqual({ query: 'dose of adrenaline', max_results: 5 });
  const call = { id: 'call_search', type: 'function', function: { name: 'search_documents', arguments: args } };
  const messages = [
    ...QUESTION,
    { role: 'assistant', content: null, tool_calls: [call] },
    { role: 'tool', tool_call_id: 'call_search', content: '<source id="7">a</source> <source x="" id="9">b</source>' },
  ];
  const second = await chunks(await ask(llm, { messages, tools: [TOOL] }));
  expect(wordsOf(second)).toBe('Half a milligram. [7]\n\nRepeat. [9]');
  expect(llm.requests.map(({ body }) => body.messages.length)).toEqual([1, 3]);
});

test('checks the key and the model as the real server does', async ({ llm }) => {
  const wrongKey = await ask(llm, {}, 'sk-wrong');
  expect(wrongKey.status).toBe(401);
  expect(await wrongKey.json()).toMatchObject({ error: { code: 'invalid_api_key' } });
  expect((await ask(llm, { model: 'unheard-of' })).status).toBe(404);
  expect(llm.requests).toEqual([]);
});

test('refuses what the real server would refuse, and remembers it', async ({ llm }) => {
  const call = { id: 'call_1', type: 'function', function: { name: 'f', arguments: '{}' } };
  const assistant = { role: 'assistant', content: null, tool_calls: [call] };
  const bad: Record<string, unknown>[] = [
    { messages: [] },
    { messages: [...QUESTION, assistant] },
    { messages: [...QUESTION, assistant, ...QUESTION] },
    { messages: [...QUESTION, { role: 'tool', tool_call_id: 'call_1', content: 'x' }] },
    { messages: [...QUESTION, assistant, { role: 'tool', tool_call_id: 'call_2', content: 'x' }] },
    { messages: [{ role: 'user', content: null }] },
    { tools: [] },
    { tools: [{ type: 'function', function: { name: 'no spaces', parameters: { type: 'object' } } }] },
    { tool_choice: 'auto' },
    { stream: false },
  ];
  for (const body of bad) expect((await ask(llm, body)).status, JSON.stringify(body)).toBe(400);
  expect(llm.complaints).toHaveLength(bad.length);
  expect((await ask(llm)).status, 'a request that nobody scripted').toBe(500);
  expect(llm.complaints.at(-1)).toBe('request 1 was not scripted');
  llm.complaints.length = 0;
});

test('answers with errors as they are scripted', async ({ llm }) => {
  llm.script(
    replies.unauthorized,
    replies.unknownModel,
    replies.serverError(),
    replies.rateLimited(2),
    replies.htmlPage,
  );
  const statuses: number[] = [];
  for (let left = 5; left > 0; left--) {
    const response = await ask(llm);
    statuses.push(response.status);
    if (response.status === 429) expect(response.headers.get('retry-after')).toBe('2');
    if (response.status === 200) expect(await response.text()).toContain('<!doctype html>');
  }
  expect(statuses).toEqual([401, 404, 500, 429, 200]);
});

test('breaks off, sends nonsense and reports errors in the stream', async ({ llm }) => {
  llm.script(replies.dropsAfter('Half an'), replies.invalidSse, replies.errorInStream);
  const dropped = await ask(llm);
  expect(dropped.status).toBe(200);
  await expect(dropped.text()).rejects.toThrow();
  expect(await (await ask(llm)).text()).toContain('data: not json at all');
  expect(await (await ask(llm)).text()).toContain('"error"');
});

test('sends broken arguments as they are', async ({ llm }) => {
  llm.script(replies.toolCall('search_documents', '{"query": "dose'));
  const found = await chunks(await ask(llm));
  const pieces = found.flatMap((chunk) => chunk.choices[0]?.delta.tool_calls ?? []);
  expect(pieces.map((piece) => piece.function.arguments ?? '').join('')).toBe('{"query": "dose');
});

test('notices that the client has left an endless stream', async ({ llm }) => {
  llm.script(replies.endless(' and so on'), replies.silence);
  for (const index of [0, 1]) {
    const controller = new AbortController();
    const response = await fetch(`${llm.baseUrl}/chat/completions`, {
      method: 'POST',
      headers: { authorization: `Bearer ${llm.key}`, 'content-type': 'application/json' },
      body: JSON.stringify({ model: llm.model, messages: QUESTION, stream: true }),
      signal: controller.signal,
    });
    expect(response.status).toBe(200);
    await pause(100);
    expect(llm.requests[index]?.abandoned).toBe(false);
    controller.abort();
    await expect.poll(() => llm.requests[index]?.abandoned).toBe(true);
  }
});

test('scatters every character that has several bytes', async () => {
  const bytes = new TextEncoder().encode('aµ🫁z');
  expect(scatter(bytes).map((piece) => piece.length)).toEqual([2, 2, 4]);
  expect(Buffer.concat(scatter(bytes)).toString()).toBe('aµ🫁z');
  expect(scatter(new TextEncoder().encode('data: [DONE]\n\n'))).toHaveLength(2);
});
