import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { pathToFileURL } from 'node:url';
import type { IbidError } from './error.js';
import { provideStemmer } from './stemmer.js';

const DIST = join(import.meta.dirname, '..', 'dist', 'wasm');
const LANGUAGES = 'ar da de el es fi fr hu it nl no pt ro ru sv ta tr'.split(' ');
const BUILT = LANGUAGES.every((language) => existsSync(join(DIST, `stem_${language}_bg.wasm`)));

interface Given {
  stem: (word: string) => string;
  stopWords: string[];
}

/** What the module that searches gets for a language. */
async function given(language: string): Promise<Given> {
  const stemmer = pathToFileURL(join(DIST, `stem_${language}_bg.wasm`));
  return new Promise((resolve, reject) => {
    const stemBy = (_: string, stem: Given['stem'], words: string) =>
      resolve({ stem, stopWords: words.trim().split(' ') });
    provideStemmer({ stemBy }, language, { stemmer }).catch(reject);
  });
}

test('a stemmer that cannot be loaded is an error that says so', async () => {
  const lost = provideStemmer({ stemBy: () => assert.fail() }, 'fi', { stemmer: new URL('file:///nowhere.wasm') });
  await assert.rejects(lost, (error: IbidError) => error.code === 'wasm-load' && /nowhere/.test(error.message));
  const noModule = provideStemmer({ stemBy: () => assert.fail() }, 'sv', { stemmer: new Uint8Array([1, 2, 3]) });
  await assert.rejects(noModule, (error: IbidError) => error.code === 'wasm-load');
});

test('each language has a stemmer and stop words of its own', { skip: !BUILT }, async () => {
  for (const language of LANGUAGES) {
    const { stem, stopWords } = await given(language);
    assert.equal(typeof stem('a'), 'string', language);
    assert.ok(stopWords.length > 5, language);
  }
  const [{ stem: german, stopWords }, { stem: russian }] = await Promise.all([given('de'), given('ru')]);
  assert.ok(stopWords.includes('für') && !stopWords.includes('the'));
  assert.equal(german('behandlungen'), german('behandlung'));
  assert.equal(russian('лечения'), russian('лечение'));
  assert.notEqual(russian('лечения'), 'лечения');
  assert.equal(german('ä'.repeat(100_000)).length, 100_000);
  assert.equal(german(''), '');
});
