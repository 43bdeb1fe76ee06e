import type { LlmDouble } from '../llm-double.js';
import type { Format } from '../llm-formats/format.js';
import * as replies from '../llm-replies.js';
import { expect, serverTest as test } from './harness.js';

// The scripted model server in all its formats: it must refuse what the real ones refuse, or the tests that talk to it
// prove nothing.

type Json = Record<string, unknown>;

const SCHEMA = { type: 'object', properties: { query: { type: 'string' } }, required: ['query'] };

interface Told {
  format: Format['name'];
  path: (llm: LlmDouble) => string;
  headers: (llm: LlmDouble) => Record<string, string>;
  /** A whole conversation with a call and its result. */
  good: Json;
  /** What takes the place of parts of it. */
  bad: [why: string, change: Json, told: RegExp][];
  /** What the wrong key is answered with. */
  wrongKey?: { headers: Record<string, string>; status: number };
  /** The place where an error's message stands. */
  message: (body: Json) => unknown;
}

const ofError = (body: Json) => (body.error as Json).message;
const user = { role: 'user', content: 'How much?' };
const call = { type: 'function_call', call_id: 'c1', name: 'search', arguments: '{"query":"dose"}' };
const output = { type: 'function_call_output', call_id: 'c1', output: 'Found.' };
const use = { type: 'tool_use', id: 'c1', name: 'search', input: { query: 'dose' } };
const result = { type: 'tool_result', tool_use_id: 'c1', content: 'Found.' };
const functionCall = { name: 'search', args: { query: 'dose' } };
const functionResponse = { name: 'search', response: { output: 'Found.' } };
const says = (role: string, ...parts: Json[]) => ({ role, parts });
const chatCall = { id: 'c1', type: 'function', function: { name: 'search', arguments: '{"query":"dose"}' } };
const chatCalls = { role: 'assistant', content: null, tool_calls: [chatCall] };
const ollamaCall = { id: 'c1', function: { name: 'search', arguments: { query: 'dose' } } };

const FORMATS: Told[] = [
  {
    format: 'chat',
    path: () => '/chat/completions',
    headers: ({ key }) => ({ authorization: `Bearer ${key}` }),
    wrongKey: { headers: { authorization: 'Bearer sk-wrong' }, status: 401 },
    message: ofError,
    good: {
      model: 'double-large',
      stream: true,
      messages: [
        { role: 'system', content: 'Answer.' },
        user,
        chatCalls,
        { role: 'tool', tool_call_id: 'c1', content: 'Found.' },
      ],
      tools: [{ type: 'function', function: { name: 'search', parameters: SCHEMA } }],
    },
    bad: [
      ['nothing said', { messages: [] }, /non-empty array/],
      ['a call without a result', { messages: [user, chatCalls, user] }, /without an answer: c1/],
      [
        'a result without a call',
        { messages: [user, { role: 'tool', tool_call_id: 'c1', content: 'x' }] },
        /c1 is none/,
      ],
      ['no words', { messages: [{ role: 'user', content: null }] }, /content must be a string/],
      ['no tool in the list', { tools: [] }, /non-empty array/],
      ['a name with a space', { tools: [{ type: 'function', function: { name: 'a b' } }] }, /1 to 64 characters/],
      ['a choice without tools', { tools: undefined, tool_choice: 'auto' }, /only allowed with tools/],
      ['no stream', { stream: false }, /only streaming/],
    ],
  },
  {
    format: 'responses',
    path: () => '/responses',
    headers: ({ key }) => ({ authorization: `Bearer ${key}` }),
    wrongKey: { headers: { authorization: 'Bearer sk-wrong' }, status: 401 },
    message: ofError,
    good: {
      model: 'double-large',
      stream: true,
      store: false,
      instructions: 'Answer.',
      input: [{ type: 'message', ...user }, call, output],
      tools: [{ type: 'function', name: 'search', parameters: SCHEMA, strict: false }],
    },
    bad: [
      ['messages of the older format', { messages: [user] }, /moved to 'input'/],
      ['a field that there is not', { max_tokens: 1 }, /Unknown parameter: 'max_tokens'/],
      ['a tool of the older format', { tools: [{ type: 'function', function: { name: 'x' } }] }, /tools\[0\]\.name/],
      [
        'a loose schema for a tool that is strict for not saying',
        { tools: [{ type: 'function', name: 'search', parameters: SCHEMA }] },
        /additionalProperties must be false/,
      ],
      ['a call without a result', { input: [user, call] }, /No tool output found for function call c1/],
      ['a result without a call', { input: [user, output] }, /No tool call found .* call_id c1/],
      [
        'thoughts without what they led to',
        { input: [{ type: 'reasoning', id: 'rs_1', summary: [], encrypted_content: 'x' }] },
        /without its required following item/,
      ],
      [
        'thoughts that are only looked up',
        { input: [user, { type: 'reasoning', id: 'rs_1', summary: [] }, call, output] },
        /not persisted/,
      ],
    ],
  },
  {
    format: 'anthropic',
    path: () => '/messages',
    headers: ({ key }) => ({ 'x-api-key': key, 'anthropic-version': '2023-06-01' }),
    wrongKey: { headers: { 'x-api-key': 'sk-wrong', 'anthropic-version': '2023-06-01' }, status: 401 },
    message: ofError,
    good: {
      model: 'double-large',
      stream: true,
      max_tokens: 100,
      system: [{ type: 'text', text: 'Answer.', cache_control: { type: 'ephemeral' } }],
      messages: [user, { role: 'assistant', content: [use] }, { role: 'user', content: [result] }],
      tools: [{ name: 'search', description: 'Searches.', input_schema: SCHEMA }],
      tool_choice: { type: 'auto' },
    },
    bad: [
      ['no limit', { max_tokens: undefined }, /max_tokens: Field required/],
      ['a field that there is not', { stream_options: {} }, /Extra inputs are not permitted/],
      ['a choice without tools', { tools: undefined }, /while providing tools/],
      ['a temperature above one', { temperature: 1.5 }, /temperature/],
      ['a call without a result', { messages: [user, { role: 'assistant', content: [use] }, user] }, /c1/],
      ['a result without a call', { messages: [{ role: 'user', content: [result] }] }, /unexpected `tool_use_id`/],
      [
        'words before a result',
        {
          messages: [
            user,
            { role: 'assistant', content: [use] },
            { role: 'user', content: [{ type: 'text', text: 'x' }, result] },
          ],
        },
        /must come first/,
      ],
      ['an empty text', { messages: [{ role: 'user', content: ' ' }] }, /non-empty/],
      ['thinking with too small a budget', { thinking: { type: 'enabled', budget_tokens: 10 } }, /1024/],
      [
        'thinking with a forced tool',
        { max_tokens: 9999, thinking: { type: 'enabled', budget_tokens: 1024 }, tool_choice: { type: 'any' } },
        /forces tool use/,
      ],
    ],
  },
  {
    format: 'gemini',
    path: () => '/models/gemini-3-double:streamGenerateContent?alt=sse',
    headers: ({ key }) => ({ 'x-goog-api-key': key }),
    wrongKey: { headers: { 'x-goog-api-key': 'wrong' }, status: 400 },
    message: ofError,
    good: {
      systemInstruction: { parts: [{ text: 'Answer.' }] },
      contents: [
        says('user', { text: 'How much?' }),
        says('model', { functionCall, thoughtSignature: 'x' }),
        says('user', { functionResponse }),
      ],
      tools: [{ functionDeclarations: [{ name: 'search', parametersJsonSchema: SCHEMA }] }],
      toolConfig: { functionCallingConfig: { mode: 'AUTO' } },
    },
    bad: [
      ['a field that there is not', { model: 'x' }, /Unknown name "model"/],
      ['another role', { contents: [says('assistant', { text: 'x' })] }, /valid role/],
      ['nothing said', { contents: [says('user')] }, /must not be empty/],
      [
        'a call without its signature',
        {
          contents: [says('user', { text: 'x' }), says('model', { functionCall }), says('user', { functionResponse })],
        },
        /missing a thought_signature/,
      ],
      [
        'a call without a result',
        { contents: [says('user', { text: 'x' }), says('model', { functionCall, thoughtSignature: 'x' })] },
        /answered/,
      ],
      [
        'a result that is no object',
        {
          contents: [
            says('user', { text: 'x' }),
            says('model', { functionCall, thoughtSignature: 'x' }),
            says('user', { functionResponse: { name: 'search', response: 'Found.' } }),
          ],
        },
        /function_response/,
      ],
      ['a form that is not asked for as JSON', { generationConfig: { responseJsonSchema: SCHEMA } }, /mime_type/],
    ],
  },
  {
    format: 'ollama',
    path: () => '/api/chat',
    headers: () => ({}),
    message: (body) => body.error,
    good: {
      model: 'double-large',
      messages: [
        { role: 'system', content: 'Answer.' },
        user,
        { role: 'assistant', content: '', tool_calls: [ollamaCall] },
        { role: 'tool', tool_name: 'search', content: 'Found.' },
      ],
      tools: [{ type: 'function', function: { name: 'search', parameters: SCHEMA } }],
      options: { temperature: 0 },
    },
    bad: [
      ['an option that has no effect', { temperature: 0 }, /no effect/],
      ['no text', { messages: [{ role: 'user', content: null }] }, /content/],
      [
        'arguments as text',
        {
          messages: [
            user,
            { role: 'assistant', content: '', tool_calls: [{ function: { name: 'f', arguments: '{}' } }] },
            { role: 'tool', tool_name: 'f', content: 'x' },
          ],
        },
        /cannot unmarshal string/,
      ],
    ],
  },
];

for (const { format, path, headers, good, bad, wrongKey, message } of FORMATS) {
  const post = (llm: LlmDouble, body: Json, sent = headers(llm)) =>
    fetch(`${llm.baseUrlOf(format)}${path(llm)}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...sent },
      body: JSON.stringify(body),
    });

  test(`${format}: reads a conversation and streams an answer`, async ({ llm }) => {
    llm.script(replies.answer(({ messages }) => `${replies.lastToolResult({ model: '', messages })} 薬`));
    const response = await post(llm, good);
    expect(response.status).toBe(200);
    const text = await response.text();
    expect(text).toContain('Found');
    expect(text).toContain('薬');
    expect(llm.body(0).messages.map(({ role }) => role)).toEqual(['system', 'user', 'assistant', 'tool']);
    expect(llm.body(0).tools?.[0]?.function).toMatchObject({ name: 'search', parameters: SCHEMA });
  });

  test(`${format}: refuses what the real server refuses`, async ({ llm }) => {
    for (const [why, change, told] of bad) {
      const response = await post(llm, { ...good, ...change });
      expect(response.status, why).toBe(400);
      expect(message(await response.json()), why).toMatch(told);
    }
    expect(llm.complaints.splice(0)).toHaveLength(bad.length);
    if (wrongKey !== undefined) {
      const response = await post(llm, good, wrongKey.headers);
      expect(response.status).toBe(wrongKey.status);
      expect(message(await response.json())).toMatch(/key/i);
    }
    expect(llm.requests).toEqual([]);
  });
}

test('anthropic: a page must say that it knows what it does', async ({ llm }) => {
  const told = FORMATS.find(({ format }) => format === 'anthropic');
  const ask = (more: Record<string, string>) =>
    fetch(`${llm.baseUrlOf('anthropic')}/messages`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', origin: 'http://page.test', ...told?.headers(llm), ...more },
      body: JSON.stringify(told?.good),
    });
  const refused = await ask({});
  expect(refused.status).toBe(401);
  expect(await refused.text()).toContain('CORS requests must set');
  llm.script(replies.answer('Yes.'));
  expect((await ask({ 'anthropic-dangerous-direct-browser-access': 'true' })).status).toBe(200);
});
