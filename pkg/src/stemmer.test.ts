import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { pathToFileURL } from 'node:url';
import type { IbidError } from './error.js';
import { provideStemmer } from './stemmer.js';

const DIST = join(import.meta.dirname, '..', 'dist', 'wasm');
const LANGUAGES = [
  'ar',
  'da',
  'de',
  'el',
  'es',
  'fi',
  'fr',
  'hu',
  'it',
  'nl',
  'no',
  'pt',
  'ro',
  'ru',
  'sv',
  'ta',
  'tr',
];
const BUILT = LANGUAGES.every((language) => existsSync(join(DIST, `stem_${language}_bg.wasm`)));

/** The stemmer of a language, as the module that searches gets it. */
async function stemmer(language: string): Promise<(word: string) => string> {
  let given = (word: string) => word;
  const stemmer = pathToFileURL(join(DIST, `stem_${language}_bg.wasm`));
  await provideStemmer({ stemBy: (_, stem) => (given = stem) }, language, { stemmer });
  return given;
}

test('a stemmer that cannot be had is an error that says so', async () => {
  const lost = provideStemmer({ stemBy: () => assert.fail() }, 'fi', { stemmer: new URL('file:///nowhere.wasm') });
  await assert.rejects(lost, (error: IbidError) => error.code === 'wasm-load' && /nowhere/.test(error.message));
  const noModule = provideStemmer({ stemBy: () => assert.fail() }, 'sv', { stemmer: new Uint8Array([1, 2, 3]) });
  await assert.rejects(noModule, (error: IbidError) => error.code === 'wasm-load');
});

test('each language has a stemmer of its own', { skip: !BUILT }, async () => {
  for (const language of LANGUAGES) assert.equal(typeof (await stemmer(language))('a'), 'string', language);
  const [german, russian] = await Promise.all([stemmer('de'), stemmer('ru')]);
  assert.equal(german('behandlungen'), german('behandlung'));
  assert.equal(russian('лечения'), russian('лечение'));
  assert.notEqual(russian('лечения'), 'лечения');
  assert.equal(german('ä'.repeat(100_000)).length, 100_000);
  assert.equal(german(''), '');
});
