import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import { GlobalWindow } from 'happy-dom';
import { ANSWER, gate, scriptedIbid, turnOfTheLoop } from '../test-support.js';
import { IbidChatTransport } from './transport.js';
import type { IbidUIMessage } from './types.js';

let root: HTMLElement;

before(() => {
  const window = new GlobalWindow();
  const { document, navigator } = window;
  for (const [name, value] of Object.entries({ window, document, navigator, IS_REACT_ACT_ENVIRONMENT: true })) {
    // Defined, not assigned, since later versions of Node have a `navigator` that cannot be assigned to.
    Object.defineProperty(globalThis, name, { value, configurable: true });
  }
  root = globalThis.document.createElement('div');
  globalThis.document.body.append(root);
});

test('useChat works unchanged', async () => {
  // Loaded now, since React looks for a document when it is.
  const { useChat } = await import('@ai-sdk/react');
  const { act, createElement, useState } = await import('react');
  const { createRoot } = await import('react-dom/client');
  const rest = gate();
  const { ibid } = await scriptedIbid(async (_wire, emit, _signal, _host, question) => {
    emit({ type: 'turn', turn: 1, tools: true });
    emit({ type: 'text', delta: `About ${question}` });
    await rest.opened;
    emit({ type: 'text', delta: ' [1].' });
    return { ...ANSWER, text: `About ${question} [1].` };
  });

  function Chat() {
    const [transport] = useState(() => new IbidChatTransport({ ibid }));
    const { messages, sendMessage, status } = useChat<IbidUIMessage>({ transport });
    return createElement(
      'main',
      { 'data-status': status },
      messages.map(({ id, parts }) =>
        createElement('p', { key: id }, parts.map((part) => (part.type === 'text' ? part.text : '')).join('')),
      ),
      createElement('button', { onClick: () => void sendMessage({ text: 'doses' }) }, 'Ask'),
    );
  }

  await act(async () => createRoot(root).render(createElement(Chat)));
  const shown = () => [...root.querySelectorAll('p')].map(({ textContent }) => textContent);
  const status = () => root.querySelector('main')?.getAttribute('data-status');
  assert.deepEqual([shown(), status()], [[], 'ready']);
  await act(async () => root.querySelector('button')?.click());
  const shows = async (answer: string, state: string) => {
    // What React does, it does when `act` ends.
    for (let turn = 0; turn < 1000 && !(shown()[1] === answer && status() === state); turn += 1) {
      await act(async () => await turnOfTheLoop());
    }
    assert.deepEqual([shown(), status()], [['doses', answer], state]);
  };
  await shows('About doses', 'streaming');
  rest.open();
  await shows('About doses [1].', 'ready');
});
