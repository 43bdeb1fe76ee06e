import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { INDEX, readBytes } from './bytes.js';
import { PATIENCE } from './patient-fetch.js';
import { RemoteFile } from './remote-file.js';
import { withServer } from './test-support.js';

const usual = { ...PATIENCE };
after(() => Object.assign(PATIENCE, usual));
const never = new AbortController().signal;
const read = (address: string) => readBytes(address, INDEX, never);

test('a host that never answers, or falls silent, is given up with words', async () => {
  Object.assign(PATIENCE, usual, { silence: 300 });
  let requests = 0;
  await withServer(
    ({ url }, response) => {
      requests += 1;
      if (url === '/half') response.write('ibid');
    },
    async (base) => {
      const silent = {
        code: 'index-load',
        retryable: true,
        message: /could not be fetched\. Not a byte came in 0\.3 s\./,
      };
      await assert.rejects(read(base), silent);
      const file = new RemoteFile(base, new URL(base), INDEX, never);
      await assert.rejects(file.beginning(10, undefined, false), silent);
      await assert.rejects(read(`${base}/half`), { code: 'index-load', hint: /does not answer/, message: /broke off/ });
    },
  );
  assert.ok(requests <= 3, `silence is not waited for again: ${requests}`);
});

test('bytes that come slowly are waited for', async () => {
  Object.assign(PATIENCE, usual, { silence: 1200 });
  await withServer(
    (_, response) => {
      let sent = 0;
      const timer = setInterval(() => {
        response.write('ibid');
        sent += 1;
        if (sent === 5) {
          clearInterval(timer);
          response.end();
        }
      }, 400);
    },
    async (base) => assert.equal((await read(base)).length, 20),
  );
});

test('what may pass is tried twice more, after the wait that the server asks for', async () => {
  Object.assign(PATIENCE, usual, { pause: 1 });
  const times: number[] = [];
  await withServer(
    ({ url }, response) => {
      times.push(Date.now());
      const failures = url === '/down' ? 9 : 2;
      if (times.length > failures) response.end('ibid');
      else if (url === '/dropped') response.destroy();
      else response.writeHead(503, url === '/asks' ? { 'retry-after': '0.2' } : {}).end('busy');
    },
    async (base) => {
      for (const path of ['/', '/dropped', '/asks']) {
        times.length = 0;
        assert.equal((await read(base + path)).length, 4, path);
        assert.equal(times.length, 3, path);
      }
      assert.ok((times[1] ?? 0) - (times[0] ?? 0) >= 190);
      times.length = 0;
      await assert.rejects(read(`${base}/down`), { code: 'index-load', message: /HTTP 503/, retryable: true });
      assert.equal(times.length, 3);
    },
  );
});

test('a long wait is told and not waited for', async () => {
  Object.assign(PATIENCE, usual);
  let requests = 0;
  await withServer(
    (_, response) => {
      requests += 1;
      response.writeHead(429, { 'retry-after': '600' }).end();
    },
    async (base) => assert.rejects(read(base), { code: 'index-load', retryAfter: 600_000, retryable: true }),
  );
  assert.equal(requests, 1);
});
