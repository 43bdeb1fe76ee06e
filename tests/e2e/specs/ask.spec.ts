import { expect, test } from '../harness.js';
import { gate } from '../held.js';
import * as replies from '../llm-replies.js';

// Asking in the demo with a model that the reader has connected.

const QUESTION = 'How much metformin may someone take whose eGFR is 35?';
const RENAL = 'metformin a day with an eGFR of 35';
const TRUE = 'With an eGFR of 30 to 44, metformin goes up to 1000 mg daily [1].';
const FALSE = 'With an eGFR of 30 to 44, metformin goes up to 9000 mg daily [1].';

test('a model searches, reads what was found, and answers with citations', async ({ demo, llm, page }) => {
  await demo.useModel(llm);
  llm.script(
    replies.searches('metformin dose if eGFR < 45 & "renal impairment"'),
    replies.answerFromSources([
      'Metformin up to **1000 mg** daily',
      'Metformin has a lower ceiling in renal impairment',
    ]),
  );
  await demo.ask(QUESTION);
  await demo.answered('model');
  await expect(demo.answer.locator('strong')).toHaveText('1000 mg');
  await expect(demo.answer).toHaveText(
    /^Metformin up to 1000 mg daily \[1\]\s*Metformin has a lower ceiling in renal impairment \[2\]$/,
  );
  await expect(demo.note).toHaveText(/^Written by double-large from these sources\./);
  await expect(demo.sources).toHaveCount(2);
  expect(llm.preflights, 'the page is of another origin').toBeGreaterThan(0);
  for (const { headers } of llm.requests) {
    expect(headers).not.toHaveProperty('cookie');
    expect(headers).not.toHaveProperty('referer');
  }
  await demo.citation(1).first().click();
  await expect(demo.passage).toContainText('[1] Type 2 diabetes › Special groups › Renal impairment');
  await expect(demo.passage.getByRole('cell', { name: 'Up to 1000 mg daily' })).toBeVisible();
  await demo.passage.getByRole('button', { name: 'Close' }).click();
  await expect(demo.passage).toHaveCount(0);

  // A further question goes on from the first.
  llm.script(replies.answer('It stands in the table [1].'));
  await page.keyboard.press('Tab');
  await demo.ask('Where does it say so?');
  await expect(demo.turns).toHaveCount(2);
  await demo.answered('model');
  expect(
    llm
      .body(2)
      .messages.filter(({ role }) => role === 'user')
      .map(({ content }) => content),
  ).toEqual([QUESTION, 'Where does it say so?']);
  await demo.afresh.click();
  await expect(demo.turns).toHaveCount(0);
  await expect(demo.question).toBeFocused();
  llm.script(replies.searches('metformin'), replies.answer('Yes [1].'));
  await demo.ask('Is metformin a tablet?');
  await demo.answered('model');
  expect(llm.body(3).messages.map(({ role }) => role)).toEqual(['system', 'user']);
});

test('the answer is shown while it is being written', async ({ demo, llm }) => {
  await demo.useModel(llm);
  const rest = gate();
  llm.script(
    replies.searches(RENAL),
    replies.answerInTwo('Up to 1000 mg daily [1], in “divided” doses – ≤ 500 µg', rest.opened, ' at once 薬 [2].'),
  );
  await demo.ask(QUESTION);
  await expect(demo.answer).toContainText('“divided” doses – ≤ 500 µg');
  await expect(demo.answer).not.toContainText('at once');
  await expect(demo.answer).toHaveAttribute('aria-busy', 'true');
  await expect(demo.status).toHaveText('Writing the answer …');
  await expect(demo.stopButton).toBeVisible();
  await expect(demo.note).toHaveText('');
  // A citation can be opened before the answer is complete.
  await demo.citation(1).click();
  await expect(demo.passage).toContainText('Up to 1000 mg daily');
  rest.open();
  await demo.answered('model');
  await expect(demo.answer).toHaveText('Up to 1000 mg daily [1], in “divided” doses – ≤ 500 µg at once 薬 [2].');
  await expect(demo.citations).toHaveText(['[1]', '[2]']);
});

test('what no source bears out is marked, and told when asked for', async ({ demo, llm }) => {
  await demo.useModel(llm);
  llm.script(replies.searches(RENAL), replies.answer(`${TRUE}\n\n${FALSE}\n\nOr [2, 99].`));
  await demo.ask(QUESTION);
  await demo.answered('model');
  await expect(demo.marks.filter({ hasText: '9000' }).first()).toBeVisible();
  await expect(demo.answer.locator('.ibid-cite.ibid-unknown')).toHaveText(['[99]']);
  await expect(demo.doubts.first()).toBeHidden();
  await demo.turns
    .first()
    .getByText(/^Check this/)
    .click();
  await expect(demo.doubts.filter({ hasText: '9000' }).first()).toBeVisible();
  await expect(demo.doubts.filter({ hasText: 'there is no source with that number' })).toHaveCount(1);
});

test('Stop ends a stream, closes the connection, and one can ask again', async ({ demo, llm, page }) => {
  await demo.useModel(llm);
  llm.script(replies.searches(RENAL), replies.endless(' and so on'));
  await demo.ask(QUESTION);
  await expect(demo.answer).toContainText('and so on and so on');
  expect(llm.requests[1]?.abandoned).toBe(false);
  await demo.stopButton.click();
  await expect.poll(() => llm.requests[1]?.abandoned, 'the server sees the connection closed').toBe(true);
  await expect(demo.status).toHaveText('Stopped: this answer is not complete.');
  await expect(demo.answer, 'what was written stays').toContainText('and so on and so on');
  const length = (await demo.answer.textContent())?.length;
  await page.waitForTimeout(100);
  expect((await demo.answer.textContent())?.length, 'nothing is added afterwards').toBe(length);
  llm.script(replies.searches(RENAL), replies.answerFromSources(['Up to 1000 mg daily']));
  await demo.ask(QUESTION);
  await demo.answered('model');
  await expect(demo.answer).toHaveText('Up to 1000 mg daily [1]');
});

test('Escape stops a server that never says a word, and another question takes its place', async ({ demo, llm }) => {
  await demo.useModel(llm);
  llm.script(replies.silence);
  await demo.ask(QUESTION);
  await expect.poll(() => llm.requests.length).toBe(1);
  await demo.question.press('Escape');
  await expect.poll(() => llm.requests[0]?.abandoned).toBe(true);
  await expect(demo.status).toHaveText(/^Stopped/);
  llm.script(replies.endless(' and so on'));
  await demo.ask(QUESTION);
  await expect(demo.answer).toContainText('and so on');
  llm.script(replies.searches(RENAL), replies.answer(TRUE));
  await demo.ask('What may someone take whose eGFR is 35?');
  await demo.answered('model');
  await expect(demo.answer).toHaveText(TRUE);
  await expect.poll(() => llm.requests[1]?.abandoned).toBe(true);
});

test('a refused key is told with a hint, and never shown', async ({ context, demo, llm, page }) => {
  const written: string[] = [];
  page.on('console', (message) => written.push(message.text()));
  await demo.useModel(llm);
  llm.script(replies.echoesKey);
  await demo.ask(QUESTION);
  const problem = await demo.problem('provider-auth');
  await expect(problem).toContainText('The provider refused access (HTTP 401): ');
  await expect(problem).toContainText('Check that the API key is complete');
  const stored = await page.evaluate(() => JSON.stringify([{ ...localStorage }, { ...sessionStorage }]));
  const told = await demo.turns.first().innerHTML();
  const seen = [told, stored, page.url(), ...written, JSON.stringify(await context.storageState())].join('\n');
  for (const part of [llm.key, llm.key.slice(0, 8), llm.key.slice(-4)]) expect(seen).not.toContain(part);
  llm.script(replies.searches(RENAL), replies.answer(TRUE));
  await problem.getByRole('button', { name: 'Try again' }).click();
  await demo.answered('model');
  await expect(demo.turns).toHaveCount(1);
});

test('an emergency stands above all else, and no model is asked', async ({ demo, llm }) => {
  await demo.useModel(llm);
  await demo.ask('I have crushing chest pain right now and my left arm is numb, what should I do?');
  await expect(demo.turns.first().getByRole('alert')).toContainText(/emergency/i);
  await expect(demo.note).toHaveText('');
  await expect(demo.turns.first().getByRole('button')).toHaveCount(0);
  expect(llm.requests).toEqual([]);
});

test('the form refuses an address that a key must not be sent to, and a missing model', async ({ demo }) => {
  await demo.openModelForm();
  const form = demo.model;
  const use = form.getByRole('button', { name: 'Use this model' });
  await form.getByLabel('Provider').selectOption('custom');
  // The second is encrypted, but no host that this page may reach.
  for (const address of ['http://models.example/v1', 'https://models.example/v1']) {
    await form.getByLabel('Address').fill(address);
    await use.click();
    await expect(form.getByRole('alert')).toContainText(`does not allow ${new URL(address).origin}`);
    await expect(form.getByLabel('Address')).toBeFocused();
  }
  await form.getByLabel('Address').fill('https://api.mistral.ai/v1');
  await use.click();
  await expect(form.getByRole('alert')).toHaveText('Name a model.');
});

test('a key does not follow to another server, and no model can be chosen again', async ({ demo, llm }) => {
  await demo.useModel(llm);
  await demo.model.getByLabel('Provider').selectOption('groq');
  await expect(demo.model.getByLabel('API key')).toHaveValue('');
  await demo.model.getByLabel('Provider').selectOption('none');
  await demo.model.getByRole('button', { name: 'Use this model' }).click();
  await demo.ask(QUESTION);
  await demo.answered('extractive');
  expect(llm.requests).toEqual([]);
});

for (const [provider, format] of [
  ['OpenAI (Responses)', 'responses'],
  ['Anthropic', 'anthropic'],
  ['Google Gemini', 'gemini'],
  ['Ollama', 'ollama'],
] as const) {
  test(`${provider} is chosen by its name`, async ({ demo, llm }) => {
    await demo.openModelForm();
    await demo.model.getByLabel('Provider').selectOption(provider);
    await expect(demo.model.getByLabel('Address')).toHaveValue(/^https?:\/\//);
    await demo.useModel(llm, { provider, baseUrl: llm.baseUrlOf(format) });
    llm.script(replies.searches('metformin in renal impairment'), replies.answerFromSources(['Up to 1000 mg']));
    await demo.ask(QUESTION);
    await demo.answered('model');
    await expect(demo.answer).toHaveText('Up to 1000 mg [1]');
  });
}
