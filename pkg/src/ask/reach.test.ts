import assert from 'node:assert/strict';
import type { RequestListener } from 'node:http';
import { test } from 'node:test';
import { withRedirects, withServer } from '../test-support.js';
import { whyUnreached } from './reach.js';

// What only a browser tells, permissions and policies, is tried in one.

test('a server that breaks off is told apart from one that does not allow the page and one that is not there', async () => {
  const seen: string[] = [];
  let closed = '';
  const resets: RequestListener = ({ method, url, headers, socket }, response) => {
    seen.push(`${method} ${url} ${headers.authorization}`);
    if (method === 'POST') socket.destroy();
    else response.writeHead(204, { 'access-control-allow-origin': '*' }).end();
  };
  await withServer(resets, async (origin) => {
    const told = await whyUnreached(`${origin}/v1/chat?a=b`, ['content-type', 'authorization']);
    assert.match(told, /^A server answers at http:\/\/127\.0\.0\.1:\d+, but the connection broke/);
    assert.deepEqual(seen, ['POST /v1/chat?a=b ', 'HEAD /v1/chat?a=b '], 'the header is there, without a key');
    closed = origin;
  });
  assert.match(await whyUnreached(`${closed}/v1/chat`), /^Nothing answers at http:\/\/127\.0\.0\.1/);
});

test('a redirect is told by its hosts, and not followed', async () => {
  await withRedirects(async (origin, thief) => {
    const told = `${origin} redirects to ${thief}. ibid follows no redirect from a service, since that would send your key and text elsewhere.`;
    const [code, hint] = ['provider-protocol', /the final address/];
    const error = { code, hint, message: told, retryable: false };
    await assert.rejects(whyUnreached(`${origin}/v1/chat?key=secret`, ['authorization']), error);
  });
});

test('each local server has its own advice', async () => {
  for (const [port, advice] of [
    [11434, /OLLAMA_ORIGINS/],
    [1234, /LM Studio/],
  ] as const) {
    // Nobody answers on this address of the loopback network, whatever runs on the port of 127.0.0.1.
    assert.match(await whyUnreached(`http://127.254.254.254:${port}/`), advice);
  }
});

test('what is no address is no reason to fail', async () => {
  assert.equal(await whyUnreached('http://'), 'Check the base URL.');
});
