import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Answer, Claim, Flag } from '../ask/answer-types.js';
import { Check } from './check.js';
import { english } from './words/en.js';

const text = 'Tea steeps for **nine minutes** in `pot-1` [1].';
const whole = { start: 0, end: 40 };
const at = (words: string) => ({ start: text.indexOf(words), end: text.indexOf(words) + words.length });
const claim: Claim = {
  ...{ text: 'Tea steeps for **nine minutes** in `pot-1`.', start: 0, end: text.length, sources: [1] },
  check: {
    status: 'unsupported',
    coverage: 0.5,
    evidence: [
      {
        ...{ number: 1, span: whole, coverage: 0.5 },
        values: [
          { kind: 'number', span: at('**nine minutes'), found: null },
          { kind: 'symbol', span: at('pot-1'), found: { start: 30, end: 35 } },
        ],
      },
    ],
    alternatives: [{ number: 3, span: whole, coverage: 0.9 }],
  },
};
const check = new Check(
  { text, mode: 'model', claims: [claim], flags: [], tree: [], sources: [] } as unknown as Answer,
  english,
);
const flag = (span: Flag['span']): Flag => ({
  ...{ kind: 'number_unsupported', span: at('nine minutes'), message: 'No.' },
  source: { number: 1, span },
});

const shown = (number: number | undefined, flags?: Flag[]) => {
  const { marks, absent } = check.evidenceIn(number, claim, flags);
  return { marks: marks.map(({ kind, span }) => `${kind} ${span.start}-${span.end}`), absent };
};

test('a passage shows the sentence, its values, and the words of those that are not there', () => {
  assert.deepEqual(shown(1), { marks: ['evidence 0-40', 'value 30-35'], absent: ['nine minutes'] });
  assert.deepEqual(shown(3), { marks: ['evidence 0-40'], absent: [] });
  assert.deepEqual(shown(2), { marks: [], absent: [] });
  assert.deepEqual(shown(undefined), { marks: [], absent: [] });
});

test('what speaks against a sentence is marked like a value, unless that is all of the sentence', () => {
  assert.deepEqual(shown(1, [flag({ start: 10, end: 14 })]).marks, ['evidence 0-40', 'value 30-35', 'value 10-14']);
  assert.deepEqual(shown(1, [flag(whole)]).marks, ['evidence 0-40', 'value 30-35', 'evidence 0-40']);
  assert.deepEqual(shown(2, [flag(whole)]).marks, []);
});
