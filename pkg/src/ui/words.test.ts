import assert from 'node:assert/strict';
import { test } from 'node:test';
import { english } from './words/en.js';
import { filled, LANGUAGES, wordsOf } from './words.js';

const places = (phrase: string) => (phrase.match(/\{\w+\}/g) ?? []).sort();

test('every language has every phrase, with the places of the English one', async () => {
  assert.ok(LANGUAGES.length >= 13);
  for (const language of LANGUAGES) {
    const words = await wordsOf(language);
    if (language !== 'en') assert.notEqual(words.search, english.search, language);
    for (const [name, phrase] of Object.entries(english)) {
      const translated = words[name as keyof typeof english];
      assert.deepEqual(places(translated), places(phrase), `${language}: ${name}`);
    }
  }
});

test('a language is chosen by its tag, and an unknown one is English', async () => {
  assert.equal((await wordsOf('pt-BR')).close, 'Fechar');
  assert.equal(await wordsOf('tlh'), english);
  assert.equal(filled('{a} of {b}', { a: 1 }), '1 of {b}');
});
