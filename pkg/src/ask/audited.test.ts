import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { AuditLog } from '../audit/types.js';
import { IbidError } from '../error.js';
import { ANSWER, coreError, scriptedIbid } from '../test-support.js';
import type { AskWireOptions } from './module.js';

/** A log in memory that `fails` when it is to keep something. */
function log({ required = true, fails = false } = {}): AuditLog & { records: string[] } {
  const records: string[] = [];
  return {
    records,
    required,
    append: async (record) => {
      if (fails) throw new IbidError('io', 'The disk is full.');
      records.push(record);
    },
    export: async () => '',
    verify: async () => ({ lines: 0, dropped: 0, problems: [], more: 0 }),
    clear: async () => {},
    close: () => {},
  };
}

test('the record of a run is kept before its answer is given', async () => {
  const wires: AskWireOptions[] = [];
  const { ibid } = await scriptedIbid(async (wire) => {
    wires.push(wire);
    return ANSWER;
  });
  const audit = log();
  const answer = await ibid.ask('Why?', { audit });
  assert.deepEqual(audit.records, ['{"question":"Why?"}']);
  assert.equal('audit' in answer, false);
  await ibid.ask('Why?');
  assert.deepEqual(
    wires.map((wire) => wire.audit),
    [true, undefined],
  );
  assert.equal(audit.records.length, 1);
});

test('a run that fails is on record too, where the module has told of it', async () => {
  const audit = log();
  const failure = Object.assign(coreError('provider-auth', 'The key was refused.'), { audit: '{"error":1}' });
  const { ibid } = await scriptedIbid(async () => {
    throw failure;
  });
  await assert.rejects(Promise.resolve(ibid.ask('Why?', { audit })), { code: 'provider-auth' });
  assert.deepEqual(audit.records, ['{"error":1}']);
  const early = await scriptedIbid(async () => {
    throw coreError('question-length', 'Too short.');
  });
  await assert.rejects(Promise.resolve(early.ibid.ask('W', { audit })), { code: 'question-length' });
  assert.equal(audit.records.length, 1);
});

test('without its record a run fails, unless that is not required', async () => {
  const { ibid } = await scriptedIbid();
  await assert.rejects(Promise.resolve(ibid.ask('Why?', { audit: log({ fails: true }) })), { code: 'io' });
  const conversation = ibid.conversation();
  await assert.rejects(Promise.resolve(conversation.ask('Why?', { audit: log({ fails: true }) })), { code: 'io' });
  assert.deepEqual(conversation.messages, []);
  const events = [];
  for await (const event of ibid.ask('Why?', { audit: log({ fails: true, required: false }) })) events.push(event);
  assert.deepEqual(events, [
    { type: 'audit-failed', message: 'The disk is full.' },
    { type: 'answer', answer: ANSWER },
  ]);
});
