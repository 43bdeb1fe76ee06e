import { answerOf, modelOf, QUESTION, RENAL, said } from '../asking.js';
import * as replies from '../llm-replies.js';
import { ask, built, expect, test } from './harness.js';

// What is checked before and after the model: emergencies, claims and their sources, and what becomes of what is doubtful.

const TRUE = 'With an eGFR of 30 to 44, metformin goes up to 1000 mg daily [1].';
const FALSE = 'With an eGFR of 30 to 44, metformin goes up to 9000 mg daily [1].';
const EMERGENCY = 'I have crushing chest pain right now and my left arm is numb, what should I do?';
/** Kinds of flags that are not found by holding claims against sources. */
const OTHERS = new Set([
  'unknown_source',
  'cut_off',
  'no_sources',
  'no_model_answer',
  'personal_data',
  'nonce_quoted',
  'removed',
  'abstained',
  'judged_unsupported',
  'instructions',
]);

test('an emergency is answered before any model, with the clinical preset alone', async ({ ibid, llm }) => {
  const clinical = { llm: modelOf(llm), prompts: { preset: 'clinical' as const } };
  const outcome = await ask(ibid, EMERGENCY, clinical);
  const answer = answerOf(outcome);
  expect(answer.mode).toBe('guard');
  expect(answer.guard.emergency).toMatchObject({ category: 'cardiac', message: answer.text });
  expect(answer).toMatchObject({ sources: [], citations: [], turns: 0, searches: 0, usage: null });
  expect(outcome.events.map(({ type }) => type).filter((type) => type !== 'step' && type !== 'text')).toEqual([
    'guard',
    'answer',
  ]);
  expect(llm.requests).toEqual([]);
  const { span, matched } = answer.guard.emergency ?? {};
  expect(answer.guard.question.slice(span?.start, span?.end)).toBe(matched);

  const own = answerOf(
    await ask(ibid, EMERGENCY, { ...clinical, guard: { messages: { cardiac: 'Rufen Sie 112 an.' } } }),
  );
  expect(own.text).toBe('Rufen Sie 112 an.');
  for (const options of [{ llm: modelOf(llm) }, { ...clinical, guard: { emergency: 'flag' as const } }]) {
    llm.script(replies.searches('chest pain'), replies.answer('The documents do not say.'));
    const answered = answerOf(await ask(ibid, EMERGENCY, options));
    expect(answered.mode).toBe('model');
    expect(answered.guard.emergency?.category).toBe('guard' in options ? 'cardiac' : undefined);
  }
  llm.script(replies.searches('symptoms of a stroke'), replies.answer('The documents do not say.'));
  const informational = answerOf(await ask(ibid, 'What are the symptoms of a stroke?', clinical));
  expect(informational.mode).toBe('model');
});

test('a claim without support is marked, and verifyAnswer finds the same', async ({ ibid, llm }) => {
  llm.script(replies.searches(RENAL), replies.answer(`${TRUE} ${FALSE}`));
  const answer = answerOf(await ask(ibid, QUESTION, { llm: modelOf(llm) }));
  expect(answer.claims.map(({ check }) => check?.status)).toEqual(['supported', 'unsupported']);
  const [good, bad] = answer.claims;
  const source = answer.sources.find(({ number }) => number === 1);
  const evidence = good?.check?.evidence[0];
  expect(source?.text.slice(evidence?.span.start, evidence?.span.end)).toContain('1000');
  const flag = answer.flags.find(({ kind }) => kind === 'number_unsupported');
  expect(answer.text.slice(flag?.span.start, flag?.span.end)).toContain('9000');
  expect(flag?.span.start).toBeGreaterThanOrEqual(bad?.start ?? 0);
  expect(answer.confidence?.value).toBeGreaterThan(0);
  for (const part of Object.values(answer.confidence?.parts ?? {})) {
    expect(part).toBeGreaterThanOrEqual(0);
    expect(part).toBeLessThanOrEqual(1);
  }
  expect(Object.keys(answer.confidence?.parts ?? {}).sort()).toEqual(['cited', 'retrieval', 'standing', 'values']);

  const { verifyAnswer, bibliography } = await built();
  const bare = answer.sources.map(({ number, text }) => ({ number, text }));
  for (const same of [answer, { text: answer.text, sources: answer.sources }, { text: answer.text, sources: bare }]) {
    const found = await verifyAnswer(same);
    expect(found.flags.filter(({ kind }) => !OTHERS.has(kind))).toEqual(
      answer.flags.filter(({ kind }) => !OTHERS.has(kind)),
    );
    expect(found.claims.map(({ check }) => check?.status)).toEqual(['supported', 'unsupported']);
  }
  expect(await bibliography(answer, 'list')).toContain('Type 2 diabetes');
  expect(JSON.parse(await bibliography(answer, 'csl-json'))[0].title).toBe('Type 2 diabetes');
});

test('strict removes what is not supported, and says so', async ({ ibid, llm }) => {
  llm.script(replies.searches(RENAL), replies.answer(`${TRUE} ${FALSE}`));
  const answer = answerOf(await ask(ibid, QUESTION, { llm: modelOf(llm), verify: 'strict' }));
  expect(answer.text).toContain('1000 mg');
  expect(answer.text).not.toContain('9000');
  expect(answer.removed).toBe(1);
  expect(answer.flags.map(({ kind }) => kind)).toContain('removed');
  for (const { start, end, text } of answer.claims) expect(answer.text.slice(start, end)).toContain(text.slice(0, 5));
});

test('repair asks the model once more, with what is doubtful', async ({ ibid, llm }) => {
  llm.script(replies.searches(RENAL), replies.answer(FALSE), replies.answer(TRUE));
  const outcome = await ask(ibid, QUESTION, { llm: modelOf(llm), verify: 'repair' });
  const answer = answerOf(outcome);
  expect(llm.requests).toHaveLength(3);
  expect(said(llm, 2)).toContain('9000');
  expect(answer.text).toContain('1000 mg');
  expect(answer.text).not.toContain('9000');
  expect(answer.claims.map(({ check }) => check?.status)).toEqual(['supported']);
});

test('off checks nothing, and a demanding threshold abstains', async ({ ibid, llm }) => {
  llm.script(replies.searches(RENAL), replies.answer(FALSE));
  const off = answerOf(await ask(ibid, QUESTION, { llm: modelOf(llm), verify: 'off' }));
  expect(off.claims.every(({ check }) => check === undefined)).toBe(true);
  expect(off.confidence).toBeUndefined();
  llm.script(replies.searches(RENAL), replies.answer(FALSE));
  const abstained = answerOf(await ask(ibid, QUESTION, { llm: modelOf(llm), abstainBelow: 1 }));
  expect(abstained).toMatchObject({ abstained: true, mode: 'extractive' });
  expect(abstained.text).not.toContain('9000');
  llm.script(replies.searches(RENAL), replies.answer(FALSE));
  const never = answerOf(await ask(ibid, QUESTION, { llm: modelOf(llm), abstainBelow: 0 }));
  expect(never).toMatchObject({ mode: 'model' });
  expect(never.abstained ?? false).toBe(false);
});

test('questions are looked at and texts redacted without a run', async () => {
  const { inspectQuestion, redact } = await built();
  const markup = 'What is <script>alert(1)</script> for?';
  expect(await inspectQuestion(markup)).toMatchObject({
    question: markup,
    notices: [{ kind: 'markup' }, { kind: 'markup' }],
  });
  const blocked = inspectQuestion(markup, { markup: 'block' });
  await expect(blocked).rejects.toMatchObject({ code: 'question-blocked' });
  const redacted = await redact('Ärztin: write to ada@clinic.example, please.');
  expect(redacted.text).toBe('Ärztin: write to [EMAIL_1], please.');
  expect(redacted.found).toEqual([{ label: 'EMAIL', span: { start: 17, end: 35 } }]);
});
