import assert from 'node:assert/strict';
import { afterEach, test } from 'node:test';
import { partialTree } from './partial.js';
import { partialReader } from './partial-reader.js';

const said = (text: string) => ({ type: 'paragraph', children: [{ type: 'text', text, start: 0, end: 0 }] });

afterEach(() => {
  delete partialReader.read;
});

test('the module that answers reads the text', () => {
  partialReader.read = (text, knows) => JSON.stringify([said(`${text} ${knows(3)} ${knows(9)}`)]);
  assert.deepEqual(
    partialTree('So [3]', (number) => number <= 3),
    [said('So [3] true false')],
  );
});

test('without it there are paragraphs of text', () => {
  const knows = () => true;
  assert.deepEqual(partialTree('# A **b** [1]\nc\n\n\n<b>', knows), [said('# A **b** [1]\nc'), said('<b>')]);
  assert.deepEqual(partialTree(' \n\n', knows), []);
});
