import type { AskEvent } from '../../../pkg/src/index.js';
import { answerOf, modelOf, type Outcome, RENAL, streamed } from '../asking.js';
import type { LlmDouble } from '../llm-double.js';
import * as replies from '../llm-replies.js';
import { ask, expect, test } from './harness.js';

// The outcome of a run whose model's server fails: the code, the words, and whether it is tried again.

const QUESTION = 'How much metformin may someone take whose eGFR is 35?';
const SAID = 'Up to 1000 mg daily [1]';

/** Scripts a conversation that goes well. */
function scriptAnswer(llm: LlmDouble): void {
  llm.script(replies.searches(RENAL), replies.answerFromSources(['Up to 1000 mg daily']));
}

function failure({ error, answer }: Outcome): NonNullable<Outcome['error']> {
  if (error === undefined) throw new Error(`It was answered: ${answer?.text}`);
  expect(error.message).toMatch(/^[A-Z].{10,}/);
  expect(error.hint).toMatch(/^[A-Z].{10,}\.$/);
  return error;
}

/** The events of this kind. */
function all<T extends AskEvent['type']>({ events }: Outcome, type: T): Extract<AskEvent, { type: T }>[] {
  return events.filter((event): event is Extract<AskEvent, { type: T }> => event.type === type);
}

for (const [how, apiKey, script] of [
  ['a key that the provider does not know', 'sk-wrong-9876543210', []],
  ['a refused key that comes back whole', 'sk-double-01234-wxyz', [replies.echoesKey]],
] as const) {
  test(`${how}: says so and never tells it`, async ({ ibid, llm }) => {
    llm.script(...script);
    const outcome = await ask(ibid, QUESTION, { llm: modelOf(llm, 'chat', { apiKey }) });
    const { code, message, hint } = failure(outcome);
    expect(code).toBe('provider-auth');
    expect(message).toContain('The provider refused access (HTTP 401): ');
    expect(hint).toContain('Check that the API key is complete');
    const told = JSON.stringify(outcome);
    // OpenAI shows the two ends of a key, which are nobody's business either.
    for (const part of [apiKey, apiKey.slice(0, 8), apiKey.slice(-4)]) expect(told).not.toContain(part);
  });
}

test('no key at all: the hint says that none was sent', async ({ ibid, llm }) => {
  const { apiKey: _, ...model } = modelOf(llm);
  const { code, hint } = failure(await ask(ibid, QUESTION, { llm: model }));
  expect(code).toBe('provider-auth');
  expect(hint).toContain('Set an API key: none was sent.');
});

test('a model and an address that the provider does not know', async ({ ibid, llm }) => {
  const model = failure(await ask(ibid, QUESTION, { llm: modelOf(llm, 'chat', { model: 'double-smal' }) }));
  expect(model.code).toBe('provider-not-found');
  expect(model.message).toContain('(HTTP 404): The model `double-smal` does not exist');
  expect(model.hint).toContain("Check the model's name (double-smal) and the base URL");
  const baseURL = llm.baseUrl.replace('/v1', '/v2');
  const address = failure(await ask(ibid, QUESTION, { llm: modelOf(llm, 'chat', { baseURL }) }));
  expect(address.hint).toContain('which usually ends in /v1');
  expect(llm.complaints.splice(0)).toEqual(['unknown address: POST /v2/chat/completions']);
  expect(llm.requests, 'a 404 is not tried again').toEqual([]);
});

test('429 with a wait that the server names: waits that long, then answers', async ({ ibid, llm }) => {
  llm.script(replies.rateLimited(1));
  scriptAnswer(llm);
  const outcome = await ask(ibid, QUESTION, { llm: modelOf(llm) });
  expect(answerOf(outcome).text).toBe(SAID);
  expect(all(outcome, 'retry')).toMatchObject([
    { attempt: 1, reason: "The provider's rate limit is reached (HTTP 429): Rate limit reached." },
  ]);
  expect((llm.requests[1]?.at ?? 0) - (llm.requests[0]?.at ?? 0)).toBeGreaterThanOrEqual(990);
  expect(llm.body(1), 'the same request once more').toEqual(llm.body(0));
});

for (const [status, reply, code, message] of [
  [429, replies.rateLimited(0), 'provider-rate-limit', "The provider's rate limit is reached (HTTP 429)"],
  [500, replies.serverError, 'provider-unavailable', 'The provider failed (HTTP 500): The server had an error'],
] as const) {
  test(`${status} again and again: gives up after two retries, and can be asked again`, async ({ ibid, llm }) => {
    llm.script(reply, reply, reply);
    const outcome = await ask(ibid, QUESTION, { llm: modelOf(llm) });
    expect(failure(outcome)).toMatchObject({ code, message: expect.stringContaining(message) });
    expect(all(outcome, 'retry')).toHaveLength(2);
    expect(llm.requests).toHaveLength(3);
    scriptAnswer(llm);
    expect(answerOf(await ask(ibid, QUESTION, { llm: modelOf(llm) })).text).toBe(SAID);
  });
}

test('a server that is down, and one that comes back during the wait', async ({ ibid, llm }) => {
  await llm.close();
  const outcome = await ask(ibid, QUESTION, { llm: modelOf(llm, 'chat', { retryDelay: 10 }) });
  const { code, message } = failure(outcome);
  expect(code).toBe('network');
  expect(message).toContain('The provider could not be reached');
  expect(all(outcome, 'retry')).toHaveLength(2);
  scriptAnswer(llm);
  const asking = ask(ibid, QUESTION, { llm: modelOf(llm) });
  setTimeout(() => void llm.open(), 200);
  expect(answerOf(await asking).text).toBe(SAID);
});

test('a key with a character that no header may have', async ({ ibid, llm }) => {
  const apiKey = 'sk-\u201cquoted\u201d';
  const { code, message } = failure(await ask(ibid, QUESTION, { llm: modelOf(llm, 'chat', { apiKey }) }));
  expect(code).toBe('invalid-option');
  expect(message).toMatch(/key/i);
  expect(message).not.toContain('quoted');
});

test('a connection that breaks off in the middle of the answer is not tried again', async ({ ibid, llm }) => {
  llm.script(replies.searches(RENAL), replies.dropsAfter('Up to 1000 mg'));
  const outcome = await ask(ibid, QUESTION, { llm: modelOf(llm) });
  // What was found is quoted, with the reason.
  const { mode, text, flags } = answerOf(outcome);
  expect(mode).toBe('extractive');
  expect(text).toContain('30 to 44');
  expect(flags[0]).toMatchObject({ kind: 'no_model_answer', message: expect.stringContaining('quoted instead') });
  // Text that was read already must not be written anew.
  expect(all(outcome, 'retry')).toEqual([]);
  expect(streamed(outcome.events)).toBe('Up to 1000 mg');
});

test('a stream of events that are no JSON, and an HTML page with status 200', async ({ ibid, llm }) => {
  llm.script(replies.invalidSse, replies.htmlPage);
  const outcome = await ask(ibid, QUESTION, { llm: modelOf(llm) });
  const events = failure(outcome);
  expect(events.code).toBe('provider-protocol');
  expect(events.message).toContain('has an event that is not JSON; it starts with: {"choices":[{"index":0');
  expect(all(outcome, 'retry'), 'nonsense is not asked for twice').toEqual([]);
  const page = failure(await ask(ibid, QUESTION, { llm: modelOf(llm) }));
  expect(page.code).toBe('provider-protocol');
  expect(page.message).toContain('is an HTML page; it starts with: <!doctype html><title>Sign in</title>');
  expect(page.hint).toContain('Check that the base URL belongs to a Chat Completions API');
});

const BAD_CALLS: [how: string, call: replies.Reply, told: RegExp][] = [
  [
    'broken JSON',
    replies.toolCall('search_documents', '{"query": "dose'),
    /^The arguments are not valid JSON \(.+\)\. Call search_documents again/,
  ],
  ['no query', replies.toolCall('search_documents', {}), /^The argument query is missing\./],
  [
    'an unknown tool',
    replies.toolCall('web_search', { query: 'metformin' }),
    /^There is no tool named "web_search" now\. There is: search_documents\./,
  ],
];

for (const [how, call, told] of BAD_CALLS) {
  test(`a wrong tool call, ${how}: the model is told, tries again and answers`, async ({ ibid, llm }) => {
    llm.script(call);
    scriptAnswer(llm);
    const outcome = await ask(ibid, QUESTION, { llm: modelOf(llm) });
    expect(answerOf(outcome).text).toBe(SAID);
    const [error] = all(outcome, 'tool-error');
    expect(error?.message).toMatch(told);
    const result = llm.body(1).messages.at(-1);
    expect(result).toMatchObject({ role: 'tool', tool_call_id: 'call_one', content: `Error: ${error?.message}` });
  });
}

test('a question that is none reaches no model', async ({ ibid, llm }) => {
  for (const [text, message] of [
    ['', 'The question is empty.'],
    [' no ', 'The question has 2 characters; it needs at least 3.'],
    ['   ', 'The question is empty.'],
  ] as const) {
    const { error } = await ask(ibid, text, { llm: modelOf(llm) });
    expect(error).toMatchObject({ code: 'question-length', message });
  }
  expect(llm.requests).toEqual([]);
});
