import { expect, test } from '../harness.js';
import * as replies from '../llm-replies.js';

// The demo over several questions, and what it shows of how an answer came about.

const QUESTION = 'How much metformin a day with an eGFR of 35?';

test('a further question goes on from the last, which is folded above it', async ({ demo, llm, page }) => {
  await demo.useModel(llm);
  await expect(page.getByTestId('talk')).toBeHidden();
  llm.script(replies.searches('metformin in renal impairment'), replies.answer('Up to **1000 mg** [1].'));
  await demo.ask(QUESTION);
  await demo.answered('model');
  await expect(page.getByTestId('talk')).toContainText('1 question answered. The next may refer to it.');
  await expect(demo.earlier).toHaveCount(0);

  llm.script(replies.answer('It stands in the table [1].'));
  await demo.ask('Where does it say so?');
  await demo.answered('model');
  await expect(demo.answer).toHaveText('It stands in the table [1].');
  // Of the sources of the last question, those are listed that this answer cites or that a doubt names instead.
  await expect(demo.flags).toHaveCount(1);
  const named = `[1] ${await demo.flags.textContent()}`.match(/\[\d+\]/g);
  expect(new Set(named).size).toBeGreaterThan(1);
  await expect(demo.sources).toHaveCount(new Set(named).size);
  await expect(demo.earlier).toHaveCount(1);
  expect(
    llm
      .body(2)
      .messages.filter(({ role }) => role === 'user')
      .map(({ content }) => content),
  ).toEqual([QUESTION, 'Where does it say so?']);
  // What was answered before can still be read and checked.
  const first = demo.earlier.first();
  await expect(first.locator('.answer')).toBeHidden();
  await first.getByText(QUESTION).click();
  await expect(first.locator('strong')).toHaveText('1000 mg');
  await first.getByRole('button', { name: '[1] Source 1' }).click();
  await expect(demo.passage).toBeVisible();
  await page.keyboard.press('Escape');

  await demo.newConversation.click();
  await expect(page.getByTestId('talk')).toBeHidden();
  await expect(demo.earlier).toHaveCount(0);
  await expect(demo.answer).toBeHidden();
  await expect(demo.question).toBeFocused();
  llm.script(replies.searches('metformin'), replies.answer('Yes [1].'));
  await demo.ask('Is metformin a tablet?');
  await demo.answered('model');
  expect(llm.body(3).messages.map(({ role }) => role)).toEqual(['system', 'user']);
});

test('what failed or was stopped is forgotten', async ({ demo, llm }) => {
  await demo.useModel(llm);
  llm.script(replies.unauthorized);
  await demo.ask(QUESTION);
  await demo.problem('provider-auth');
  llm.script(replies.endless(' and so on'));
  await demo.ask('A question that is stopped');
  await expect(demo.answer).toContainText('and so on');
  await demo.stopButton.click();
  await demo.answered('stopped');
  llm.script(replies.searches('metformin'), replies.answer('Up to 1000 mg [1].'));
  await demo.ask(QUESTION);
  await demo.answered('model');
  await expect(demo.earlier).toHaveCount(0);
  expect(llm.requests.at(-2)?.body.messages.map(({ role }) => role)).toEqual(['system', 'user']);
});

test('a new conversation can be begun while an answer is being written', async ({ demo, llm }) => {
  await demo.useModel(llm);
  llm.script(replies.searches('metformin'), replies.answer('Up to 1000 mg [1].'), replies.endless(' and so on'));
  await demo.ask(QUESTION);
  await demo.answered('model');
  await demo.ask('And then?');
  await expect(demo.answer).toContainText('and so on');
  await demo.newConversation.click();
  await expect.poll(() => llm.requests[2]?.abandoned).toBe(true);
  await expect(demo.answer).toBeHidden();
  await expect(demo.askButton).toBeVisible();
  await expect(demo.stopButton).toBeHidden();
  llm.script(replies.searches('metformin'), replies.answer('Once more [1].'));
  await demo.ask(QUESTION);
  await demo.answered('model');
  await expect(demo.answer).toHaveText('Once more [1].');
});

test('what the model thinks is folded, and no part of the answer', async ({ demo, llm }) => {
  await demo.useModel(llm, { thinking: 'low' });
  llm.script(
    replies.toolCalls([{ id: 'a', name: 'search_documents', args: { query: 'metformin' } }], '', 'I have to search.'),
    replies.thinks('The table says it.\n<b>Well.</b>', 'Up to 1000 mg [1].'),
  );
  await demo.ask(QUESTION);
  await demo.answered('model');
  await expect(demo.answer).toHaveText('Up to 1000 mg [1].');
  await expect(demo.thinking.getByText('I have to search.')).toBeHidden();
  await demo.thinking.getByText('Thinking').click();
  await expect(demo.thinking.getByRole('region')).toHaveText('I have to search.\n\nThe table says it.\n<b>Well.</b>');
  expect(llm.requests.map(({ raw }) => raw.reasoning_effort)).toEqual(['low', 'low']);
  llm.script(replies.answer('As I said [1].'));
  await demo.ask('Sure?');
  await demo.answered('model');
  await expect(demo.thinking).toBeHidden();
});

test('thoughts between tags in the content are no part of the answer', async ({ demo, llm }) => {
  await demo.useModel(llm);
  llm.script(
    replies.searches('metformin with eGFR 35'),
    replies.answerInPieces(() => ['<thi', 'nk>The table [9] says it.</th', 'ink>\n\nUp to 1000 mg [1].']),
  );
  await demo.ask(QUESTION);
  await demo.answered('model');
  await expect(demo.answer).toHaveText('Up to 1000 mg [1].');
  await demo.thinking.getByText('Thinking').click();
  await expect(demo.thinking.getByRole('region')).toHaveText('The table [9] says it.');
});

test('the steps tell what each took', async ({ demo, llm, page }) => {
  await demo.useModel(llm, { policy: 'pipeline' });
  await expect(page.getByTestId('mode')).toContainText('(pipeline)');
  llm.script(
    replies.answer('COMPARATIVE'),
    replies.answer('1. metformin in renal impairment\n2. sitagliptin in renal impairment'),
    replies.answer('Up to 1000 mg [1].'),
    replies.answer('SUFFICIENT'),
  );
  await demo.ask('Compare metformin and sitagliptin in renal impairment');
  await demo.answered('model');
  await expect(demo.stepLabels).toHaveText([
    ...['Classify', 'Decompose', 'Search', 'Search', 'Join', 'Rank', 'Selected', 'Write', 'Reflect', 'Answer'],
  ]);
  await expect(demo.step('Classify')).toContainText(/→ COMPARATIVE, [\d.]+ m?s, 321 tokens in, 45 out/);
  await expect(demo.step('Search', 1)).toContainText(/“sitagliptin in renal impairment” → \d+ passages, [\d.]+ m?s/);
  await expect(demo.step('Selected')).toContainText('5 passages [1] [2] [3] [4] [5]');
  await expect(page.locator('#trace-sum')).toContainText(/^pipeline, 4 turns, 2 searches, 1,464 tokens, /);
});

test('the choices are remembered, and what was stored by an earlier version too', async ({ demo, llm, page }) => {
  await demo.useModel(llm, { policy: 'auto', thinking: 'high', provider: 'lmstudio' });
  const choices = async () => {
    await page.getByTestId('settings-open').click();
    const labels = ['Provider', 'Base URL', 'Model', 'How to answer', 'Thinking'];
    const values = labels.map((label) => demo.settings.getByLabel(label, { exact: true }).inputValue());
    return await Promise.all(values);
  };
  await page.reload();
  await demo.ready();
  expect(await choices()).toEqual(['lmstudio', llm.baseUrl, llm.model, 'auto', 'high']);
  await page.evaluate(
    (baseURL) => localStorage.setItem('ibid.llm', JSON.stringify({ baseURL, model: 'm' })),
    llm.baseUrl,
  );
  await page.reload();
  await demo.ready();
  expect(await choices()).toEqual(['custom', llm.baseUrl, 'm', 'tools', '']);
});

test('with the policy of none, the model is not asked', async ({ demo, llm, page }) => {
  await demo.useModel(llm, { policy: 'extractive' });
  await expect(page.getByTestId('mode')).toContainText('No model: you get the best passages, verbatim.');
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
  test(`${provider} is chosen by its name`, async ({ demo, llm, page }) => {
    await page.getByTestId('settings-open').click();
    await demo.settings.getByLabel('Provider').selectOption(provider);
    await expect(demo.settings.getByLabel('Base URL')).toHaveValue(/^https?:\/\//);
    await page.keyboard.press('Escape');
    await demo.useModel(llm, { provider, baseUrl: llm.baseUrlOf(format) });
    llm.script(replies.searches('metformin in renal impairment'), replies.answerFromSources(['Up to 1000 mg']));
    await demo.ask(QUESTION);
    await demo.answered('model');
    await expect(demo.answer).toHaveText('Up to 1000 mg [1]');
    await expect(demo.step('Answer')).toContainText('642 tokens in, 90 out');
  });
}
