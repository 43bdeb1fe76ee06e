import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { test } from 'node:test';
import { whyUnreached } from './reach.js';

// What only a browser tells, permissions and policies, is tried in one.

test('a server that answers is told apart from one that does not', async () => {
  const server = createServer((_, response) => response.end('hello'));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  assert.match(
    await whyUnreached(`http://127.0.0.1:${port}/v1/chat`),
    /does not allow requests from this page \(CORS\)/,
  );
  await new Promise((resolve) => server.close(resolve));
  assert.match(await whyUnreached(`http://127.0.0.1:${port}/v1/chat`), /Nothing answers at http:\/\/127\.0\.0\.1/);
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
