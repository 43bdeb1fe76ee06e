import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { AuditLog } from '../audit/types.js';
import type { LlmOptions } from './model-types.js';
import type { AskOptions } from './types.js';
import { askWire } from './wire.js';

test('options that are not given are left out, at every depth', async () => {
  assert.deepEqual(await askWire({}), {});
  const given = { llm: undefined, search: undefined, limit: null, budget: { tokens: 9, cost: undefined } };
  assert.deepEqual(await askWire(given as unknown as AskOptions), { budget: { tokens: 9 } });
});

test('every option reaches the wasm by the name that it has there', async () => {
  const options: AskOptions = {
    llm: {
      provider: 'anthropic',
      baseURL: new URL('https://proxy.example/v1'),
      model: 'm',
      apiKey: async () => 'key',
      reasoning: 'low',
      timeouts: { idleMs: 5, stepMs: undefined },
      maxRetries: 1,
      retryDelay: 50,
      extraBody: { seed: 1 },
    },
    policy: 'pipeline',
    timeout: 1000,
    search: { filter: { year: 2020 } },
    prepareStep: () => undefined,
    rerank: () => [],
    prices: { m: { input: 1, output: 2 } },
    enhance: { rewrite: true, abbreviations: { BP: 'blood pressure' } },
    output: { schema: { type: 'object', default: null } },
    prompts: { preset: 'clinical' },
    tools: [
      { name: 'now', description: 'Tells the time.', execute: () => 'noon', readOnly: true, stage: 'intake' },
      { name: 'save', description: 'Saves.', parameters: { type: 'object' }, execute: () => {} },
    ],
    stages: { initial: 'intake', transitions: [{ from: 'intake', tool: 'now', to: 'close' }] },
    doneTool: true,
    guard: { markup: 'block', emergency: undefined, messages: { default: 'Call for help.' } },
    pii: { kinds: ['NAME'], patterns: { TICKET: ['T-\\d+'] }, allow: ['Ada Clinic'] },
    verify: 'repair',
    judge: true,
    abstainBelow: 0,
    audit: { required: true } as AuditLog,
  };
  assert.deepEqual(await askWire(options), {
    models: [
      {
        llm: {
          provider: 'anthropic',
          baseURL: 'https://proxy.example/v1',
          model: 'm',
          apiKey: 'key',
          reasoning: 'low',
          timeouts: { idleMs: 5 },
          retry: { maxRetries: 1, initialDelayMs: 50 },
          extraBody: { seed: 1 },
        },
      },
    ],
    policy: 'pipeline',
    timeoutMs: 1000,
    query: '{"filter":{"year":2020},"text":""}',
    prepareStep: true,
    rerank: true,
    prices: { m: { input: 1, output: 2 } },
    enhance: { rewrite: true, abbreviations: { BP: 'blood pressure' } },
    output: { schema: { type: 'object', default: null } },
    prompts: { preset: 'clinical' },
    tools: [
      {
        name: 'now',
        description: 'Tells the time.',
        parameters: { type: 'object', properties: {} },
        readOnly: true,
        stage: ['intake'],
      },
      { name: 'save', description: 'Saves.', parameters: { type: 'object' } },
    ],
    stages: { initial: 'intake', transitions: [{ from: 'intake', tool: 'now', to: 'close' }] },
    doneTool: true,
    guard: { markup: 'block', messages: { default: 'Call for help.' } },
    pii: { kinds: ['NAME'], patterns: { TICKET: ['T-\\d+'] }, allow: ['Ada Clinic'] },
    verify: 'repair',
    judge: true,
    abstainBelow: 0,
    audit: true,
  });
});

test('images are read, and a run goes on as it was kept', async () => {
  const images = [new Blob([new Uint8Array([0x89, 0x50, 0x4e, 0x47])], { type: 'image/png' })];
  assert.deepEqual(await askWire({ images, resume: '{}' }), {
    images: [{ mediaType: 'image/png', data: 'iVBORw==' }],
    resume: '{}',
  });
  assert.deepEqual(await askWire({ images: [] }), {});
  await assert.rejects(askWire({ images: ['a.png'] as unknown as Blob[] }), { code: 'invalid-option' });
});

test('a custom model is known by its name alone, and several models keep their order', async () => {
  const mine = { name: 'mine', stream: async function* () {} };
  assert.deepEqual(await askWire({ llm: mine }), { models: [{ custom: 'mine' }] });
  const other = { model: 'm', fetch };
  assert.deepEqual(await askWire({ llm: [other, mine] }), { models: [{ llm: { model: 'm' } }, { custom: 'mine' }] });
  assert.deepEqual(await askWire({ llm: [] }), {});
});

test('what is no data, no number or no tool is refused', async () => {
  const cyclic: { self?: unknown } = {};
  cyclic.self = cyclic;
  const tool = { name: 'a', description: '', execute: () => '' };
  const refused: AskOptions[] = [
    { output: { schema: cyclic } },
    { timeout: Number.NaN },
    { tools: [{ ...tool, timeout: 0 }] },
    { tools: [{ ...tool, timeout: Number.NaN }] },
    { tools: [{ ...tool, execute: 'no' as unknown as () => string }] },
    { llm: { model: 'm', apiKey: null } as unknown as LlmOptions },
  ];
  for (const options of refused) await assert.rejects(askWire(options), { code: 'invalid-option' });
});
