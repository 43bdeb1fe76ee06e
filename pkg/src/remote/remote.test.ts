import assert from 'node:assert/strict';
import type { IncomingHttpHeaders } from 'node:http';
import { test } from 'node:test';
import { embedTexts } from '../encoder/embed-texts.js';
import { IbidError } from '../error.js';
import { withRedirects, withServer } from '../test-support.js';
import { type RemoteEmbedderOptions, type RemoteRerankerOptions, remoteEmbedder, remoteReranker } from './index.js';

const KEY = 'key-0123456789';
const never = new AbortController().signal;

interface Seen {
  url: string;
  headers: IncomingHttpHeaders;
  // biome-ignore lint/suspicious/noExplicitAny: whatever a request holds is looked at.
  body: any;
}

type Reply = { status?: number; headers?: Record<string, string>; body: unknown } | 'break' | 'silence';

/** Answers each request with the next reply, or by what a function makes of it; gives what was asked. */
async function replying(
  replies: Reply[] | ((seen: Seen) => Reply),
  body: (url: string, seen: Seen[]) => Promise<void>,
): Promise<void> {
  const seen: Seen[] = [];
  await withServer(
    async (request, response) => {
      let text = '';
      for await (const piece of request) text += piece;
      const one = { url: request.url ?? '', headers: request.headers, body: JSON.parse(text) };
      seen.push(one);
      const reply = typeof replies === 'function' ? replies(one) : (replies[seen.length - 1] ?? 'break');
      if (reply === 'silence') return;
      if (reply === 'break') {
        request.socket.destroy();
        return;
      }
      response.writeHead(reply.status ?? 200, { 'content-type': 'application/json', ...reply.headers });
      response.end(typeof reply.body === 'string' ? reply.body : JSON.stringify(reply.body));
    },
    (url) => body(url, seen),
  );
}

const openai = (count: number): Reply => ({
  // Backwards, since the order is told by the index.
  body: { data: Array.from({ length: count }, (_, at) => ({ index: at, embedding: [1, at] })).reverse() },
});

const options = (baseURL: string, more: Partial<RemoteEmbedderOptions> = {}): RemoteEmbedderOptions => ({
  provider: 'openai',
  model: 'm-1',
  apiKey: KEY,
  baseURL,
  dimensions: 2,
  sendDimensions: false,
  retryDelayMs: 0,
  ...more,
});

function failsWith(code: string, pattern: RegExp) {
  return (error: unknown) => {
    assert.ok(error instanceof IbidError, String(error));
    assert.equal(error.code, code, error.message);
    assert.match(error.message, pattern);
    assert.doesNotMatch(`${error.message} ${error.hint} ${String(error.cause)}`, /key-0/);
    return true;
  };
}

test('each provider is asked in its own words, and answers in them', async () => {
  const gemini = (taskType: string) => ({
    requests: ['tea', 'rain'].map((text) => ({
      model: 'models/m-1',
      content: { parts: [{ text }] },
      taskType,
      outputDimensionality: 2,
    })),
  });
  const cohere = (input_type: string) => ({
    model: 'm-1',
    texts: ['tea', 'rain'],
    embedding_types: ['float'],
    input_type,
    output_dimension: 2,
  });
  const plain = { model: 'm-1', input: ['tea', 'rain'] };
  const vectors = [
    [1, 2],
    [3, 4],
  ];
  const data = { data: vectors.map((embedding, index) => ({ index, embedding })).reverse() };
  const table = [
    ['openai', '/embeddings', { ...plain, dimensions: 2 }, { ...plain, dimensions: 2 }, data],
    ['ollama', '/api/embed', { ...plain, dimensions: 2 }, { ...plain, dimensions: 2 }, { embeddings: vectors }],
    ['mistral', '/embeddings', { ...plain, output_dimension: 2 }, { ...plain, output_dimension: 2 }, data],
    [
      'voyage',
      '/embeddings',
      { ...plain, input_type: 'document', output_dimension: 2 },
      { ...plain, input_type: 'query', output_dimension: 2 },
      data,
    ],
    [
      'jina',
      '/embeddings',
      { ...plain, task: 'retrieval.passage', dimensions: 2 },
      { ...plain, task: 'retrieval.query', dimensions: 2 },
      data,
    ],
    ['cohere', '/embed', cohere('search_document'), cohere('search_query'), { embeddings: { float: vectors } }],
    [
      'gemini',
      '/models/m-1:batchEmbedContents',
      gemini('RETRIEVAL_DOCUMENT'),
      gemini('RETRIEVAL_QUERY'),
      { embeddings: vectors.map((values) => ({ values })) },
    ],
  ] as const;
  for (const [provider, path, document, query, response] of table) {
    await replying(
      () => ({ body: response }),
      async (url, seen) => {
        const embedder = remoteEmbedder(options(url, { provider, sendDimensions: true }));
        assert.equal(embedder.name, `${provider}/m-1`);
        assert.deepEqual(await embedder.embed(['tea', 'rain'], 'document', never), vectors, provider);
        assert.deepEqual(await embedder.embed(['tea', 'rain'], 'query', never), vectors, provider);
        assert.deepEqual(
          seen.map(({ url, body }) => [url, body]),
          [
            [path, document],
            [path, query],
          ],
        );
        const header = provider === 'gemini' ? 'x-goog-api-key' : 'authorization';
        assert.equal(seen[0]?.headers[header], provider === 'gemini' ? KEY : `Bearer ${KEY}`);
      },
    );
  }
});

test('texts go in batches that services take', async () => {
  await replying(
    ({ body }) => openai(body.input.length),
    async (url, seen) => {
      const sizes = () => seen.splice(0).map(({ body }) => body.input.length);
      const embedder = remoteEmbedder(options(url));
      assert.equal(embedder.batchSize, 100);
      const made = await embedTexts(embedder, new Array(230).fill('a'), 'document', never);
      assert.deepEqual([made.length, made[3], sizes()], [460, 1, [100, 100, 30]]);
      const long = 'x'.repeat(60_000);
      await embedder.embed(['a', long, long, 'y'.repeat(200_000), 'b'], 'document', never);
      assert.deepEqual(sizes(), [2, 1, 1, 1]);
    },
  );
  assert.equal(remoteEmbedder(options('http://h', { provider: 'cohere' })).batchSize, 96);
});

test('what may pass is tried again, as the service asks', async () => {
  const busy: Reply = { status: 429, headers: { 'retry-after': '0' }, body: {} };
  await replying([busy, 'break', openai(1)], async (url, seen) => {
    const embedder = remoteEmbedder(options(url, { retryDelayMs: 1 }));
    assert.deepEqual(await embedder.embed(['a'], 'query', never), [[1, 0]]);
    assert.equal(seen.length, 3);
  });
  const down: Reply = { status: 503, headers: { 'retry-after': '3600' }, body: 'busy' };
  await replying([down, openai(1)], async (url, seen) => {
    const embedding = remoteEmbedder(options(url)).embed(['a'], 'query', never);
    await assert.rejects(async () => embedding, failsWith('provider-unavailable', /OpenAI failed \(HTTP 503\): busy/));
    assert.equal(seen.length, 1, 'before an hour is over, it would fail again');
  });
});

test('a redirect gets neither key nor text', async () => {
  await withRedirects(async (url, thief) => {
    const told = failsWith('provider-protocol', new RegExp(`^${url} redirects to ${thief}\\. `));
    await assert.rejects(async () => remoteEmbedder(options(url)).embed(['a'], 'query', never), told);
    const reranker = remoteReranker({
      provider: 'cohere',
      model: 'm-1',
      apiKey: KEY,
      baseURL: url,
      retryDelayMs: 0,
    });
    await assert.rejects(async () => reranker('a', ['b'], never), told);
  });
});

test('refusals are told in the words of the service, without the key', async () => {
  const table: [number, unknown, string, RegExp][] = [
    [401, { error: { message: `Incorrect API key ${KEY}`, code: 'x' } }, 'provider-auth', /key \[secret\]$/],
    [403, { error: { message: 'Incorrect API key: key-01********789.' } }, 'provider-auth', /key: \[secret\]$/],
    [404, { error: { message: 'no model' } }, 'provider-not-found', /no model/],
    [400, { object: 'error', message: 'Too many inputs', code: '3210' }, 'provider-request', /Too many inputs/],
    [422, { detail: [{ loc: ['body'], msg: 'bad input' }] }, 'provider-request', /bad input/],
    [500, '<!DOCTYPE html><p>oops', 'provider-unavailable', /an HTML page/],
    [200, { error: { message: `no such model for ${KEY}` } }, 'provider-protocol', /no such model for \[secret\]/],
  ];
  for (const [status, body, code, pattern] of table) {
    await replying([{ status, body }], async (url, seen) => {
      const embedder = remoteEmbedder(options(url, { maxRetries: 0 }));
      await assert.rejects(embedTexts(embedder, ['a'], 'query', never), failsWith(code, pattern));
      assert.equal(seen.length, 1);
    });
  }
});

test('responses that are not as documented are refused', async () => {
  const one = (embedding: unknown, index = 0) => ({ index, embedding });
  const table: [unknown, string, RegExp][] = [
    ['no JSON', 'provider-protocol', /0 vectors for 2 texts/],
    [[], 'provider-protocol', /0 vectors/],
    [{ data: [one([1, 2])] }, 'provider-protocol', /1 vectors for 2/],
    [{ data: [one([1, 2]), one([1, 2])] }, 'provider-protocol', /none of the texts/],
    [{ data: [one([1, 2]), one([1, 2], 2)] }, 'provider-protocol', /none of the texts/],
    [{ data: [one([1, 2]), one('AACAPw==', 1)] }, 'provider-protocol', /not an array of numbers/],
    [{ data: [one([1, 2]), one([1, null], 1)] }, 'provider-protocol', /not an array of numbers/],
    [{ data: [one([1, 2, 3]), one([1, 2, 3], 1)] }, 'model-mismatch', /openai\/m-1 gave .* 3 .* 2 are needed/],
  ];
  for (const [body, code, pattern] of table) {
    await replying([{ body }], async (url) => {
      const embedder = remoteEmbedder(options(url));
      await assert.rejects(embedTexts(embedder, ['a', 'b'], 'query', never), failsWith(code, pattern));
    });
  }
});

test('a caller who gives up, and a service that falls silent, end the request', async () => {
  await replying(
    () => 'silence',
    async (url) => {
      const abort = new AbortController();
      const embedding = embedTexts(remoteEmbedder(options(url)), ['a'], 'query', abort.signal);
      setTimeout(() => abort.abort(), 20);
      await assert.rejects(embedding, { code: 'aborted' });
      const late = remoteEmbedder(options(url, { timeoutMs: 20, maxRetries: 1 }));
      const silent = embedTexts(late, ['a'], 'query', never);
      await assert.rejects(silent, failsWith('timeout', /did not answer in 0.02 s/));
    },
  );
  const nobody = remoteEmbedder(options('http://127.0.0.1:9', { maxRetries: 0 }));
  await assert.rejects(embedTexts(nobody, ['a'], 'query', never), failsWith('network', /OpenAI could not be reached/));
  const waiting = new AbortController();
  await replying([{ status: 429, body: {} }], async (url) => {
    const embedding = embedTexts(remoteEmbedder(options(url, { retryDelayMs: 1e6 })), ['a'], 'query', waiting.signal);
    setTimeout(() => waiting.abort(), 50);
    await assert.rejects(embedding, { code: 'aborted' });
  });
});

test('requests keep the distance that the rate allows', async () => {
  await replying(
    () => openai(1),
    async (url) => {
      const abort = new AbortController();
      const embedder = remoteEmbedder(options(url, { requestsPerMinute: 0.001, batchSize: 1 }));
      await embedder.embed(['a'], 'query', abort.signal);
      const second = Promise.resolve(embedder.embed(['b'], 'query', abort.signal));
      setTimeout(() => abort.abort(), 20);
      await assert.rejects(second, { code: 'aborted' });
    },
  );
});

test('a key may come from a function, and headers from the caller', async () => {
  await replying(
    () => openai(1),
    async (url, seen) => {
      const apiKey = async () => ` ${KEY}\n`;
      await remoteEmbedder(options(url, { apiKey, headers: { 'X-Team': 'a' } })).embed(['a'], 'query', never);
      await remoteEmbedder(options(url, { headers: { Authorization: 'Basic x' } })).embed(['a'], 'query', never);
      assert.deepEqual(
        seen.map(({ headers }) => [headers.authorization, headers['x-team']]),
        [
          [`Bearer ${KEY}`, 'a'],
          ['Basic x', undefined],
        ],
      );
      const wrong = remoteEmbedder(options(url, { apiKey: `${KEY}\nx` }));
      await assert.rejects(embedTexts(wrong, ['a'], 'query', never), failsWith('invalid-option', /cannot be sent/));
      assert.equal(seen.length, 2);
    },
  );
});

test('dimensions are those of the model where it is known, and asked for where they are others', async () => {
  const known = { provider: 'openai', model: 'text-embedding-3-small' } as const;
  assert.equal(remoteEmbedder(known).dimensions, 1536);
  assert.equal(remoteEmbedder({ provider: 'openrouter', model: `openai/${known.model}` }).dimensions, 1536);
  assert.equal(remoteEmbedder({ provider: 'ollama', model: 'nomic-embed-text:latest' }).dimensions, 768);
  assert.equal(remoteEmbedder({ provider: 'gemini', model: 'models/gemini-embedding-001' }).dimensions, 3072);
  await replying(
    ({ body }) => ({ body: { data: [{ index: 0, embedding: new Array(body.dimensions ?? 1536).fill(1) }] } }),
    async (baseURL, seen) => {
      for (const dimensions of [undefined, 1536, 512]) {
        await remoteEmbedder({ ...known, baseURL, dimensions }).embed(['a'], 'query', never);
      }
      assert.deepEqual(
        seen.map(({ body }) => body.dimensions),
        [undefined, undefined, 512],
      );
    },
  );
});

test('settings that cannot work are refused at once', () => {
  const base = options('http://h/v1');
  const wrong: unknown[] = [
    { ...base, provider: 'acme' },
    { ...base, provider: 'toString' },
    { ...base, model: ' ' },
    { ...base, provider: 'gemini', model: 'a?b' },
    { ...base, dimensions: undefined },
    { ...base, dimensions: 4097 },
    { ...base, batchSize: 101 },
    { ...base, requestsPerMinute: 0 },
    { ...base, timeoutMs: 0 },
    { ...base, maxRetries: -1 },
    { ...base, baseURL: 'ftp://h' },
    { ...base, baseURL: 'no address' },
    { ...base, baseURL: `http://me:${KEY}@h` },
  ];
  for (const settings of wrong) {
    assert.throws(() => remoteEmbedder(settings as RemoteEmbedderOptions), failsWith('invalid-option', /./));
  }
  for (const settings of [{ provider: 'openai' }, { provider: 'jina' }, { provider: 'llamacpp', baseURL: '' }]) {
    assert.throws(() => remoteReranker(settings as RemoteRerankerOptions), failsWith('invalid-option', /./));
  }
});

test('each reranker is asked in its own words, and its scores are those of the texts', async () => {
  const results = [
    { index: 1, relevance_score: 0.97 },
    { index: 0, relevance_score: -3.5 },
  ];
  const documents = ['cold', '80 degrees', 'later'];
  const plain = { model: 'm-1', query: 'how hot', documents };
  const table = [
    ['cohere', { ...plain, top_n: 3 }, { results }],
    ['jina', { ...plain, top_n: 3, return_documents: false }, { results }],
    ['llamacpp', { ...plain, top_n: 3 }, { results }],
    ['voyage', { ...plain, top_k: 3, return_documents: false }, { data: results }],
  ] as const;
  for (const [provider, body, response] of table) {
    await replying([{ body: response }], async (baseURL, seen) => {
      const rerank = remoteReranker({ provider, model: 'm-1', apiKey: KEY, baseURL });
      // The one that was left out is below all others.
      assert.deepEqual(await rerank('how hot', documents), [-3.5, 0.97, -6.5], provider);
      assert.deepEqual([seen[0]?.url, seen[0]?.body], ['/rerank', body]);
      assert.equal(seen[0]?.headers.authorization, `Bearer ${KEY}`);
      assert.deepEqual(await rerank('how hot', []), []);
      assert.equal(seen.length, 1);
    });
  }
});

test('scores that make no sense are refused', async () => {
  const one = (index: unknown, relevance_score: unknown) => ({ results: [{ index, relevance_score }] });
  for (const body of ['', {}, { results: [] }, one(0, null), one(2, 1), one(-1, 1), one('0', 1)]) {
    await replying([{ body }], async (baseURL) => {
      const rerank = remoteReranker({ provider: 'llamacpp', baseURL });
      await assert.rejects(rerank('q', ['a', 'b']), failsWith('provider-protocol', /answered unexpectedly/));
    });
  }
});
