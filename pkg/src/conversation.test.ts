import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { AskWireOptions } from './ask/module.js';
import { ANSWER, coreError, scriptedIbid, until } from './test-support.js';

async function talking() {
  const wires: AskWireOptions[] = [];
  const { ibid } = await scriptedIbid(async (wire, _emit, signal, _host, question) => {
    wires.push(wire);
    if (question === 'Fail') throw coreError('provider-unavailable', 'Down.');
    if (question === 'Hang') {
      await new Promise((_, reject) =>
        signal.addEventListener('abort', () => reject(coreError('aborted', 'Aborted.'))),
      );
    }
    return { ...ANSWER, text: `About ${question}` };
  });
  return { ibid, wires };
}

test('each question comes with what was said before', async () => {
  const { ibid, wires } = await talking();
  const conversation = ibid.conversation({ historyTokens: 500, defaults: { limit: 3 } });
  assert.match(conversation.id, /^[\da-f]{8}-[\da-f]{4}-4[\da-f]{3}-[89ab][\da-f]{3}-[\da-f]{12}$/);
  await conversation.ask('One');
  // The next one may follow in the very loop that reads the events.
  for await (const event of conversation.ask('Two', { limit: 4 })) {
    if (event.type === 'answer') await conversation.ask('Three');
  }
  const common = { conversationId: conversation.id, historyTokens: 500 };
  assert.deepEqual(wires, [
    { limit: 3, ...common },
    { limit: 4, ...common, history: 'One;' },
    { limit: 3, ...common, history: 'One;Two;' },
  ]);
  assert.deepEqual(
    conversation.messages.map(({ role, content }) => `${role}: ${content}`),
    ['user: One', 'assistant: About One', 'user: Two', 'assistant: About Two', 'user: Three', 'assistant: About Three'],
  );
});

test('a run that fails or is aborted leaves no trace', async () => {
  const { ibid, wires } = await talking();
  const conversation = ibid.conversation();
  await conversation.ask('One');
  const before = conversation.export();
  await assert.rejects(Promise.resolve(conversation.ask('Fail')), { code: 'provider-unavailable' });
  const run = conversation.ask('Hang');
  await until(() => wires.length === 3);
  run.abort();
  // Nothing is waited for: the abort is over at once.
  await conversation.ask('Two').then(
    () => {},
    () => {},
  );
  assert.equal(wires[3]?.history, 'One;');
  assert.equal(conversation.messages.length, 4);
  assert.notEqual(conversation.export(), before);
});

test('one run at a time', async () => {
  const { ibid, wires } = await talking();
  const conversation = ibid.conversation();
  const first = conversation.ask('One');
  const second = conversation.ask('Two');
  await assert.rejects(Promise.resolve(second), { code: 'invalid-option', message: /still at its last question/ });
  await first;
  assert.equal(wires.length, 1);
});

test('an exported conversation goes on elsewhere', async () => {
  const { ibid, wires } = await talking();
  const conversation = ibid.conversation({ id: 'mine' });
  await conversation.ask('One');
  const again = ibid.conversation({ from: conversation.export() });
  assert.equal(again.id, 'mine');
  assert.deepEqual(again.messages, conversation.messages);
  await again.ask('Two');
  assert.equal(wires[1]?.history, 'One;');
  assert.equal(conversation.messages.length, 2);
  assert.equal(ibid.conversation({ from: again.export(), id: 'other' }).id, 'other');
});

test('what was said elsewhere is remembered as text', async () => {
  const { ibid, wires } = await talking();
  const messages = [
    { role: 'user' as const, content: 'Is [1] one?' },
    { role: 'assistant' as const, content: 'Yes [1, 2][3-4], see [this].' },
  ];
  const conversation = ibid.conversation({ messages });
  await conversation.ask('Two');
  assert.deepEqual(JSON.parse(wires[0]?.history?.split('Two')[0] ?? ''), {
    version: 1,
    items: [messages[0], { role: 'assistant', content: 'Yes, see [this].' }],
    register: [],
  });
  assert.equal(conversation.messages.length, 4);
  await ibid.conversation({ messages: [] }).ask('One');
  assert.equal(wires[1]?.history, undefined);
});

test('what was not exported is refused', async () => {
  const { ibid } = await talking();
  const whole = JSON.parse(ibid.conversation().export());
  const refused = [
    '',
    'null',
    '[]',
    JSON.stringify({ ...whole, ibidConversation: 2 }),
    JSON.stringify({ ...whole, id: 1 }),
    JSON.stringify({ ...whole, history: {} }),
    JSON.stringify({ ...whole, messages: 'no' }),
    JSON.stringify({ ...whole, messages: [null] }),
    JSON.stringify({ ...whole, messages: [{ role: 'assistant', content: 'x', answer: 1 }] }),
  ];
  for (const from of refused) assert.throws(() => ibid.conversation({ from }), { code: 'invalid-option' }, from);
});
