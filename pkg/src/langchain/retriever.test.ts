import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import type { Document } from '@langchain/core/documents';
import { StringOutputParser } from '@langchain/core/output_parsers';
import { ChatPromptTemplate } from '@langchain/core/prompts';
import { RunnableLambda, RunnablePassthrough, RunnableSequence } from '@langchain/core/runnables';
import { FakeListChatModel } from '@langchain/core/utils/testing';
import { abortedError } from '../error.js';
import type { Hit, SearchOptions } from '../search-types.js';
import { scriptedIbid, turnOfTheLoop } from '../test-support.js';
import { IbidRetriever } from './retriever.js';

function hit(text: string): Hit {
  return {
    chunk: 7,
    score: 0.8,
    relevance: 0.9,
    cosine: 0.5,
    bm25: null,
    documentId: 'tea',
    title: 'Tea',
    url: 'https://example.org/tea',
    source: 'guides/tea.md',
    metadata: { year: 2024, source: 'a field that is called so too' },
    headingPath: ['Tea', 'Black tea'],
    anchor: 'black-tea',
    text,
    highlights: [],
    excerpt: '',
    excerptHighlights: [],
    span: { start: 10, end: 20 },
    line: 12,
    id: '0123456789abcdef',
    repeated: 0,
    chunkIndex: 1,
    totalChunks: 2,
    duplicates: [],
    before: [],
    after: [],
  };
}

/** An index that finds each query's own words, and keeps what it was asked. */
class Echo {
  readonly asked: [string, SearchOptions][] = [];

  async search(query: string, options: SearchOptions = {}): Promise<Hit[]> {
    this.asked.push([query, options]);
    return [hit(`About ${query}.`)];
  }
}

/** An index whose searches end when they are aborted, and not before. */
class Endless {
  readonly signals: (AbortSignal | undefined)[] = [];

  search(_query: string, { signal }: SearchOptions = {}): Promise<Hit[]> {
    this.signals.push(signal);
    return new Promise((_, reject) => {
      const give = () => reject(abortedError(signal?.reason));
      if (signal?.aborted) give();
      signal?.addEventListener('abort', give, { once: true });
    });
  }
}

test('passages become documents', async () => {
  const ibid = new Echo();
  const filter = { year: { gte: 2020 } };
  const retriever = new IbidRetriever({ ibid, k: 3, filter, searchOptions: { mode: 'lexical' } });
  const [document] = await retriever.invoke('tea');
  assert.deepEqual(ibid.asked, [['tea', { mode: 'lexical', limit: 3, filter, signal: undefined }]]);
  assert.equal(document?.pageContent, 'About tea.');
  assert.equal(document?.id, '0123456789abcdef');
  assert.deepEqual(document?.metadata, {
    source: 'guides/tea.md',
    line: 12,
    documentId: 'tea',
    title: 'Tea',
    url: 'https://example.org/tea',
    anchor: 'black-tea',
    headingPath: ['Tea', 'Black tea'],
    chunkId: '0123456789abcdef',
    score: 0.8,
    relevance: 0.9,
    fields: { year: 2024, source: 'a field that is called so too' },
  });
  retriever.k = 1;
  retriever.headings = true;
  assert.equal((await retriever.invoke('milk'))[0]?.pageContent, '[Tea > Black tea] About milk.');
  assert.equal(ibid.asked[1]?.[1].limit, 1);
});

test('a batch is answered in its order', async () => {
  const retriever = new IbidRetriever({ ibid: new Echo() });
  const found = await retriever.batch(['tea', 'milk', 'sugar'], { maxConcurrency: 2 });
  assert.deepEqual(
    found.map(([document]) => document?.pageContent),
    ['About tea.', 'About milk.', 'About sugar.'],
  );
});

test('a chain retrieves, fills its prompt and answers', async () => {
  const prompts: string[] = [];
  const format = (documents: Document[]) => documents.map(({ pageContent }) => pageContent).join('\n');
  const model = new FakeListChatModel({ responses: ['Four minutes.'] });
  const chain = RunnableSequence.from([
    { context: new IbidRetriever({ ibid: new Echo() }).pipe(format), question: new RunnablePassthrough<string>() },
    ChatPromptTemplate.fromTemplate('Answer from this:\n{context}\n\n{question}'),
    RunnableLambda.from((prompt: { toString(): string }) => {
      prompts.push(prompt.toString());
      return prompt as never;
    }),
    model,
    new StringOutputParser(),
  ]);
  assert.equal(await chain.invoke('black tea'), 'Four minutes.');
  assert.match(prompts[0] ?? '', /Answer from this:\nAbout black tea\.\n\nblack tea/);
  const streamed: string[] = [];
  for await (const part of await chain.stream('green tea')) streamed.push(part);
  assert.equal(streamed.join(''), 'Four minutes.');
  assert.ok(streamed.length > 1);
});

test('callbacks are told of the start, the documents and a failure', async () => {
  const seen: unknown[] = [];
  const callbacks = [
    {
      handleRetrieverStart: (serialized: unknown, query: string) => {
        seen.push(['start', query]);
        assert.ok(!JSON.stringify(serialized).includes('asked'), 'the index itself is not shown');
      },
      handleRetrieverEnd: (documents: Document[]) => void seen.push(['end', documents.length]),
      handleRetrieverError: (error: Error) => void seen.push(['error', error.message]),
    },
  ];
  await new IbidRetriever({ ibid: new Echo(), callbacks }).invoke('tea');
  const failing = {
    search: async () => {
      throw new Error('no index');
    },
  };
  await assert.rejects(new IbidRetriever({ ibid: failing }).invoke('tea', { callbacks }), /no index/);
  assert.deepEqual(seen, [
    ['start', 'tea'],
    ['end', 1],
    ['start', 'tea'],
    ['error', 'no index'],
  ]);
});

test("a call's signal ends its search and no other", async () => {
  const ibid = new Endless();
  const retriever = new IbidRetriever({ ibid });
  const [first, second] = [new AbortController(), new AbortController()];
  const calls = [first, second].map(({ signal }) => retriever.invoke('tea', { signal }));
  const outcomes = Promise.allSettled(calls);
  while (ibid.signals.length < 2) await turnOfTheLoop();
  first.abort();
  await assert.rejects(calls[0] ?? Promise.resolve(), { code: 'aborted' });
  assert.deepEqual(
    ibid.signals.map((signal) => signal?.aborted),
    [true, false],
  );
  second.abort();
  assert.deepEqual(
    (await outcomes).map(({ status }) => status),
    ['rejected', 'rejected'],
  );
  // A time limit alone does not keep Node running.
  const awake = setInterval(() => {}, 1000);
  await assert.rejects(retriever.invoke('tea', { timeout: 5 }), { code: 'aborted' });
  clearInterval(awake);
  const sequence = retriever.pipe((documents: Document[]) => documents.length);
  const third = new AbortController();
  const running = sequence.invoke('tea', { signal: third.signal });
  while (ibid.signals.length < 4) await turnOfTheLoop();
  third.abort();
  await assert.rejects(running);
  assert.equal(ibid.signals.at(-1)?.aborted, true);
});

test('what a search refuses keeps its code', async () => {
  const { ibid } = await scriptedIbid();
  const retriever = new IbidRetriever({ ibid });
  assert.deepEqual(await retriever.invoke('tea'), []);
  await assert.rejects(retriever.invoke(''), { name: 'IbidError', code: 'query-empty' });
  await assert.rejects(retriever.invoke('tea', { signal: AbortSignal.abort() }), { code: 'aborted' });
});

// The built package, as an application imports it: compiled tests stand two folders below its root.
const ROOT = fileURLToPath(new URL('../../', import.meta.url));
const BUILT = ['dist/langchain/retriever.js', 'dist/wasm/ibid_bg.wasm', '../target/release/ibid'].every((file) =>
  existsSync(join(ROOT, file)),
);
const MODEL = join(ROOT, '../models/minilm-distilled.ibidmodel');
const skip = BUILT ? false : 'the package is not built: run ./build.sh build';

test('a real index is retrieved from by the built package', { skip }, async () => {
  const folder = await mkdtemp(join(tmpdir(), 'ibid-langchain-'));
  try {
    await writeFile(join(folder, 'tea.md'), '# Tea\n\nGreen tea steeps at 80 degrees.\n');
    await writeFile(join(folder, 'bikes.md'), '# Bicycles\n\nOil the chain of a bicycle every month.\n');
    const args = ['build', '.', '-o', 'all.ibid', '--model', MODEL];
    await promisify(execFile)(join(ROOT, '../target/release/ibid'), args, { cwd: folder });
    const read = (path: string) => readFile(path).then((bytes) => new Uint8Array(bytes));
    const built = (path: string) => import(pathToFileURL(join(ROOT, 'dist', path)).href);
    const [{ Ibid: BuiltIbid }, { IbidRetriever: BuiltRetriever }] = await Promise.all([
      built('index.js') as Promise<typeof import('../index.js')>,
      built('langchain/retriever.js') as Promise<typeof import('./retriever.js')>,
    ]);
    const ibid = await BuiltIbid.load({
      index: await read(join(folder, 'all.ibid')),
      model: await read(join(folder, 'ibid/query-table.bin')),
      wasm: await read(join(ROOT, 'dist/wasm/ibid_bg.wasm')),
    });
    const retriever = new BuiltRetriever({ ibid, k: 1 });
    const [tea, bikes] = await retriever.batch(['how hot for green tea', 'maintenance of a bicycle chain']);
    assert.equal(tea?.[0]?.metadata.source, 'tea.md');
    assert.equal(bikes?.[0]?.pageContent, 'Oil the chain of a bicycle every month.');
    assert.match(bikes?.[0]?.id ?? '', /^[0-9a-f]{16}$/);
    ibid.free();
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
});
