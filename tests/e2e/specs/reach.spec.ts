import type { Page } from '@playwright/test';
import { expect } from '../harness.js';
import { ask, modelOf, type Outcome, test } from '../in-page.js';
import type { LlmDouble } from '../llm-double.js';

// A page is not told why a request got no response. What it can find out, the hint says.

const QUESTION = 'How much metformin a day with an eGFR of 35?';

async function failure(page: Page, llm: LlmDouble, more: object = {}): Promise<NonNullable<Outcome['error']>> {
  const { error, answer } = await ask(page, QUESTION, { llm: modelOf(llm, 'chat', { maxRetries: 0, ...more }) });
  if (error === undefined) throw new Error(`It was answered: ${answer?.text}`);
  expect(error.code).toBe('network');
  expect(error.message).toMatch(/^The provider could not be reached/);
  expect(JSON.stringify(error)).not.toContain(llm.key);
  return error;
}

test('a server that is down', async ({ lib, llm }) => {
  await llm.close();
  const { hint } = await failure(lib, llm);
  expect(hint).toMatch(/^Nothing answers at http:\/\/127\.0\.0\.1:\d+\. Start the server there/);
});

test('a server that lets no other page in', async ({ lib, llm, problems }) => {
  llm.allowsOrigins = false;
  const { hint } = await failure(lib, llm);
  expect(hint).toMatch(
    /^A server answers at .+, but it does not allow requests from this page \(CORS\)\. Have the server/,
  );
  expect(problems.splice(0), 'the browser reports it, too').toEqual([expect.stringContaining('CORS policy')]);
  expect(llm.requests).toEqual([]);
  // The second try has neither the key nor the question with it.
  expect(llm.complaints.splice(0)).toEqual(['unknown address: GET /']);
});

test("an address that the page's own policy forbids", async ({ lib, llm, problems }) => {
  const { hint } = await failure(lib, llm, { baseURL: 'http://127.0.0.2:9/v1' });
  expect(hint).toBe(
    "The page's content security policy forbids http://127.0.0.2:9. Its owner has to add that address to connect-src.",
  );
  // The browser itself reports what its policy forbids.
  expect(problems.splice(0).every((problem) => problem.includes('Content Security Policy'))).toBe(true);
});

test('a browser that is offline', async ({ lib, llm, context, requests }) => {
  // The module that asks is there already.
  await ask(lib, QUESTION, {});
  await context.setOffline(true);
  const { hint } = await failure(lib, llm, { baseURL: 'https://models.invalid/v1' });
  expect(hint).toBe('This browser is offline. Connect to the network, then ask again.');
  const tried = requests.findIndex(({ hostname }) => hostname === 'models.invalid');
  expect(requests.splice(tried, 1).map(({ pathname }) => pathname)).toEqual(['/v1/chat/completions']);
});

test('the demo shows the hint', async ({ demo, llm, problems }) => {
  await demo.useModel(llm);
  llm.allowsOrigins = false;
  await demo.ask(QUESTION);
  await expect(await demo.problem('network')).toContainText('does not allow requests from this page (CORS)');
  problems.length = 0;
  llm.complaints.length = 0;
});
