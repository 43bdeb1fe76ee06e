import type { RequestListener } from 'node:http';
import type { Page } from '@playwright/test';
import { listen } from '../../static-server.mjs';
import { modelOf, type Outcome, QUESTION } from '../asking.js';
import { expect } from '../harness.js';
import { ask, test } from '../in-page.js';
import type { LlmDouble } from '../llm-double.js';
import * as replies from '../llm-replies.js';

// A page is not told why a request got no response. What it can find out, the hint says.

async function failure(page: Page, llm: LlmDouble, more: object = {}): Promise<NonNullable<Outcome['error']>> {
  const { error, answer } = await ask(page, QUESTION, { llm: modelOf(llm, 'chat', { maxRetries: 0, ...more }) });
  if (error === undefined) throw new Error(`It was answered: ${answer?.text}`);
  expect(error.code).toBe('network');
  expect(error.message).toMatch(/^The provider could not be reached/);
  expect(JSON.stringify(error)).not.toContain(llm.key);
  return error;
}

/** Serves on a free port of the loopback address while a test uses it. */
async function withServer(answer: RequestListener, use: (origin: string) => Promise<void>): Promise<void> {
  const { origin, close } = await listen(answer);
  await use(origin);
  close();
}

/** Answers preflights as servers do that allow every page. */
const ALLOWED = { 'access-control-allow-origin': '*', 'access-control-allow-headers': 'authorization, content-type' };

test('a redirect gets neither key nor question', async ({ lib, llm }) => {
  const stolen: string[] = [];
  const steals: RequestListener = ({ method, url }, response) => {
    stolen.push(`${method} ${url}`);
    response.writeHead(204, ALLOWED).end();
  };
  await withServer(steals, async (thief) => {
    for (const status of [301, 302, 303, 307, 308]) {
      const moves: RequestListener = ({ method }, response) => {
        if (method === 'OPTIONS') response.writeHead(204, ALLOWED).end();
        else response.writeHead(status, { ...ALLOWED, location: `${thief}/v1/chat/completions` }).end();
      };
      await withServer(moves, async (origin) => {
        const model = modelOf(llm, 'chat', { maxRetries: 0, baseURL: `${origin}/v1` });
        const { error } = await ask(lib, QUESTION, { llm: model, policy: 'classic' });
        expect(error, String(status)).toEqual({
          code: 'provider-protocol',
          message: `${origin} redirects elsewhere. ibid follows no redirect from a service, since that would send your key and text elsewhere.`,
          hint: 'If you trust that host, use the final address as the base URL.',
        });
      });
    }
  });
  expect(stolen).toEqual([]);
});

test('a server that breaks off after a good preflight', async ({ lib, llm }) => {
  const resets: RequestListener = ({ method, socket }, response) => {
    if (method === 'POST') socket.destroy();
    else response.writeHead(204, ALLOWED).end();
  };
  await withServer(resets, async (origin) => {
    const { hint } = await failure(lib, llm, { baseURL: `${origin}/v1` });
    expect(hint).toMatch(/^A server answers at .+, but the connection broke during the request\. Check the logs/);
  });
});

test('a server that is down', async ({ lib, llm }) => {
  await llm.close();
  const { hint } = await failure(lib, llm);
  expect(hint).toMatch(/^Nothing answers at http:\/\/127\.0\.0\.1:\d+\. Start the server there/);
});

test('a server that lets no other page in', async ({ lib, llm, problems }) => {
  llm.allowsOrigins = false;
  const { hint } = await failure(lib, llm);
  expect(hint).toMatch(
    /^A server answers at .+, but it does not allow requests from this page \(CORS\)\. Allow this page's origin/,
  );
  const reported = problems.splice(0);
  expect(reported.length, 'the browser reports it, too').toBeGreaterThan(0);
  expect(reported.every((problem) => problem.includes('CORS policy'))).toBe(true);
  expect(llm.requests).toEqual([]);
  // The further tries have neither the key nor the question with them.
  expect(llm.complaints.splice(0)).toEqual(['unknown address: GET /']);
});

test("an address that the page's own policy forbids", async ({ lib, llm, problems }) => {
  const { hint } = await failure(lib, llm, { baseURL: 'http://127.0.0.2:9/v1' });
  expect(hint).toBe(
    "The page's content security policy forbids http://127.0.0.2:9. Its owner must add that address to connect-src.",
  );
  // The browser itself reports what its policy forbids.
  expect(problems.splice(0).every((problem) => problem.includes('Content Security Policy'))).toBe(true);
});

test('a browser that is offline', async ({ lib, llm, context, requests }) => {
  // The module that asks is there already, and what it looks for persons by.
  llm.script(replies.answer('Ask a colleague.'));
  await ask(lib, QUESTION, { llm: modelOf(llm), policy: 'classic' });
  await context.setOffline(true);
  // One of the hosts that the page's policy allows; nothing may leave this machine even if it were online.
  await context.route('https://api.openai.com/**', (route) => route.abort('internetdisconnected'));
  const { hint } = await failure(lib, llm, { baseURL: 'https://api.openai.com/v1' });
  expect(hint).toBe('This browser is offline. Connect to the network, then ask again.');
  const tried = requests.findIndex(({ hostname }) => hostname === 'api.openai.com');
  expect(requests.splice(tried, 1).map(({ pathname }) => pathname)).toEqual(['/v1/chat/completions']);
});
