import assert from 'node:assert/strict';
import { test } from 'node:test';
import { applied, openedFile } from './changes.js';
import type { Engine } from './engine.js';
import type { RemoteParts } from './remote-parts.js';
import { ScriptedModule } from './test-support.js';

test('changes go to the engine in their order', () => {
  const script = new ScriptedModule();
  const engine: Engine = new script.Engine(new Uint8Array(), new Uint8Array());
  const index = new Uint8Array([1]);
  assert.deepEqual([applied(engine, index), applied(engine, 'a')], [true, true]);
  assert.deepEqual(script.changes, [index, 'a']);
});

test('a file that is here in pieces is read as a whole, of the version that there is then', async () => {
  const asked: number[][] = [];
  const engine = { file: () => undefined, info: () => ({ bytes: 7 + asked.length }) } as unknown as Engine;
  const whole = new Uint8Array([1, 2]);
  const read = async (ranges: Float64Array) => {
    asked.push([...ranges]);
    return asked.length === 1 ? null : [whole];
  };
  assert.equal(await openedFile(engine, { read } as RemoteParts), whole);
  assert.deepEqual(asked, [
    [0, 7],
    [0, 8],
  ]);
});
