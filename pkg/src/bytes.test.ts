import assert from 'node:assert/strict';
import { test } from 'node:test';
import { gzipSync } from 'node:zlib';
import { INDEX, MODEL, readBytes } from './bytes.js';
import { withServer } from './test-support.js';
import type { ByteSource, LoadProgress } from './types.js';

const CONTENT = Buffer.alloc(300_000, 'ibid');
const never = new AbortController().signal;
const read = (source: ByteSource) => readBytes(source, INDEX, never);

test('every kind of source gives the same bytes', async () => {
  await withServer(
    (_, response) => response.end(CONTENT),
    async (base) => {
      const whole = new Uint8Array(CONTENT);
      const sources = [base, new URL(base), whole, whole.buffer, new Blob([whole]), await fetch(base)];
      for (const source of sources) assert.deepEqual(await read(source), whole);
    },
  );
});

test('a view into a larger buffer gives its own bytes only', async () => {
  const view = new Uint8Array([1, 2, 3, 4]).subarray(1, 3);
  assert.deepEqual([...(await read(view))], [2, 3]);
});

test('progress counts up to the declared length', async () => {
  await withServer(
    (_, response) => {
      response.setHeader('content-length', CONTENT.length);
      response.end(CONTENT);
    },
    async (base) => {
      const seen: LoadProgress[] = [];
      const bytes = await readBytes(base, MODEL, never, (progress) => seen.push(progress));
      assert.deepEqual(bytes, new Uint8Array(CONTENT));
      assert.deepEqual(seen.at(-1), { part: 'model', loaded: CONTENT.length, total: CONTENT.length });
    },
  );
});

test('a compressed response has no known total', async () => {
  const compressed = gzipSync(CONTENT);
  await withServer(
    (_, response) => {
      response.setHeader('content-encoding', 'gzip');
      response.setHeader('content-length', compressed.length);
      response.end(compressed);
    },
    async (base) => {
      const seen: LoadProgress[] = [];
      await readBytes(base, INDEX, never, (progress) => seen.push(progress));
      assert.deepEqual(seen.at(-1), { part: 'index', loaded: CONTENT.length, total: null });
    },
  );
});

test('an HTTP error names its status, and no secret of the address', async () => {
  await withServer(
    (request, response) => {
      response.statusCode = request.url?.startsWith('/busy') ? 503 : 404;
      response.end('<h1>sorry</h1>');
    },
    async (base) => {
      const host = new URL(base).host;
      await assert.rejects(read(`${base}/site.ibid?signature=s3cret`), {
        code: 'index-load',
        message: `The index at http://${host}/site.ibid could not be fetched: HTTP 404.`,
        retryable: false,
      });
      await assert.rejects(read(`${base}/busy`), { code: 'index-load', retryable: true, message: /HTTP 503/ });
      await assert.rejects(readBytes(base, MODEL, never), { code: 'model-load' });
      await assert.rejects(read(await fetch(base)), { code: 'index-load', message: /HTTP 404/ });
    },
  );
});

test('no server and a connection that breaks off may be tried again', async () => {
  let gone = '';
  await withServer(
    (_, response) => {
      response.setHeader('content-length', CONTENT.length);
      response.write(CONTENT.subarray(0, 1000), () => response.destroy());
    },
    async (base) => {
      gone = base;
      await assert.rejects(read(base), { code: 'index-load', retryable: true, message: /broke off/ });
      await assert.rejects(
        readBytes(base, INDEX, never, () => {}),
        { code: 'index-load', message: /broke off/ },
      );
    },
  );
  await assert.rejects(read(gone), { code: 'index-load', retryable: true, hint: /connection/ });
});

test('an aborted download says so', async () => {
  await withServer(
    (_, response) => void response.write('ibid'),
    async (base) => {
      const abort = new AbortController();
      const reading = readBytes(base, INDEX, abort.signal, () => abort.abort());
      await assert.rejects(reading, { code: 'aborted' });
    },
  );
});

test('anything else is an invalid option', async () => {
  await assert.rejects(read(undefined as unknown as string), { code: 'invalid-option', hint: /URL/ });
});
