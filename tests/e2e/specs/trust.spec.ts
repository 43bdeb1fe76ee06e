import { RENAL, said } from '../asking.js';
import { expect } from '../harness.js';
import { answerOf, ask, modelOf, test } from '../in-page.js';
import * as replies from '../llm-replies.js';

// What is checked before and after the model: emergencies, claims and their sources, and what becomes of what is doubtful.

const QUESTION = 'How much metformin a day with an eGFR of 35?';
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

test('an emergency is answered before any model, with the clinical preset alone', async ({ lib, llm }) => {
  const clinical = { llm: modelOf(llm), prompts: { preset: 'clinical' as const } };
  const outcome = await ask(lib, EMERGENCY, clinical);
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
    await ask(lib, EMERGENCY, { ...clinical, guard: { messages: { cardiac: 'Rufen Sie 112 an.' } } }),
  );
  expect(own.text).toBe('Rufen Sie 112 an.');
  for (const options of [{ llm: modelOf(llm) }, { ...clinical, guard: { emergency: 'flag' as const } }]) {
    llm.script(replies.searches('chest pain'), replies.answer('The documents do not say.'));
    const answered = answerOf(await ask(lib, EMERGENCY, options));
    expect(answered.mode).toBe('model');
    expect(answered.guard.emergency?.category).toBe('guard' in options ? 'cardiac' : undefined);
  }
  llm.script(replies.searches('symptoms of a stroke'), replies.answer('The documents do not say.'));
  const informational = answerOf(await ask(lib, 'What are the symptoms of a stroke?', clinical));
  expect(informational.mode).toBe('model');
});

test('the demo shows an emergency above all else', async ({ demo, llm }) => {
  await demo.useModel(llm);
  await demo.ask(EMERGENCY);
  await expect(demo.emergency).toBeVisible();
  await expect(demo.emergency.getByRole('heading')).toHaveText('This may be an emergency');
  await expect(demo.answerNote).toHaveAttribute('data-kind', 'guard');
  await expect(demo.answer).toBeHidden();
  expect(llm.requests).toEqual([]);
  llm.script(replies.searches(RENAL), replies.answer(TRUE));
  await demo.ask(QUESTION);
  await demo.answered('model');
  await expect(demo.emergency).toBeHidden();
});

test('a claim without support is marked, and verifyAnswer finds the same', async ({ lib, llm }) => {
  llm.script(replies.searches(RENAL), replies.answer(`${TRUE} ${FALSE}`));
  const answer = answerOf(await ask(lib, QUESTION, { llm: modelOf(llm) }));
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
  expect(Object.keys(answer.confidence?.parts ?? {}).sort()).toEqual(['cited', 'coverage', 'flags', 'retrieval']);

  const again = (await lib.evaluate(async (answer: { text: string; sources: { number: number; text: string }[] }) => {
    const { verifyAnswer, bibliography } = await import('./ibid/index.js' as string);
    const stripped = { text: answer.text, sources: answer.sources };
    return {
      whole: await verifyAnswer(answer),
      stripped: await verifyAnswer(stripped),
      bare: await verifyAnswer({
        text: answer.text,
        sources: answer.sources.map(({ number, text }) => ({ number, text })),
      }),
      list: await bibliography(answer),
      json: await bibliography(answer, 'csl-json'),
    };
  }, answer as never)) as unknown as Record<
    'whole' | 'stripped' | 'bare',
    { claims: never[]; flags: { kind: string }[] }
  > &
    Record<'list' | 'json', string>;
  for (const found of [again.whole, again.stripped, again.bare]) {
    expect(found.flags.filter(({ kind }) => !OTHERS.has(kind))).toEqual(
      answer.flags.filter(({ kind }) => !OTHERS.has(kind)),
    );
    expect(found.claims.map(({ check }: { check: { status: string } }) => check.status)).toEqual([
      'supported',
      'unsupported',
    ]);
  }
  expect(again.list).toContain('Type 2 diabetes');
  expect(JSON.parse(again.json)[0].title).toBe('Type 2 diabetes');
});

test('the demo marks claims, and leads from the mark to the words of the source', async ({ demo, llm, page }) => {
  await demo.useModel(llm);
  llm.script(replies.searches(RENAL), replies.answer(`${TRUE}\n\n${FALSE}`));
  await demo.ask(QUESTION);
  await demo.answered('model');
  await expect(demo.signs).toHaveCount(2);
  await expect(demo.signs.first()).toHaveAttribute('data-status', 'supported');
  await expect(demo.signs.last()).toHaveAttribute('data-status', 'unsupported');
  await expect(demo.signs.last()).toHaveAttribute('aria-label', /9000/);
  await expect(demo.answer.locator('mark.ibid-flag').filter({ hasText: '9000' }).first()).toBeVisible();
  await expect(demo.flags.filter({ hasText: '9000' }).first()).toBeVisible();
  await expect(demo.confidence).toContainText(/Confidence \d+ %/);
  await expect(demo.confidence.getByRole('meter')).toHaveCount(4);
  await demo.signs.first().focus();
  await page.keyboard.press('Enter');
  await expect(demo.passageText.locator('mark.evidence').first()).toBeVisible();
  await expect(demo.passage).toContainText('Supports');
  await page.keyboard.press('Escape');
  await demo.citation(1).first().click();
  await expect(demo.passageText.locator('mark.evidence').first()).toContainText('1000');
});

test('strict removes what is not supported, and says so', async ({ lib, llm }) => {
  llm.script(replies.searches(RENAL), replies.answer(`${TRUE} ${FALSE}`));
  const answer = answerOf(await ask(lib, QUESTION, { llm: modelOf(llm), verify: 'strict' }));
  expect(answer.text).toContain('1000 mg');
  expect(answer.text).not.toContain('9000');
  expect(answer.removed).toBe(1);
  expect(answer.flags.map(({ kind }) => kind)).toContain('removed');
  for (const { start, end, text } of answer.claims) expect(answer.text.slice(start, end)).toContain(text.slice(0, 5));
});

test('repair asks the model once more, with what is doubtful', async ({ lib, llm }) => {
  llm.script(replies.searches(RENAL), replies.answer(FALSE), replies.answer(TRUE));
  const outcome = await ask(lib, QUESTION, { llm: modelOf(llm), verify: 'repair' });
  const answer = answerOf(outcome);
  expect(llm.requests).toHaveLength(3);
  expect(said(llm, 2)).toContain('9000');
  expect(answer.text).toContain('1000 mg');
  expect(answer.text).not.toContain('9000');
  expect(answer.claims.map(({ check }) => check?.status)).toEqual(['supported']);
});

test('off checks nothing, and a demanding threshold abstains', async ({ lib, llm }) => {
  llm.script(replies.searches(RENAL), replies.answer(FALSE));
  const off = answerOf(await ask(lib, QUESTION, { llm: modelOf(llm), verify: 'off' }));
  expect(off.claims.every(({ check }) => check === undefined)).toBe(true);
  expect(off.confidence).toBeUndefined();
  llm.script(replies.searches(RENAL), replies.answer(FALSE));
  const abstained = answerOf(await ask(lib, QUESTION, { llm: modelOf(llm), abstainBelow: 1 }));
  expect(abstained).toMatchObject({ abstained: true, mode: 'extractive' });
  expect(abstained.text).not.toContain('9000');
  llm.script(replies.searches(RENAL), replies.answer(FALSE));
  const never = answerOf(await ask(lib, QUESTION, { llm: modelOf(llm), abstainBelow: 0 }));
  expect(never).toMatchObject({ mode: 'model' });
  expect(never.abstained ?? false).toBe(false);
});

test('questions are looked at and texts redacted without a run', async ({ lib }) => {
  const { verdict, blocked, redacted } = await lib.evaluate(async () => {
    const { inspectQuestion, redact } = await import('./ibid/index.js' as string);
    const markup = 'What is <script>alert(1)</script> for?';
    return {
      verdict: await inspectQuestion(markup),
      blocked: await inspectQuestion(markup, { markup: 'block' }).catch(({ code }: { code: string }) => code),
      redacted: await redact('Ärztin: write to ada@clinic.example, please.'),
    };
  });
  expect(verdict).toMatchObject({
    question: 'What is <script>alert(1)</script> for?',
    notices: [{ kind: 'markup' }, { kind: 'markup' }],
  });
  expect(blocked).toBe('question-blocked');
  expect(redacted.text).toBe('Ärztin: write to [EMAIL_1], please.');
  expect(redacted.found).toEqual([{ label: 'EMAIL', span: { start: 17, end: 35 } }]);
});
