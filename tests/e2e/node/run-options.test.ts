import type { AskOptions, Tool } from '../../../pkg/src/index.js';
import {
  answerOf,
  citesFirst,
  expectChecked,
  modelOf,
  outcome,
  QUESTION,
  queries,
  RENAL,
  said,
  streamed,
  toolNames,
} from '../asking.js';
import { indexOf } from '../documents.js';
import * as replies from '../llm-replies.js';
import { ask, expect, open, test } from './harness.js';

// What a run is given and what bounds it, against the scripted model server.

const DOSE = {
  name: 'dose',
  schema: {
    type: 'object',
    properties: { drug: { type: 'string' }, mg: { type: 'number' } },
    required: ['drug', 'mg'],
    additionalProperties: false,
  },
};

test('an answer in a given form is checked, and mended once', async ({ ibid, llm }) => {
  llm.script(
    replies.searches(RENAL),
    citesFirst('Up to 1000 mg of metformin'),
    replies.answer('{"drug":"metformin","mg":"1000"}'),
    replies.answer('```json\n{"drug":"metformin","mg":1000}\n```'),
  );
  const outcome = await ask(ibid, QUESTION, { llm: modelOf(llm), output: DOSE });
  const answer = answerOf(outcome);
  expect(answer.output).toEqual({ drug: 'metformin', mg: 1000 });
  expect(answer.text).toBe('Up to 1000 mg of metformin [1].');
  expect(streamed(outcome.events), 'the form is no part of the text').toBe(answer.text);
  expect(llm.body(2).response_format?.json_schema).toMatchObject({ ...DOSE, strict: true });
  expect(said(llm, 3)).toContain('/mg is string, not number');
  const drawn = outcome.events.flatMap((event) => (event.type === 'output' ? [event.partial] : []));
  expect(drawn.at(-1), 'it could be drawn while it was written').toEqual({ drug: 'metformin', mg: 1000 });
  expect(drawn[0], 'the try that did not fit was drawn too').not.toEqual(drawn.at(-1));
  const purposes = outcome.events.flatMap((event) => (event.type === 'turn' ? [event.purpose] : []));
  expect(purposes).toEqual(['answer', 'answer', 'format', 'repair']);
});

test('a server that knows no schemas is asked by way of a tool; what never fits is said', async ({ ibid, llm }) => {
  llm.script(
    citesFirst('Up to 1000 mg'),
    replies.apiError(400, 'This response_format type is unavailable now', 'invalid_request_error'),
    replies.toolCall('give_answer', { drug: 'metformin', mg: 1000 }),
  );
  const options = { llm: modelOf(llm), policy: 'classic', output: DOSE } as const;
  const byTool = answerOf(await ask(ibid, QUESTION, options));
  expect(byTool.output).toEqual({ drug: 'metformin', mg: 1000 });
  expect(llm.body(2).response_format).toBeUndefined();
  expect(llm.body(2).tool_choice).toEqual({ type: 'function', function: { name: 'give_answer' } });

  llm.script(citesFirst('Up to 1000 mg'), replies.answer('no'), replies.answer('never'));
  const never = answerOf(await ask(ibid, QUESTION, options));
  expect(never.output).toBeUndefined();
  expect(never.outputProblem).toContain('does not fit the schema');
  expect(never.text).toContain('Up to 1000 mg');
});

test('a budget ends a run in good order', async ({ ibid, llm }) => {
  llm.script(replies.searches(RENAL), citesFirst('Up to 1000 mg'));
  // One turn has used 366 tokens; the one after it is the last.
  const tokens = answerOf(await ask(ibid, QUESTION, { llm: modelOf(llm), budget: { tokens: 800 } }));
  expect(tokens).toMatchObject({ stoppedBy: 'tokens', mode: 'model', turns: 2 });
  expect(llm.body(1).tool_choice).toBe('none');

  llm.script(replies.searches(RENAL));
  const nothing = answerOf(await ask(ibid, QUESTION, { llm: modelOf(llm), budget: { tokens: 300 } }));
  expect(nothing).toMatchObject({ stoppedBy: 'tokens', mode: 'extractive', turns: 1 });
  expect(nothing.flags[0]?.message).toContain('budget');
  expect(nothing.citations.length).toBeGreaterThan(0);

  llm.script(replies.searches(RENAL));
  const prices = { [llm.model]: { input: 1000, output: 1000 } };
  const cost = answerOf(await ask(ibid, QUESTION, { llm: modelOf(llm), budget: { cost: 0.3 }, prices }));
  expect(cost.stoppedBy).toBe('cost');
  expect(cost.cost).toBeCloseTo(0.366, 6);
});

test('a tool of the page runs when it may, and the model is told when not', async ({ ibid, llm }) => {
  llm.script(
    replies.toolCalls([
      { id: 'a', name: 'clearance', args: { age: 80, weight: 60 } },
      { id: 'b', name: 'order', args: { drug: 'metformin' } },
      { id: 'c', name: 'clearance', args: { age: 'old' } },
    ]),
    replies.toolCall('order', { drug: 'sitagliptin' }, 'd'),
    replies.answer('Done.'),
  );
  const asked: unknown[] = [];
  const ran: unknown[] = [];
  const number = { type: 'number' };
  const clearance: Tool = {
    name: 'clearance',
    description: 'The clearance of creatinine.',
    parameters: { type: 'object', properties: { age: number, weight: number }, required: ['age', 'weight'] },
    readOnly: true,
    execute: ({ age, weight }: { age: number; weight: number }) => ({ mlPerMin: ((140 - age) * weight) / 72 }),
  };
  const order: Tool = {
    name: 'order',
    description: 'Orders a drug.',
    parameters: { type: 'object', properties: { drug: { type: 'string' } }, required: ['drug'] },
    execute: (args) => {
      ran.push(args);
      return 'Ordered.';
    },
  };
  const { answer, events } = await ask(ibid, QUESTION, {
    llm: modelOf(llm),
    tools: [clearance, order],
    onApproval: (call) => {
      asked.push(call);
      return asked.length > 1 ? true : { approved: false, reason: 'Not that one.' };
    },
  });
  expect(answer?.text).toBe('Done.');
  expect(asked).toEqual([
    { id: 'b', name: 'order', arguments: { drug: 'metformin' } },
    { id: 'd', name: 'order', arguments: { drug: 'sitagliptin' } },
  ]);
  expect(ran).toEqual([{ drug: 'sitagliptin' }]);
  const results = llm.body(2).messages.filter(({ role }) => role === 'tool');
  expect(results.map(({ tool_call_id, content }) => [tool_call_id, content])).toEqual([
    ['a', '{"mlPerMin":50}'],
    ['b', 'Error: The tool order was not run: the user did not approve it. Not that one.'],
    ['c', expect.stringMatching(/^Error: The arguments do not fit the tool's schema: .*\/age is string, not number/)],
    ['d', 'Ordered.'],
  ]);
  const told = events.flatMap((event) => (event.type === 'tool-result' ? [[event.id, event.isError]] : []));
  expect(told.sort()).toEqual([
    ['a', false],
    ['b', true],
    ['d', false],
  ]);
});

test('stages decide which tools there are', async ({ ibid, llm }) => {
  llm.script(
    replies.toolCall('login', {}, 'a'),
    replies.toolCall('pay', {}, 'b'),
    replies.answer('Paid.'),
    replies.answer('Good bye.'),
  );
  const tool = (name: string, stage: string) => ({
    name,
    description: name,
    stage,
    readOnly: true,
    execute: () => 'ok',
  });
  const talk = ibid.conversation({
    defaults: {
      llm: modelOf(llm),
      tools: [tool('login', 'out'), tool('pay', 'in'), tool('logout', 'in')],
      prepareStep: () => ({ tools: ['login', 'pay', 'logout'] }),
      stages: { initial: 'out', transitions: [{ from: 'out', tool: 'login', to: 'in' }] },
    },
  });
  expect((await talk.ask('Please pay my bill.')).text).toBe('Paid.');
  expect((await talk.ask('Thank you.')).text).toBe('Good bye.');
  expect(toolNames(llm)).toEqual([['login'], ['pay', 'logout'], ['pay', 'logout'], ['pay', 'logout']]);
});

test('of several collections the model chooses one, and a filter', async ({ ibid, llm }) => {
  const animals = await open(indexOf('wombats.md', '# Wombats\n\nWombats eat grass and roots at night.\n'));
  llm.script(
    replies.toolCalls([
      { id: 'a', name: 'search_documents', args: { query: 'what wombats eat', collection: 'animals' } },
      { id: 'b', name: 'search_documents', args: { query: RENAL, filter: { specialty: 'endocrinology' } } },
      { id: 'c', name: 'search_documents', args: { query: 'x', collection: 'plants' } },
    ]),
    replies.answer(({ messages }) => {
      const read = messages.filter(({ role }) => role === 'tool').map(({ content }) => content ?? '');
      const numbers = read.flatMap((content) => replies.readSources(content).slice(0, 1)).map(({ number }) => number);
      return `Grass [${numbers[0]}] and tablets [${numbers[1]}].`;
    }),
  );
  const collections = {
    handbook: { index: ibid, description: 'How people are treated.' },
    animals: { index: animals, description: 'How animals live.' },
  };
  const found = await ask(ibid, 'What do wombats and diabetics take?', { llm: modelOf(llm), collections });
  const answer = answerOf(found);
  const searched = found.events.flatMap((event) => (event.type === 'search' ? [event.collection] : []));
  expect(searched).toEqual(['animals', 'handbook']);
  expect(answer.citations.map(({ source }) => source.title)).toEqual(['Wombats', 'Type 2 diabetes']);
  const parameters = llm.body(0).tools?.[0]?.function.parameters as { properties: Record<string, { enum?: string[] }> };
  expect(parameters.properties.collection?.enum).toEqual(['handbook', 'animals']);
  expect(JSON.stringify(parameters)).toContain('endocrinology');
  expect(llm.body(1).messages.at(-1)?.content).toContain('There is no collection named "plants"');
  expectChecked(answer);
});

test('a conversation goes on: what was said is sent, and sources keep their numbers', async ({ ibid, llm }) => {
  llm.script(
    replies.searches(RENAL, 'a'),
    citesFirst('Up to 1000 mg'),
    replies.searches('sitagliptin with an eGFR of 35', 'a'),
    replies.answer('50 mg [1].'),
    replies.answer('adrenaline dose in anaphylaxis'),
    replies.answer(
      ({ messages }) => `Half a milligram [${replies.readSources(messages.at(-1)?.content ?? '')[0]?.number}].`,
    ),
  );
  const model = modelOf(llm);
  const talk = ibid.conversation({ defaults: { llm: model } });
  const first = await talk.ask(QUESTION);
  const second = await talk.ask('And sitagliptin?');
  const again = ibid.conversation({ from: talk.export() });
  const last = await outcome(again.ask('And adrenaline?', { llm: model, policy: 'classic' }));
  const third = answerOf(last);
  expect(llm.body(2).messages.map(({ role }) => role)).toEqual([
    'system',
    ...['user', 'assistant', 'tool', 'assistant', 'user'],
  ]);
  expect(second.sources[0]).toMatchObject({ number: 1, chunk: first.sources[0]?.chunk });
  // The third was made into a query of its own first.
  expect(said(llm, 4)).toContain('And sitagliptin?');
  expect(queries(last)).toEqual(['adrenaline dose in anaphylaxis']);
  const cited = third.citations[0];
  expect(cited?.source.title).toBe('Anaphylaxis');
  // Passages of an earlier search keep their numbers, and new ones are counted on.
  const kept = second.sources.find(({ chunk }) => chunk === cited?.source.chunk);
  if (kept) expect(cited?.number).toBe(kept.number);
  else expect(cited?.number).toBeGreaterThan(second.sources.length);
  expect(again.id).toBe(talk.id);
  expect(again.messages.map(({ role }) => role)).toEqual([
    'user',
    'assistant',
    'user',
    'assistant',
    'user',
    'assistant',
  ]);
  expectChecked(third);
});

test('an abort in the middle leaves the conversation as it was, and fit to go on', async ({ ibid, llm }) => {
  llm.script(
    replies.searches(RENAL, 'a'),
    citesFirst('Up to 1000 mg'),
    replies.searches(RENAL, 'a'),
    replies.endless(' so'),
  );
  const model = modelOf(llm);
  const talk = ibid.conversation({ defaults: { llm: model } });
  await talk.ask(QUESTION);
  const before = talk.export();
  const run = talk.ask('And in the morning?');
  const leaves = async () => {
    for await (const event of run) if (event.type === 'text') run.abort();
  };
  await expect(leaves()).rejects.toMatchObject({ code: 'aborted' });
  expect(talk.export()).toBe(before);
  await expect.poll(() => llm.requests[3]?.abandoned, 'the server sees the connection closed').toBe(true);
  llm.script(replies.answer('In the evening [1].'));
  const next = await ibid.conversation({ from: before }).ask('And in the evening?', { llm: model });
  expect(next.citations).toHaveLength(1);
});

test('a run that takes too long ends with what it has', async ({ ibid, llm }) => {
  llm.script(replies.searches(RENAL), replies.silence);
  const searched = await ask(ibid, QUESTION, { llm: modelOf(llm), timeout: 1500 });
  expect(answerOf(searched)).toMatchObject({ stoppedBy: 'timeout', mode: 'extractive', turns: 1 });
  expect(answerOf(searched).citations.length).toBeGreaterThan(0);
  await expect.poll(() => llm.requests[1]?.abandoned).toBe(true);

  // With nothing found so far, the question itself is searched for.
  for (const policy of ['tools', 'pipeline'] as const) {
    llm.script(replies.silence);
    const quoted = answerOf(await ask(ibid, QUESTION, { llm: modelOf(llm), policy, timeout: 800 }));
    expect(quoted).toMatchObject({ stoppedBy: 'timeout', mode: 'extractive' });
    expect(quoted.citations.length, policy).toBeGreaterThan(0);
  }

  llm.script(replies.silence);
  const silent = await ask(ibid, QUESTION, {
    llm: modelOf(llm, 'chat', { timeouts: { firstChunkMs: 2000 }, maxRetries: 0 }),
  });
  expect(silent.error).toMatchObject({ code: 'timeout' });
  expect(silent.error?.hint).toBeTruthy();
});

test('options that mean nothing are refused with words', async ({ ibid, llm }) => {
  const cases: [AskOptions, string][] = [
    [{ policy: 'guess' as 'auto' }, 'guess'],
    [{ maxTurns: 1 }, 'maxTurns'],
    [{ maxSearches: 0 }, 'maxSearches'],
    [{ budget: { tokens: -1 } }, '-1'],
    [{ prompts: { answer: 'No placeholder.' } }, 'prompts.answer'],
  ];
  for (const [options, word] of cases) {
    const { error } = await ask(ibid, QUESTION, { llm: modelOf(llm), ...options });
    expect(error?.code, JSON.stringify(options)).toBe('invalid-option');
    expect(error?.message).toContain(word);
  }
  expect(llm.requests).toEqual([]);
});

test('images go to the model with the question, and not with the next', async ({ ibid, llm }) => {
  const images = [new Blob([new Uint8Array([0x89, 0x50, 0x4e, 0x47])], { type: 'image/png' })];
  llm.script(replies.searches(RENAL), citesFirst('Up to 1000 mg'), replies.answer('Yes.'));
  const conversation = ibid.conversation({ defaults: { llm: modelOf(llm) } });
  await conversation.ask(QUESTION, { images });
  await conversation.ask('Is that so?');
  const seen = llm.requests.map(({ raw }) => JSON.stringify(raw).split('data:image/png;base64,iVBORw==').length - 1);
  expect(seen).toEqual([1, 1, 0]);
  const alone = await ask(ibid, QUESTION, { images });
  expect(alone.error).toMatchObject({ code: 'invalid-option' });
  const drawing = [new Blob(['<svg/>'], { type: 'image/svg+xml' })];
  expect((await ask(ibid, QUESTION, { llm: modelOf(llm), images: drawing })).error?.message).toContain('svg');
});

test('a run that was kept goes on in another page', async ({ ibid, llm }) => {
  llm.script(replies.toolCall('save', {}, 'a'), replies.searches(RENAL), replies.silence);
  const kept: string[] = [];
  let saved = 0;
  const save: Tool = { name: 'save', description: 'Saves.', readOnly: true, execute: () => `Saved ${++saved} times.` };
  const stop = new AbortController();
  const checkpoint = (run: string) => {
    // The tool has run, two calls are done, and the model is silent at the third.
    if (kept.push(run) === 3) setTimeout(() => stop.abort(), 50);
  };
  const options = { tools: [save], maxTurns: 5 };
  const torn = await ask(ibid, QUESTION, { ...options, llm: modelOf(llm), checkpoint, signal: stop.signal });
  expect(torn.error?.code).toBe('aborted');
  expect(kept.join('')).not.toContain(llm.key);

  const other = await open();
  try {
    llm.script(citesFirst('Up to 1000 mg'));
    const resume = kept.at(-1);
    const resumed = await ask(other, QUESTION, { ...options, llm: modelOf(llm), resume });
    const answer = answerOf(resumed);
    expect(answer).toMatchObject({ text: 'Up to 1000 mg [1].', searches: 1, turns: 3 });
    expectChecked(answer);
    expect(saved, 'a tool is not called again').toBe(1);
    expect(resumed.events.flatMap((event) => (event.type === 'tool-result' ? [event.content] : []))).toEqual([
      'Saved 1 times.',
    ]);
    const wrong = await ask(other, 'Another question?', { llm: modelOf(llm), resume });
    expect(wrong.error?.code).toBe('invalid-option');
    expect((await ask(other, QUESTION, { llm: modelOf(llm), resume: '{}' })).error?.code).toBe('invalid-option');
  } finally {
    other.free();
  }
});
