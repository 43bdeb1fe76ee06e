import type { Demo } from '../demo.js';
import { expect, test } from '../harness.js';
import type { LlmDouble } from '../llm-double.js';
import * as replies from '../llm-replies.js';

const QUESTION = 'How much metformin may someone take whose eGFR is 35?';
const RENAL = 'metformin a day with an eGFR of 35';

/** Scripts a conversation that goes well. */
function scriptAnswer(llm: LlmDouble): void {
  llm.script(replies.searches(RENAL), replies.answerFromSources(['Up to 1000 mg daily']));
}

async function expectAnswer(demo: Demo): Promise<void> {
  await demo.answered('model');
  await expect(demo.answer).toHaveText('Up to 1000 mg daily [1]');
  await expect(demo.page.getByTestId('ask-error')).toBeEmpty();
}

for (const [how, key, script] of [
  ['a key that the provider does not know', 'sk-wrong-9876543210', []],
  ['a refused key that comes back whole', 'sk-double-0123456789', [replies.echoesKey]],
] as const) {
  test(`${how}: says so, never shows it, and leads to the settings`, async ({ context, demo, llm, page }) => {
    const written: string[] = [];
    page.on('console', (message) => written.push(message.text()));
    await demo.useModel(llm, { key });
    llm.script(...script);
    await demo.ask(QUESTION);
    const problem = await demo.problem('provider-auth');
    await expect(problem).toContainText('The provider refused access (HTTP 401): ');
    await expect(problem).toContainText('Check that the API key is complete');
    await expect(problem.getByRole('button')).toHaveText(['Model settings']);
    await expect(demo.stepLabels).toHaveText(['Turn 1', 'Failed']);

    const seen = [await page.content(), page.url(), ...written, JSON.stringify(await context.storageState())].join(
      '\n',
    );
    expect(seen).toContain('HTTP 401');
    expect(seen).not.toContain(key);
    // What OpenAI leaves of a key, its two ends, is nobody's business either.
    expect(seen).not.toContain(key.slice(0, 8));
    expect(seen).not.toContain(key.slice(-4));

    await problem.getByRole('button', { name: 'Model settings' }).click();
    await demo.settings.getByLabel('API key').fill(llm.key);
    await demo.settings.getByRole('button', { name: 'Save' }).click();
    scriptAnswer(llm);
    await demo.ask(QUESTION);
    await expectAnswer(demo);
  });
}

test('no key at all: the hint says that none was sent', async ({ demo, llm }) => {
  await demo.useModel(llm, { key: '' });
  await demo.ask(QUESTION);
  await expect(await demo.problem('provider-auth')).toContainText('Set an API key; none was sent.');
});

test('a model that the provider does not know', async ({ demo, llm }) => {
  await demo.useModel(llm, { model: 'double-smal' });
  await demo.ask(QUESTION);
  const problem = await demo.problem('provider-not-found');
  await expect(problem).toContainText('(HTTP 404): The model `double-smal` does not exist');
  await expect(problem).toContainText("Check the model's name (double-smal) and the base URL");
  await expect(problem.getByRole('button')).toHaveText(['Model settings']);
  expect(llm.requests, 'a 404 is not tried again').toEqual([]);
});

test('a wrong base URL', async ({ demo, llm }) => {
  await demo.useModel(llm, { baseUrl: llm.baseUrl.replace('/v1', '/v2') });
  await demo.ask(QUESTION);
  await expect(await demo.problem('provider-not-found')).toContainText('which usually ends in /v1');
  expect(llm.complaints.splice(0)).toEqual(['unknown address: POST /v2/chat/completions']);
});

test('429 with a wait that the server names: waits that long, then answers', async ({ demo, llm }) => {
  await demo.useModel(llm);
  llm.script(replies.rateLimited(1));
  scriptAnswer(llm);
  await demo.ask(QUESTION);
  await expectAnswer(demo);
  await expect(demo.stepLabels).toHaveText(['Turn 1', 'Retry', 'Search', 'Turn 2', 'Answer']);
  await expect(demo.step('Retry')).toContainText(
    "The provider's rate limit is reached (HTTP 429): Rate limit reached. Retry 1 in 1 s.",
  );
  const waited = (llm.requests[1]?.at ?? 0) - (llm.requests[0]?.at ?? 0);
  expect(waited).toBeGreaterThanOrEqual(990);
  expect(llm.body(1), 'the same request once more').toEqual(llm.body(0));
});

test('429 with a wait that the page cannot read: waits two seconds or somewhat longer', async ({ demo, llm }) => {
  await demo.useModel(llm);
  llm.script(replies.rateLimited(0, false));
  scriptAnswer(llm);
  await demo.ask(QUESTION);
  await expect(demo.step('Retry')).toContainText(/Retry 1 in 2(\.\d)? s\./);
  await expectAnswer(demo);
  expect((llm.requests[1]?.at ?? 0) - (llm.requests[0]?.at ?? 0)).toBeGreaterThanOrEqual(1990);
});

for (const [status, reply, code, message] of [
  [429, replies.rateLimited(0), 'provider-rate-limit', 'The provider’s rate limit is reached (HTTP 429)'],
  [500, replies.serverError(0), 'provider-unavailable', 'The provider failed (HTTP 500): The server had an error'],
] as const) {
  test(`${status} again and again: gives up after two retries, and can be asked again`, async ({ demo, llm }) => {
    await demo.useModel(llm);
    llm.script(reply, reply, reply);
    await demo.ask(QUESTION);
    const problem = await demo.problem(code);
    await expect(problem).toContainText(message.replace('’', "'"));
    await expect(demo.stepLabels).toHaveText(['Turn 1', 'Retry', 'Retry', 'Failed']);
    expect(llm.requests).toHaveLength(3);
    await expect(problem.getByRole('button')).toHaveText(['Try again', 'Model settings']);
    scriptAnswer(llm);
    await problem.getByRole('button', { name: 'Try again' }).click();
    await expectAnswer(demo);
    await expect(demo.stepLabels).toHaveText(['Turn 1', 'Search', 'Turn 2', 'Answer']);
  });
}

test('a server that is down', async ({ demo, llm }) => {
  await demo.useModel(llm);
  await llm.close();
  await demo.ask(QUESTION);
  const problem = await demo.problem('network');
  await expect(problem).toContainText('The provider could not be reached');
  await expect(problem).toContainText(`Nothing answers at ${new URL(llm.baseUrl).origin}. Start the server there`);
  await expect(demo.stepLabels).toHaveText(['Turn 1', 'Retry', 'Retry', 'Failed']);
  await expect(problem.getByRole('button')).toHaveText(['Try again', 'Model settings']);
});

test('a key with a character that no header may have', async ({ demo, llm }) => {
  await demo.useModel(llm, { key: 'sk-\u201cquoted\u201d' });
  await demo.ask(QUESTION);
  const problem = await demo.problem('invalid-option');
  await expect(problem).toContainText(/key/i);
  expect(await demo.page.content()).not.toContain('sk-\u201cquoted');
});

test('a server that comes back during the wait', async ({ demo, llm }) => {
  await demo.useModel(llm);
  scriptAnswer(llm);
  await llm.close();
  await demo.ask(QUESTION);
  await expect(demo.step('Retry')).toContainText('could not be reached');
  await llm.open();
  await expectAnswer(demo);
});

test('a connection that breaks off in the middle of the answer', async ({ demo, llm }) => {
  await demo.useModel(llm);
  llm.script(replies.searches(RENAL), replies.dropsAfter('Up to 1000 mg'));
  await demo.ask(QUESTION);
  const problem = await demo.problem('network');
  await expect(problem.getByRole('button', { name: 'Try again' })).toBeVisible();
  // What was read already must not vanish or be written anew, so this is not retried by itself.
  await expect(demo.answer).toHaveText('Up to 1000 mg');
  await expect(demo.stepLabels).toHaveText(['Turn 1', 'Search', 'Turn 2', 'Failed']);
  await expect(demo.answer).not.toHaveAttribute('aria-busy');
  scriptAnswer(llm);
  await problem.getByRole('button', { name: 'Try again' }).click();
  await expectAnswer(demo);
});

test('a stream of events that are no JSON', async ({ demo, llm }) => {
  await demo.useModel(llm);
  llm.script(replies.invalidSse);
  await demo.ask(QUESTION);
  const problem = await demo.problem('provider-protocol');
  await expect(problem).toContainText('holds an event that is no JSON; it starts with: {"choices":[{"index":0');
  await expect(demo.stepLabels, 'nonsense is not asked for twice').toHaveText(['Turn 1', 'Failed']);
});

test('an HTML page with status 200', async ({ demo, llm, page }) => {
  await demo.useModel(llm);
  llm.script(replies.htmlPage);
  await demo.ask(QUESTION);
  const problem = await demo.problem('provider-protocol');
  await expect(problem).toContainText('is an HTML page; it starts with: <!doctype html><title>Sign in</title>');
  await expect(problem).toContainText('Check that the base URL is that of a Chat Completions API');
  await expect(page.getByRole('heading', { name: 'Please sign in' })).toHaveCount(0);
});

const BAD_CALLS: [how: string, call: replies.Reply, told: string | RegExp][] = [
  [
    'broken JSON',
    replies.toolCall('search_documents', '{"query": "dose'),
    /^search_documents: The arguments are not valid JSON \(.+\)\. Call search_documents again/,
  ],
  ['no query', replies.toolCall('search_documents', {}), 'search_documents: The argument query is missing.'],
  [
    'an unknown tool',
    replies.toolCall('web_search', { query: 'metformin' }),
    'web_search: There is no tool named "web_search" now. There is: search_documents.',
  ],
];

test('a wrong tool call: the model is told, tries again and answers', async ({ demo, llm }) => {
  await demo.useModel(llm);
  for (const [how, call, told] of BAD_CALLS) {
    await test.step(how, async () => {
      const before = llm.requests.length;
      if (before > 0) await demo.newConversation.click();
      llm.script(call);
      scriptAnswer(llm);
      await demo.ask(QUESTION);
      await expect(demo.step('Tool error').locator('.step-detail')).toHaveText(told);
      await expectAnswer(demo);
      await expect(demo.stepLabels).toHaveText(['Turn 1', 'Tool error', 'Turn 2', 'Search', 'Turn 3', 'Answer']);
      const result = llm.body(before + 1).messages.at(-1);
      expect(result).toMatchObject({ role: 'tool', tool_call_id: 'call_one' });
      const shown = (await demo.step('Tool error').locator('.step-detail').textContent()) ?? '';
      expect(result?.content).toBe(`Error: ${shown.slice(shown.indexOf(': ') + 2)}`);
    });
  }
});

test('a question that is none reaches no model', async ({ demo, llm, page }) => {
  await demo.useModel(llm);
  for (const [text, message] of [
    ['', 'The question is empty.'],
    [' no ', 'The question has 2 characters; it needs at least 3.'],
    ['   ', 'The question is empty.'],
  ] as const) {
    await demo.ask(text);
    await expect(page.getByTestId('ask-error')).toContainText(message);
    await demo.problem('question-length');
    await expect(demo.answer).toBeHidden();
    await expect(demo.steps.filter({ visible: true })).toHaveCount(0);
    await expect(page.getByTestId('ask-error').getByRole('button')).toHaveCount(0);
  }
  expect(llm.preflights).toBe(0);
  scriptAnswer(llm);
  await demo.ask(QUESTION);
  await expectAnswer(demo);
});
