import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Facet } from '../search-types.js';
import { ANSWER, type Ask, coreError, scriptedIbid } from '../test-support.js';
import type { AskWireOptions } from './module.js';
import type { AskOptions } from './types.js';

const LLM = { baseURL: 'https://example.org/v1', model: 'm' };
const FIELDS = [
  { name: 'kind', type: 'keyword' as const, values: 3 },
  { name: 'author', type: 'keywords' as const, values: 3 },
  { name: 'year', type: 'integer' as const, values: 3 },
];
const many = Array.from({ length: 30 }, (_, at) => ({ value: `Author ${at}`, count: 1 }));
const FACETS: Partial<Facet>[] = [
  {
    field: 'kind',
    values: [
      { value: 'rct', count: 2 },
      { value: 'review', count: 1 },
    ],
  },
  { field: 'author', values: many },
];

async function withFields() {
  const wires: AskWireOptions[] = [];
  const found: string[] = [];
  const { ibid, script } = await scriptedIbid(async (wire, _emit, signal, host) => {
    wires.push(wire);
    for (const name of [undefined, ...(wire.collections ?? []).map(({ name }) => name)]) {
      found.push(await host.search(`{"text":"${name}"}`, name, signal));
    }
    return ANSWER;
  });
  script.fields = FIELDS;
  script.facets = JSON.stringify(FACETS);
  await ibid.remove('so that the fields are read');
  return { ibid, script, wires, found };
}

test('a model is told of the fields by which it can filter', async () => {
  const { ibid, wires, script } = await withFields();
  const fields = [
    { name: 'kind', type: 'keyword', values: ['rct', 'review'] },
    { name: 'year', type: 'number' },
  ];
  await ibid.ask('Why?', { llm: LLM });
  assert.deepEqual(wires[0]?.collections, [{ name: 'documents', fields }]);
  await ibid.ask('Why?');
  assert.equal(wires[1]?.collections, undefined);
  script.facets = 'no JSON';
  await ibid.ask('Why?', { llm: LLM });
  assert.deepEqual(wires[2]?.collections, [{ name: 'documents', fields: [{ name: 'year', type: 'number' }] }]);
});

test('a search that leaves the page is known as one, with or without a model', async () => {
  const wires: AskWireOptions[] = [];
  const ask: Ask = async (wire) => {
    wires.push(wire);
    return ANSWER;
  };
  for (const remote of [undefined, true, false]) {
    const embedder = { name: 'mine', dimensions: 2, embed: () => [[1, 0]], ...(remote !== undefined && { remote }) };
    const { ibid } = await scriptedIbid(ask, { queryEncoder: embedder });
    await ibid.ask('Why?');
    await ibid.ask('Why?', { llm: LLM });
    const expected = remote === false ? undefined : [{ name: 'documents', remote: true }];
    assert.deepEqual(
      wires.splice(0).map(({ collections }) => collections),
      [expected, expected],
    );
  }
});

test('each collection is searched in its own index, the first by default', async () => {
  const manual = await withFields();
  const journal = await scriptedIbid();
  const collections = { manual: manual.ibid, journal: { index: journal.ibid, description: 'Papers.' } };
  await manual.ibid.ask('Why?', { collections });
  const [wire] = manual.wires;
  assert.deepEqual(
    wire?.collections?.map(({ name, description }) => [name, description]),
    [
      ['manual', undefined],
      ['journal', 'Papers.'],
    ],
  );
  assert.deepEqual([manual.script.finds, journal.script.finds], [2, 1]);
  assert.deepEqual(manual.found[2], 'hits of {"text":"journal"}');
  journal.ibid.free();
  await assert.rejects(Promise.resolve(manual.ibid.ask('Why?', { collections })), { code: 'disposed' });
});

test('what is no collection is refused', async () => {
  const { ibid } = await scriptedIbid();
  const refused = [{}, { 'a b': ibid }, { a: {} }, { a: { index: null } }];
  for (const collections of refused as AskOptions['collections'][]) {
    await assert.rejects(Promise.resolve(ibid.ask('Why?', { collections })), { code: 'invalid-option' });
  }
});

test("a search's failure keeps its code", async () => {
  const { ibid } = await scriptedIbid(async (_wire, _emit, _signal, host) => {
    await host.search('{}', 'nowhere').catch(({ code, message }) => {
      throw coreError(code, message);
    });
    return ANSWER;
  });
  await assert.rejects(Promise.resolve(ibid.ask('Why?')), { code: 'invalid-option', message: /named nowhere/ });
});
