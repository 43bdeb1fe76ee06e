import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ANSWER, ScriptedModule } from './test-support.js';
import { type AskModuleSource, bibliography, inspectQuestion, redact, verifyAnswer } from './trust.js';
import { WasmModule } from './wasm-module.js';

function scripted(): AskModuleSource {
  const { asker } = new ScriptedModule();
  const none = async () => '';
  return { module: new WasmModule(async () => asker), askWasm: new Uint8Array(), rules: none, lists: none };
}

test('what is computed without a run crosses the boundary as JSON', async () => {
  const source = scripted();
  assert.deepEqual(await verifyAnswer(ANSWER, source), { claims: [], flags: [{ message: 'Yes [1].' }] });
  assert.equal(await bibliography(ANSWER, undefined, source), 'list of Yes [1].');
  assert.equal(await bibliography(ANSWER, 'bibtex', source), 'bibtex of Yes [1].');
  assert.deepEqual(await inspectQuestion(' Why? ', { markup: 'block' }, source), {
    question: 'Why?',
    options: { emergency: 'flag', markup: 'block' },
  });
  assert.deepEqual(await redact('I am Ada.', { kinds: ['NAME'], words: undefined }, source), {
    text: 'I am Ada.',
    found: [],
    options: { kinds: ['NAME'] },
  });
});

test("the module's errors keep their code, and what is no data is refused", async () => {
  const source = scripted();
  await assert.rejects(inspectQuestion('<script>', {}, source), { code: 'question-blocked', name: 'IbidError' });
  const cyclic: Record<string, readonly string[]> = {};
  Object.assign(cyclic, { cyclic });
  await assert.rejects(redact('x', { words: cyclic }, source), { code: 'invalid-option' });
  const { module, ...nowhere } = source;
  assert.ok(module);
  await assert.rejects(verifyAnswer(ANSWER, nowhere), { code: 'wasm-load' });
});
