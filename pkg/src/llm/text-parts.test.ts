import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { ModelPart } from '../ask/model-types.js';
import { TextParts } from './text-parts.js';

const TOOL = { name: 'search', description: '', parameters: {} };

/** Parts of a text that comes in two pieces, or in single characters, with neighbours of one kind joined. */
function read(text: string, cut: number | 'each', { tools = [TOOL], whole = true } = {}): ModelPart[] {
  const parts = new TextParts({ tools, toolChoice: 'auto' });
  const pieces = cut === 'each' ? [...text] : [text.slice(0, cut), text.slice(cut)];
  const all = [...pieces.flatMap((piece) => parts.push(piece)), ...parts.end(whole)];
  const joined: ModelPart[] = [];
  for (const part of all) {
    const last = joined.at(-1);
    if ('delta' in part && last?.type === part.type) (last as { delta: string }).delta += part.delta;
    else joined.push({ ...part });
  }
  return joined;
}

function always(text: string, expected: ModelPart[], options?: Parameters<typeof read>[2]): void {
  for (let cut = 0; cut <= text.length; cut += 1) assert.deepEqual(read(text, cut, options), expected, `cut at ${cut}`);
  assert.deepEqual(read(text, 'each', options), expected);
}

const call = (name: string, args: string): ModelPart => ({ type: 'tool-call', name, arguments: args });
const words = (delta: string): ModelPart => ({ type: 'text', delta });

test('text is text, whatever it contains', () => {
  for (const text of ['Yes [1].', ' <b>no</b> {"name":"search"}', '<thin ice', 'a', 'Use `x`, not ```y```.']) {
    always(text, [words(text)]);
  }
  always('', []);
});

test('thoughts come first and are no text', () => {
  always('<think>Well, <b> hm.</think>\n\nYes.', [{ type: 'reasoning', delta: 'Well, <b> hm.' }, words('Yes.')]);
  always('\n<think>cut off</thi', [{ type: 'reasoning', delta: 'cut off</thi' }], { whole: false, tools: [] });
  always('<think></think>{"name":"search","arguments":{"query":"x"}}', [call('search', '{"query":"x"}')]);
});

test('a text that is nothing but calls is those', () => {
  always('{"name": "search", "arguments": {"query": "x"}}', [call('search', '{"query":"x"}')]);
  always('[{"name":"search","parameters":{}},{"name":"search"}]', [call('search', '{}'), call('search', '{}')]);
  always('```json\n{"name":"search","arguments":"{}"}\n```', [call('search', '{}')]);
  always(
    '<tool_call>{"name":"search","arguments":{}}</tool_call>\n<tool_call>{"name":"search","arguments":{"a":1}}</tool_call>',
    [call('search', '{}'), call('search', '{"a":1}')],
  );
});

test('what looks like a call and is none stays text', () => {
  for (const text of [
    '{"name":"unknown","arguments":{}}',
    '{"answer":1}',
    '{"name":"search"',
    '```\ncode\n```',
    '[1] says so.',
    '{"name":"search","arguments":3}',
  ]) {
    always(text, [words(text)]);
  }
  const cut = '{"name":"search","arguments":{}}';
  always(cut, [words(cut)], { whole: false });
  always(cut, [words(cut)], { tools: [] });
});
