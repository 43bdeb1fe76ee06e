import assert from 'node:assert/strict';
import { rm, writeFile } from 'node:fs/promises';
import { test } from 'node:test';
import type { Source } from './ask/answer-types.js';
import { Ibid } from './ibid.js';
import {
  ANSWER,
  BYTES,
  coreError,
  DONE,
  gate,
  ScriptedModule,
  scriptedIbid,
  TURN,
  turnOfTheLoop,
  until,
  withServer,
} from './test-support.js';
import { WasmModule } from './wasm-module.js';

const LLM = { baseURL: 'https://example.org/v1', model: 'm' };

test('a question is searched for in the engine, and its module is loaded once', async () => {
  const script = new ScriptedModule();
  let loaded = 0;
  const asker = new WasmModule(async () => {
    loaded += 1;
    return script.asker;
  });
  const options = { ...BYTES, askWasm: BYTES.wasm };
  const ibid = await Ibid.loadWith(new WasmModule(async () => script), options, asker);
  assert.equal(loaded, 0);
  await ibid.ask('Search this');
  await ibid.ask('Why?');
  assert.deepEqual(script.searches, [{ query: 'hits of {"text":"Search this"}' }]);
  assert.equal(loaded, 1);
});

test('loads, tells what it loaded, and hands both files to the engine', async () => {
  const { ibid, script } = await scriptedIbid();
  assert.equal(ibid.info.documents, 3);
  assert.deepEqual(script.opened, [[BYTES.index, BYTES.model]]);
  assert.deepEqual(script.inputs, [BYTES.wasm]);
});

test('fetches index and table side by side, and stops one when the other fails', async () => {
  const asked: string[] = [];
  const closed = gate();
  await withServer(
    async (request, response) => {
      asked.push(request.url ?? '');
      if (request.url === '/table') {
        response.on('close', closed.open);
        response.write('x');
        return;
      }
      while (asked.length < 2) await turnOfTheLoop();
      response.statusCode = 404;
      response.end();
    },
    async (base) => {
      const loading = scriptedIbid(undefined, { index: `${base}/index`, model: `${base}/table` });
      await assert.rejects(loading, { code: 'index-load' });
      await closed.opened;
    },
  );
});

test('one of the query tables is enough where a build puts them, and an error names the one that is not there', async () => {
  const noModel = { model: undefined };
  await assert.rejects(scriptedIbid(undefined, noModel), {
    code: 'model-load',
    hint: /^Put ibid\/query-table\.bin next to the index/,
  });
  // An index of bytes has no address, and the table is looked for next to the modules.
  const table = new URL('./multilingual-table.bin', import.meta.url);
  await writeFile(table, BYTES.model);
  try {
    const { script } = await scriptedIbid(undefined, noModel);
    assert.deepEqual(new Uint8Array((script.opened[0]?.[1] ?? []) as Uint8Array), BYTES.model);
    const isOfAnother = { ...noModel, index: new TextEncoder().encode('other model') };
    await assert.rejects(scriptedIbid(undefined, isOfAnother), {
      code: 'model-load',
      hint: /^Put ibid\/query-table\.bin/,
    });
  } finally {
    await rm(table);
  }
});

test('the query table is looked for in the folder `ibid` next to the index', async () => {
  for (const index of ['docs/site.ibid', 'docs/site.ibid/']) {
    const asked: string[] = [];
    await withServer(
      (request, response) => {
        const path = request.url ?? '';
        asked.push(path);
        response.statusCode = 404;
        // The index takes its time.
        if (path.endsWith('table.bin')) response.end();
      },
      async (base) => {
        const loading = scriptedIbid(undefined, { model: undefined, index: `${base}/${index}`, range: false });
        await assert.rejects(loading, { code: 'model-load' });
      },
    );
    const tables = asked.filter((path) => path.endsWith('table.bin'));
    assert.deepEqual(tables, ['/docs/ibid/query-table.bin', '/docs/ibid/multilingual-table.bin'], index);
  }
});

test("the core's refusal of an index keeps its code and hint", async () => {
  const page = new TextEncoder().encode('<!doctype html>');
  await assert.rejects(scriptedIbid(undefined, { index: page }), {
    name: 'IbidError',
    code: 'index-foreign',
    hint: 'Check the address.',
  });
});

test('loading can be aborted', async () => {
  await assert.rejects(scriptedIbid(undefined, { signal: AbortSignal.abort() }), { code: 'aborted' });
});

test('search passes on only the options that are given', async () => {
  const { ibid, script } = await scriptedIbid();
  await ibid.search('fever', { limit: 3, minRelevance: undefined });
  assert.deepEqual(script.searches, [{ query: 'fever', limit: 3 }]);
  await assert.rejects(ibid.search(''), { name: 'IbidError', code: 'query-empty' });
});

test('a reranker is given the best candidates and its scores go back', async () => {
  const { ibid, script } = await scriptedIbid();
  const asked: unknown[] = [];
  const rerank = (query: string, texts: string[]) => {
    asked.push(query, texts);
    return [0.5, 2];
  };
  await ibid.search('fever', { rerank });
  assert.deepEqual(asked, ['fever', ['seven', 'two']]);
  assert.deepEqual(script.searches, [{ text: 'fever', rerank: true }]);
  assert.deepEqual(script.scores, [
    [
      [7, 2],
      [0.5, 2],
    ],
  ]);
  for (const scores of [[1], [1, Number.NaN]]) {
    await assert.rejects(ibid.search('fever', { rerank: async () => scores }), { code: 'invalid-option' });
  }
});

test('what needs no text is answered, and not after the end', async () => {
  const { ibid, script } = await scriptedIbid();
  await ibid.moreLikeThis({ chunk: 4 }, { limit: 2 });
  assert.deepEqual(script.searches, [{ query: '', limit: 2, like: { chunk: 4 } }]);
  assert.deepEqual(await ibid.suggest('fe', 3), ['fe and 3']);
  assert.deepEqual(await ibid.facets(['year']), [{ field: '["year"]', filter: 'null' }]);
  assert.deepEqual(await ibid.nearest([1, 2], { limit: 5 }), [{ chunk: 2, cosine: 5 }]);
  ibid.free();
  await assert.rejects(ibid.suggest('fe'), { code: 'disposed' });
  await assert.rejects(ibid.nearest([1]), { code: 'disposed' });
});

test('ask passes options on, resolves the key, and gives events and answer', async () => {
  const wires: unknown[] = [];
  const { ibid } = await scriptedIbid(async (wire, emit) => {
    wires.push(wire);
    emit(TURN);
    emit(DONE);
    return ANSWER;
  });
  const run = ibid.ask('Why?', {
    llm: { ...LLM, baseURL: new URL(LLM.baseURL), apiKey: async () => 'k' },
    maxTurns: 2,
  });
  const types: string[] = [];
  for await (const event of run) types.push(event.type);
  assert.deepEqual(types, ['turn', 'answer']);
  assert.deepEqual(wires, [{ models: [{ llm: { ...LLM, apiKey: 'k' } }], maxTurns: 2 }]);
  await ibid.ask('Why?');
  assert.deepEqual(wires[1], {});
});

test('a failing or useless apiKey function is an error of its own', async () => {
  const { ibid } = await scriptedIbid();
  const failing = ibid.ask('Why?', { llm: { ...LLM, apiKey: () => Promise.reject(new Error('s3cret')) } });
  await assert.rejects(Promise.resolve(failing), (error: Error & { code: string }) => {
    assert.equal(error.code, 'provider-auth');
    assert.doesNotMatch(error.message, /s3cret/);
    return true;
  });
  const useless = ibid.ask('Why?', { llm: { ...LLM, apiKey: (() => undefined) as unknown as () => string } });
  await assert.rejects(Promise.resolve(useless), { code: 'invalid-option' });
});

test('a key that the provider sends back reaches neither errors nor events, and sources stay whole', async () => {
  const source = { number: 1, text: 'sk-secret-1' } as Source;
  const { ibid } = await scriptedIbid(async (wire, emit) => {
    const [model] = wire.models ?? [];
    const llm = model && 'llm' in model ? model.llm : undefined;
    emit({ type: 'retry', attempt: 1, delayMs: 1, reason: `HTTP 429: key ${llm?.apiKey}` });
    emit({ type: 'sources', id: 'a', query: 'q', sources: [source] });
    throw coreError('provider-auth', `Bad key ${llm?.apiKey}`, `Not ${llm?.headers?.['X-Token']}`);
  });
  const run = ibid.ask('Why?', { llm: { ...LLM, apiKey: 'sk-secret-1', headers: { 'X-Token': 'Bearer tok-secret' } } });
  const iterator = run[Symbol.asyncIterator]();
  assert.match(JSON.stringify(await iterator.next()), /HTTP 429: key \[secret\]/);
  assert.deepEqual((await iterator.next()).value, { type: 'sources', id: 'a', query: 'q', sources: [source] });
  await assert.rejects(Promise.resolve(run), (error: Error & { code: string; hint: string }) => {
    assert.equal(error.code, 'provider-auth');
    assert.doesNotMatch(`${error.message}${error.hint}${error.stack}${JSON.stringify(error)}`, /secret-1|tok-secret/);
    return true;
  });
});

test('free ends the runs, waits for the engine to be idle, and frees it once', async () => {
  let inner: AbortSignal | undefined;
  let stop: (error: Error) => void = () => {};
  const { ibid, script } = await scriptedIbid((_wire, _emit, signal) => {
    inner = signal;
    return new Promise((_, reject) => {
      stop = reject;
    });
  });
  const run = ibid.ask('Why?');
  await until(() => inner !== undefined);
  ibid.free();
  await assert.rejects(Promise.resolve(run), { code: 'disposed' });
  assert.equal(inner?.aborted, true);
  assert.equal(script.freed, 0, 'the engine is still at work');
  stop(coreError('aborted', 'Aborted.'));
  await until(() => script.freed > 0);
  assert.equal(script.freed, 1);

  ibid.free();
  ibid[Symbol.dispose]?.();
  await assert.rejects(ibid.search('fever'), { code: 'disposed' });
  await assert.rejects(Promise.resolve(ibid.ask('Why?')), { code: 'disposed' });
  assert.equal(script.freed, 1);
});
