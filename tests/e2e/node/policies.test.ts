import type { Answer } from '../../../pkg/src/index.js';
import {
  answerOf,
  citesFirst,
  expectChecked,
  modelOf,
  QUESTION,
  queries,
  RENAL,
  said,
  steps,
  streamed,
  toolNames,
  tools,
} from '../asking.js';
import * as replies from '../llm-replies.js';
import { ask, expect, test } from './harness.js';

// Each way to answer, from the question to the answer, against the scripted model server.

test('classic: one search and one call, whose query the model may write', async ({ ibid, llm }) => {
  llm.script(citesFirst('Up to 1000 mg daily'));
  const plain = await ask(ibid, QUESTION, { llm: modelOf(llm), policy: 'classic' });
  const answer = answerOf(plain);
  expect(queries(plain)).toEqual([QUESTION]);
  expect(steps(answer)).toEqual(['retrieve', 'model', 'verify']);
  expect(answer).toMatchObject({ policy: 'classic', mode: 'model', turns: 1, searches: 1, model: llm.model });
  expect(answer.usage).toMatchObject({ inputTokens: 321, outputTokens: 45 });
  expect(answer.citations.map(({ source }) => source.title)).toEqual(['Type 2 diabetes']);
  expect(tools(llm.body(0))).toEqual([]);
  expect(said(llm, 0)).toContain('<source number="1" document="Type 2 diabetes"');
  expectChecked(answer);

  llm.script(replies.answer('Query: "metformin eGFR CKD"'), citesFirst('Up to 1000 mg daily'));
  const enhance = { rewrite: true, abbreviations: { CKD: 'chronic kidney disease' } };
  const rewritten = await ask(ibid, QUESTION, { llm: modelOf(llm), policy: 'classic', enhance });
  expect(queries(rewritten)).toEqual(['metformin eGFR CKD (chronic kidney disease)']);
  expect(steps(answerOf(rewritten))).toEqual(['rewrite', 'retrieve', 'model', 'verify']);
  expect(rewritten.events.filter(({ type }) => type === 'turn')).toMatchObject([
    { purpose: 'rewrite', tools: false },
    { purpose: 'answer', tools: false },
  ]);
  expect(streamed(rewritten.events), 'the query is no part of the answer').toBe('Up to 1000 mg daily [1].');
});

test('tools: the model judges what it found and ends by a tool', async ({ ibid, llm }) => {
  llm.script(
    replies.searches(RENAL, 'a'),
    replies.toolCall('evaluate_results', { sufficient: false, missing: 'sitagliptin' }, 'b'),
    replies.searches('sitagliptin in renal impairment', 'c'),
    replies.toolCall('done', { answer: 'Up to 1000 mg daily.', sources: [1] }, 'd'),
  );
  const options = { policy: 'tools', evaluateTool: true, doneTool: true, maxTurns: 6 } as const;
  const outcome = await ask(ibid, QUESTION, { ...options, llm: modelOf(llm) });
  const answer = answerOf(outcome);
  expect(answer).toMatchObject({ text: 'Up to 1000 mg daily. [1]', turns: 4, searches: 2, policy: 'tools' });
  expect(llm.requests.map(({ body }) => body.tool_choice)).toEqual(Array(4).fill('required'));
  expect(toolNames(llm)[0]).toEqual(['search_documents', 'evaluate_results', 'done']);
  expect(said(llm, 2)).toContain('Searches left: 2.');
  expectChecked(answer);
});

test('tools: steps are prepared, and one without a choice of tools ends the searching', async ({ ibid, llm }) => {
  llm.script(replies.searches(RENAL, 'a'), citesFirst('Up to 1000 mg daily'));
  const turns: unknown[] = [];
  const answered = await ask(ibid, QUESTION, {
    llm: modelOf(llm),
    prepareStep: ({ turn, purpose, sources }) => {
      turns.push([turn, purpose, sources]);
      return turn === 1 ? { toolChoice: { tool: 'search_documents' }, system: 'Be brief.' } : { toolChoice: 'none' };
    },
  });
  expect(turns).toEqual([
    [1, 'answer', 0],
    [2, 'answer', 5],
  ]);
  expect(answerOf(answered)).toMatchObject({ turns: 2 });
  expect(llm.body(0)).toMatchObject({ tool_choice: { type: 'function', function: { name: 'search_documents' } } });
  expect(llm.body(0).messages[0]).toEqual({ role: 'system', content: 'Be brief.' });
  expect(llm.body(1).tool_choice).toBe('none');
});

test('pipeline: takes the question apart, looks over its answer and searches once more', async ({ ibid, llm }) => {
  llm.script(
    replies.answer('COMPARATIVE'),
    replies.answer('1. metformin in renal impairment\n2. sitagliptin in renal impairment'),
    citesFirst('Metformin up to 1000 mg'),
    replies.answer('INSUFFICIENT\nwhen to stop metformin'),
    citesFirst('Metformin up to 1000 mg, stopped below 30'),
    replies.answer('SUFFICIENT'),
  );
  const outcome = await ask(ibid, 'Compare metformin and sitagliptin in renal impairment', {
    llm: modelOf(llm),
    policy: 'pipeline',
  });
  const answer = answerOf(outcome);
  expect(queries(outcome)).toEqual([
    'metformin in renal impairment',
    'sitagliptin in renal impairment',
    'when to stop metformin',
  ]);
  const round = ['deduplicate', 'rerank', 'synthesize', 'reflect'];
  expect(steps(answer)).toEqual([
    ...['classify', 'decompose', 'retrieve_sub_1', 'retrieve_sub_2', ...round],
    ...['retrieve_sub_3', ...round, 'verify'],
  ]);
  expect(answer.trace[0]).toMatchObject({ name: 'classify', note: 'COMPARATIVE' });
  expect(answer.trace.find(({ name }) => name === 'synthesize')?.usage).toMatchObject({ inputTokens: 321 });
  expect(answer).toMatchObject({ policy: 'pipeline', turns: 6, searches: 3, usage: { inputTokens: 6 * 321 } });
  const purposes = outcome.events.flatMap((event) => (event.type === 'turn' ? [event.purpose] : []));
  expect(purposes).toEqual(['classify', 'decompose', 'synthesize', 'reflect', 'synthesize', 'reflect']);
  expect(streamed(outcome.events)).toBe(answer.text);
  expect(answer.text).toMatch(/^Metformin up to 1000 mg, stopped below 30 \[\d\]\.$/);
  // What the steps are told as they end is what the answer has.
  const told = outcome.events.flatMap((event) => (event.type === 'step' ? [event.step] : []));
  expect(told).toEqual(answer.trace.slice(0, told.length));
  expectChecked(answer);
});

test('pipeline: the page may rank what was found', async ({ ibid, llm }) => {
  llm.script(replies.answer('SIMPLE'), citesFirst('Up to 1000 mg'), replies.answer('SUFFICIENT'));
  const ranked: string[] = [];
  const rerank = (_query: string, texts: readonly string[]) => {
    ranked.push(...texts);
    // The last comes first.
    return texts.map((_, index) => index / texts.length);
  };
  const answered = await ask(ibid, QUESTION, { llm: modelOf(llm), policy: 'pipeline', rerank });
  const [first] = answerOf(answered).sources;
  expect(ranked.length).toBeGreaterThan(2);
  expect(first?.text).toBe(ranked.at(-1));
});

test('case: a question that is a case is assessed by a search for each condition', async ({ ibid, llm }) => {
  llm.script(citesFirst('The wheeze speaks for it'));
  const outcome = await ask(ibid, 'Anaphylaxis; asthma. symptom: wheeze after a wasp sting. allergy: wasps.', {
    llm: modelOf(llm),
    policy: 'auto',
    prompts: { preset: 'clinical' },
  });
  const answer = answerOf(outcome);
  expect(answer.policy).toBe('case');
  expect(queries(outcome)).toEqual([
    'Anaphylaxis. symptom: wheeze after a wasp sting. allergy: wasps.',
    'asthma. symptom: wheeze after a wasp sting. allergy: wasps.',
  ]);
  // The scripted words stand in no source, so one is looked for that would support them.
  expect(steps(answer)).toEqual(['retrieve_sub_1', 'retrieve_sub_2', 'assess', 'verify']);
  expect(llm.body(0).messages[0]?.content).toContain('definitive diagnosis');
  expect(said(llm, 0)).toContain('- Anaphylaxis\n- asthma');
  expectChecked(answer);
});

test('case: an interview collects, assesses and closes, with the tools of each stage alone', async ({ ibid, llm }) => {
  llm.script(
    replies.toolCall('record_findings', { conditions: ['anaphylaxis'] }, 'a'),
    replies.answer('Since when?'),
    replies.toolCall('record_findings', { findings: ['symptom: wheeze for ten minutes'] }, 'b'),
    replies.toolCall('assess_case', {}, 'c'),
    citesFirst('Give adrenaline'),
    replies.toolCall('close_case', { message: 'Get well soon.' }, 'd'),
  );
  const talk = ibid.conversation({ defaults: { llm: modelOf(llm), policy: 'case' } });
  const answers: Answer[] = [];
  for (const said of ['A wasp has stung me and I cannot breathe well.', 'For ten minutes.', 'Thank you.']) {
    answers.push(await talk.ask(said));
  }
  expect(answers[0]?.text).toBe('Since when?');
  expect(answers[1]?.text).toMatch(/^Give adrenaline \[\d\]\.$/);
  expect(answers[1]?.citations[0]?.source.title).toBe('Anaphylaxis');
  expect(answers[2]?.text).toBe('Get well soon.');
  const known = toolNames(llm);
  expect(known[0], 'there is nothing to assess yet').toEqual(['record_findings']);
  expect(known[3]).toEqual(['record_findings', 'assess_case']);
  expect(known[4], 'an assessment is written without tools').toEqual([]);
  expect(known[5]).toContain('close_case');
  expect(new Set(answers.map(({ conversationId }) => conversationId)).size).toBe(1);
});

test('auto: chooses by the form of the question', async ({ ibid, llm }) => {
  llm.script(citesFirst('Up to 1000 mg'));
  const simple = await ask(ibid, 'What is the dose of metformin?', { llm: modelOf(llm), policy: 'auto' });
  expect(answerOf(simple).policy).toBe('classic');
  llm.script(replies.answer('SIMPLE'), citesFirst('Up to 1000 mg'), replies.answer('SUFFICIENT'));
  const compared = await ask(ibid, 'Compare metformin and sitagliptin', { llm: modelOf(llm), policy: 'auto' });
  expect(answerOf(compared).policy).toBe('pipeline');
  llm.script(replies.searches(RENAL), citesFirst('Up to 1000 mg'));
  const open = await ask(ibid, 'My kidneys fail and I take metformin', { llm: modelOf(llm), policy: 'auto' });
  expect(answerOf(open).policy).toBe('tools');
  const without = await ask(ibid, QUESTION, { policy: 'auto' });
  expect(answerOf(without)).toMatchObject({ policy: 'extractive', mode: 'extractive' });
});

test('extractive: with a model that is not asked, or with none', async ({ ibid, llm }) => {
  const answers = [
    answerOf(await ask(ibid, QUESTION, { llm: modelOf(llm), policy: 'extractive' })),
    answerOf(await ask(ibid, QUESTION, {})),
  ];
  for (const answer of answers) {
    expect(answer).toMatchObject({ policy: 'extractive', mode: 'extractive', turns: 0, usage: null, searches: 1 });
    expect(answer.model).toBeUndefined();
    expect(answer.claims.length).toBeGreaterThan(0);
    expectChecked(answer);
  }
  expect(answers[0]?.text).toBe(answers[1]?.text);
  expect(llm.requests).toEqual([]);
});
