import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readUIMessageStream, uiMessageChunkSchema } from 'ai';
import type { Answer, AskEvent, Source } from '../ask/answer-types.js';
import { AskRun } from '../ask-run.js';
import { ANSWER, coreError, until } from '../test-support.js';
import { toUIMessageChunks, toUIMessageStream, type UIMessageOptions } from './stream.js';
import type { IbidUIMessage, IbidUIMessageChunk } from './types.js';

const source = (number: number, more: Partial<Source> = {}): Source =>
  ({
    number,
    chunk: number,
    documentId: `d${number}`,
    title: `Title ${number}`,
    url: null,
    source: `d${number}.md`,
    headingPath: [`Title ${number}`, 'Dose'],
    anchor: 'dose',
    text: 'Take one.',
    relevance: 0.9,
    ...more,
  }) as Source;

const cite = (cited: Source) => ({ number: cited.number, span: { start: 4, end: 7 }, source: cited });
const WEB = source(1, { url: 'https://example.org/a' });
const FILE = source(2, { url: 'javascript:alert(1)' });
const FULL: Answer = {
  ...ANSWER,
  citations: [cite(WEB), cite(FILE)],
  sources: [WEB, FILE, source(3)],
  flags: [{ kind: 'cut_off', span: { start: 0, end: 0 }, message: 'Cut off.' }],
  usage: { inputTokens: 9, outputTokens: 2 },
  model: 'm',
};
const EVENTS: AskEvent[] = [
  { type: 'turn', turn: 1, tools: true },
  { type: 'reasoning', delta: 'Let me' },
  { type: 'reasoning', delta: ' look.' },
  { type: 'text', delta: 'I search.', restart: true },
  { type: 'search', id: 's1', query: 'dose', maxResults: 5 },
  { type: 'search', id: 's2', query: 'other', maxResults: 5, collection: 'papers' },
  { type: 'sources', id: 's1', query: 'dose', sources: FULL.sources },
  { type: 'tool-error', id: 's2', name: 'search_documents', message: 'No such field.' },
  { type: 'tool-error', id: 'x', name: 'unknown', message: 'There is no such tool.' },
  { type: 'tool-call', id: 't1', name: 'save', arguments: '{"a":1}' },
  { type: 'tool-result', id: 't1', name: 'save', content: 'saved', isError: false },
  { type: 'tool-call', id: 't2', name: 'save', arguments: 'no JSON' },
  { type: 'tool-result', id: 't2', name: 'save', content: 'Refused.', isError: true },
  { type: 'retry', attempt: 1, delayMs: 5, reason: 'HTTP 503' },
  { type: 'step', step: { name: 'model', startedAt: 1, durationMs: 2 } },
  { type: 'turn', turn: 2, tools: false, purpose: 'answer' },
  { type: 'text', delta: 'Yes', restart: true },
  { type: 'text', delta: ' [1].' },
];

function run(events: AskEvent[], outcome: Answer | Error = FULL): AskRun {
  return new AskRun(async (emit) => {
    for (const event of events) emit(event);
    if (outcome instanceof Error) throw outcome;
    emit({ type: 'answer', answer: outcome });
    return outcome;
  });
}

/** The chunks, each of which the AI SDK's own schema has to accept. */
async function chunks(of: AskRun, options?: UIMessageOptions): Promise<IbidUIMessageChunk[]> {
  const { validate } = uiMessageChunkSchema();
  const all: IbidUIMessageChunk[] = [];
  for await (const chunk of toUIMessageChunks(of, options)) {
    const checked = await validate?.(JSON.parse(JSON.stringify(chunk)));
    assert.ok(checked?.success, `${JSON.stringify(chunk)} ${checked?.success === false ? checked.error : ''}`);
    all.push(chunk);
  }
  return all;
}

async function message(of: AskRun, options?: UIMessageOptions): Promise<IbidUIMessage> {
  let last: IbidUIMessage | undefined;
  const stream = toUIMessageStream(of, options);
  for await (const read of readUIMessageStream<IbidUIMessage>({ stream, terminateOnError: true })) last = read;
  assert.ok(last);
  return last;
}

test('a whole run becomes a message that the AI SDK reads', async () => {
  const all = await chunks(run(EVENTS));
  assert.deepEqual([all[0], all.at(-1)?.type], [{ type: 'start' }, 'finish']);
  const { parts, metadata } = await message(run(EVENTS), { messageId: 'm1' });
  assert.deepEqual(
    parts.map((part) => ('state' in part ? `${part.type} ${part.state}` : part.type)),
    [
      'step-start',
      'reasoning done',
      'text done',
      'dynamic-tool output-available',
      'dynamic-tool output-error',
      'dynamic-tool output-error',
      'dynamic-tool output-available',
      'dynamic-tool output-error',
      'step-start',
      'text done',
      'source-url',
      'source-document',
      'data-ibid-citations',
      'data-ibid-flags',
      'data-ibid-answer',
    ],
  );
  const text = parts.flatMap((part) => (part.type === 'text' ? [part.text] : []));
  assert.deepEqual(text, ['I search.', 'Yes [1].']);
  const tools = parts.flatMap((part) => (part.type === 'dynamic-tool' ? [part] : []));
  assert.deepEqual(
    tools.map(({ toolName, input, errorText }) => [toolName, input, errorText]),
    [
      ['search_documents', { query: 'dose', maxResults: 5 }, undefined],
      ['search_documents', { query: 'other', maxResults: 5, collection: 'papers' }, 'No such field.'],
      ['unknown', {}, 'There is no such tool.'],
      ['save', { a: 1 }, undefined],
      ['save', 'no JSON', 'Refused.'],
    ],
  );
  const links = parts.flatMap((part) => (part.type === 'source-url' ? [part.url] : []));
  assert.deepEqual(links, ['https://example.org/a#dose'], 'only addresses of the web become links');
  assert.deepEqual(metadata?.usage, { inputTokens: 9, outputTokens: 2 });
  const answer = parts.find((part) => part.type === 'data-ibid-answer');
  assert.deepEqual(answer?.data, FULL);
});

test('reasoning and sources come as they are asked for', async () => {
  const types = async (options: UIMessageOptions) => (await chunks(run(EVENTS), options)).map(({ type }) => type);
  const all = await types({ sendReasoning: false, sendSources: 'all' });
  assert.deepEqual(
    [all.includes('reasoning-start'), all.filter((type) => type.startsWith('source')).length],
    [false, 3],
  );
  assert.ok(!(await types({ sendSources: 'none' })).some((type) => type.startsWith('source')));
});

test('an answer that was not written as it came is written at the end', async () => {
  const { parts } = await message(run([], { ...FULL, mode: 'extractive' }));
  assert.deepEqual(
    parts.flatMap((part) => (part.type === 'text' ? [part.text] : [])),
    ['Yes [1].'],
  );
  const cut = await message(run([{ type: 'text', delta: 'Yes' }]));
  assert.deepEqual(
    cut.parts.flatMap((part) => (part.type === 'text' ? [part.text] : [])),
    ['Yes [1].'],
  );
  const another = await message(run([{ type: 'text', delta: 'Well' }]));
  assert.deepEqual(
    another.parts.flatMap((part) => (part.type === 'text' ? [part.text] : [])),
    ['Well', 'Yes [1].'],
  );
});

test('searches whose hits are put together all have a result, and the text stays until another begins', async () => {
  const { parts } = await message(
    run([
      { type: 'turn', turn: 1, tools: false, purpose: 'decompose' },
      { type: 'search', id: 'sub-1', query: 'one', maxResults: 10 },
      { type: 'search', id: 'sub-2', query: 'two', maxResults: 10 },
      { type: 'sources', id: 'selected', query: 'both', sources: [WEB] },
      { type: 'turn', turn: 2, tools: false, purpose: 'synthesize' },
      { type: 'text', delta: ANSWER.text, restart: true },
      { type: 'turn', turn: 3, tools: false, purpose: 'reflect' },
    ]),
  );
  const found = parts.flatMap((part) => (part.type === 'dynamic-tool' ? [part] : []));
  assert.deepEqual(
    found.map(({ state, output }) => [state, (output as { count: number }).count]),
    [
      ['output-available', 1],
      ['output-available', 1],
    ],
  );
  assert.equal(parts.filter(({ type }) => type === 'text').length, 1);
});

test('names of calls that come again are told apart', async () => {
  const twice = [1, 2].flatMap((turn): AskEvent[] => [
    { type: 'turn', turn, tools: true },
    { type: 'tool-call', id: 'call-0', name: 'save', arguments: '{}' },
    { type: 'tool-result', id: 'call-0', name: 'save', content: `${turn}`, isError: false },
  ]);
  const { parts } = await message(run(twice));
  const calls = parts.flatMap((part) => (part.type === 'dynamic-tool' ? [[part.toolCallId, part.output]] : []));
  assert.deepEqual(calls, [
    ['call-0', 1],
    ['call-0-2', 2],
  ]);
});

test('a failure ends every part and says what it is', async () => {
  const failed = () => run(EVENTS.slice(0, 5), coreError('provider-unavailable', 'Down.'));
  const all = await chunks(failed(), { onError: ({ code }) => code });
  assert.deepEqual(
    all.slice(-3).map((chunk) => [chunk.type, 'errorText' in chunk ? chunk.errorText : '']),
    [
      ['tool-output-error', 'Down.'],
      ['finish-step', ''],
      ['error', 'provider-unavailable'],
    ],
  );
});

test('an abort is one, and cancelling the stream aborts', async () => {
  const hanging = (signals: (AbortSignal | undefined)[] = []) =>
    new AskRun((emit, signal) => {
      emit({ type: 'turn', turn: 1, tools: true });
      emit({ type: 'text', delta: 'Yes' });
      return new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason)));
    }, signals);
  const abort = new AbortController();
  const types: string[] = [];
  for await (const { type } of toUIMessageChunks(hanging([abort.signal]))) {
    types.push(type);
    if (type === 'text-delta') abort.abort();
  }
  assert.deepEqual(types.slice(-3), ['text-end', 'finish-step', 'abort']);
  const cancelled = hanging();
  const reader = toUIMessageStream(cancelled).getReader();
  await reader.read();
  await reader.read();
  await reader.cancel();
  await until(() => cancelled.settled);
  await assert.rejects(Promise.resolve(cancelled), { code: 'aborted' });
});
