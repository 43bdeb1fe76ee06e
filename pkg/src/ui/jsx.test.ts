import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { JSX } from 'react';
import type { IbidAsk, IbidSearch } from './index.js';

type Elements = JSX.IntrinsicElements;

test('React knows both elements, with their attributes and its own', () => {
  const pressed: string[] = [];
  const search: Elements['ibid-search'] = {
    ...{ index: '/site.ibid', facets: 'kind,version', inline: true, className: 'box', lang: 'de' },
    onClick: ({ currentTarget }) => pressed.push(currentTarget.localName),
    ref: (element: IbidSearch | null) => element?.open('tea'),
  };
  const ask: Elements['ibid-ask'] = {
    ...{ index: '/site.ibid', model: 'gpt-5-mini', 'own-key': true, options: { guard: { emergency: 'answer' } } },
    ref: (element: IbidAsk | null) => element?.ask('How hot?'),
  };
  // @ts-expect-error It has no such attribute.
  const unknown: Elements['ibid-search'] = { indexx: '/site.ibid' };
  // @ts-expect-error It is an address.
  const wrong: Elements['ibid-ask'] = { index: 7 };
  assert.deepEqual([search, ask, unknown, wrong].map(Boolean), [true, true, true, true]);
});

test('what has no types of its own for elements knows both, too', () => {
  const search: globalThis.JSX.IntrinsicElements['ibid-search'] = { index: '/site.ibid', class: 'box', answers: '' };
  const ask: globalThis.JSX.IntrinsicElements['ibid-ask'] = { index: '/site.ibid', agreed: true };
  assert.equal(search.index, ask.index);
});
