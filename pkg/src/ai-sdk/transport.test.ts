import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Chat } from '@ai-sdk/react';
import type { AskWireOptions } from '../ask/module.js';
import { IbidError } from '../error.js';
import { ANSWER, coreError, scriptedIbid, until } from '../test-support.js';
import { IbidChatTransport, type IbidChatTransportOptions } from './transport.js';
import type { IbidUIMessage } from './types.js';

async function chatting(options: Partial<IbidChatTransportOptions> = {}, messages: IbidUIMessage[] = []) {
  const wires: AskWireOptions[] = [];
  const { ibid } = await scriptedIbid(async (wire, emit, signal, _host, question) => {
    wires.push(wire);
    emit({ type: 'turn', turn: 1, tools: true });
    emit({ type: 'text', delta: `About ${question}` });
    if (question === 'Fail') throw coreError('provider-rate-limit', 'Too many.', 'Wait.');
    if (question === 'Hang') {
      await new Promise((_, reject) =>
        signal.addEventListener('abort', () => reject(coreError('aborted', 'Aborted.'))),
      );
    }
    return { ...ANSWER, text: `About ${question}`, conversationId: wire.conversationId ?? '' };
  });
  const transport = new IbidChatTransport({ ibid, ...options });
  const chat = new Chat<IbidUIMessage>({ id: 'chat', transport, messages });
  return { chat, wires };
}

const texts = ({ messages }: Chat<IbidUIMessage>) =>
  messages.map(
    ({ role, parts }) => `${role}: ${parts.map((part) => (part.type === 'text' ? part.text : '')).join('')}`,
  );
const histories = (wires: AskWireOptions[]) => wires.map(({ history }) => history);

test('a chat asks, each question after what was said before', async () => {
  const { chat, wires } = await chatting({ ask: { limit: 3 }, historyTokens: 100 });
  await chat.sendMessage({ text: 'One' });
  await chat.sendMessage({ text: 'Two' });
  assert.deepEqual(texts(chat), ['user: One', 'assistant: About One', 'user: Two', 'assistant: About Two']);
  assert.deepEqual([chat.status, chat.error], ['ready', undefined]);
  assert.deepEqual(wires, [
    { limit: 3, conversationId: 'chat', historyTokens: 100 },
    { limit: 3, conversationId: 'chat', historyTokens: 100, history: 'One;' },
  ]);
  assert.equal(chat.lastMessage?.metadata?.conversationId, 'chat');
});

test('regenerating and editing go on from where they are', async () => {
  const { chat, wires } = await chatting();
  await chat.sendMessage({ text: 'One' });
  await chat.sendMessage({ text: 'Two' });
  await chat.regenerate();
  assert.equal(chat.messages.length, 4);
  await chat.sendMessage({ text: 'Uno', messageId: chat.messages[0]?.id ?? '' });
  assert.deepEqual(texts(chat), ['user: Uno', 'assistant: About Uno']);
  await chat.sendMessage({ text: 'Due' });
  assert.deepEqual(histories(wires), [undefined, 'One;', 'One;', undefined, 'Uno;']);
});

test('stopping keeps what was written, and the conversation as it was before', async () => {
  const { chat, wires } = await chatting();
  await chat.sendMessage({ text: 'One' });
  const sent = chat.sendMessage({ text: 'Hang' });
  await until(() => texts(chat).at(-1) === 'assistant: About Hang');
  await chat.stop();
  await sent;
  assert.deepEqual([chat.status, chat.messages.length], ['ready', 4]);
  await chat.sendMessage({ text: 'Two' });
  assert.deepEqual(histories(wires), [undefined, 'One;', 'One;']);
});

test('a failure is the error of the chat, with its code', async () => {
  const { chat } = await chatting();
  await chat.sendMessage({ text: 'Fail' });
  assert.equal(chat.status, 'error');
  assert.ok(chat.error instanceof IbidError);
  assert.deepEqual([chat.error.code, chat.error.hint], ['provider-rate-limit', 'Wait.']);
  const file = { type: 'file' as const, mediaType: 'text/plain', url: 'data:,x' };
  await chat.sendMessage({ files: [file] });
  assert.equal((chat.error as IbidError | undefined)?.code, 'invalid-option');
});

test('images of a message go with its question', async () => {
  const { chat, wires } = await chatting();
  const file = { type: 'file' as const, mediaType: 'image/png', url: 'data:image/png;base64,iVBORw==' };
  await chat.sendMessage({ text: 'What is this?', files: [file] });
  assert.deepEqual(wires[0]?.images, [{ mediaType: 'image/png', data: 'iVBORw==' }]);
  await chat.sendMessage({ text: 'And this?', files: [{ ...file, url: 'https://example.org/a.png' }] });
  assert.equal((chat.error as IbidError | undefined)?.code, 'invalid-option');
});

test('options can be of each question', async () => {
  const seen: unknown[] = [];
  const { chat, wires } = await chatting({
    ask: async ({ body, messages }) => {
      seen.push(body, messages.length);
      return { limit: 7, signal: new AbortController().signal };
    },
  });
  await chat.sendMessage({ text: 'One' }, { body: { deep: true } });
  assert.deepEqual([seen, wires[0]?.limit], [[{ deep: true }, 1], 7]);
});

test('a chat that was stored goes on: with its sources where the messages have them, else with its text', async () => {
  const kept = await chatting({ history: 'message' });
  await kept.chat.sendMessage({ text: 'One' });
  const stored: IbidUIMessage[] = JSON.parse(JSON.stringify(kept.chat.messages));
  const again = await chatting({}, stored);
  await again.chat.sendMessage({ text: 'Two' });
  assert.deepEqual(histories(again.wires), ['One;']);

  const plain = stored.map((message) => ({
    ...message,
    parts: message.parts.filter(({ type }) => !type.startsWith('data-')),
  }));
  const text = await chatting({}, plain);
  await text.chat.sendMessage({ text: 'Two' });
  const history = JSON.parse(text.wires[0]?.history ?? '');
  assert.deepEqual(history.items, [
    { role: 'user', content: 'One' },
    { role: 'assistant', content: 'About One' },
  ]);
});

test('there never is a stream to go on with', async () => {
  const { chat } = await chatting();
  await chat.resumeStream();
  assert.deepEqual([chat.status, chat.messages], ['ready', []]);
});
