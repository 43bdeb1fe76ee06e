import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Rest } from './rest.js';
import { withServer } from './test-support.js';

const text = (name: string) => [name.length, ...Buffer.from(name)];

/** Imports the constant `version-1` of its first part, and calls the function `f` of it as it starts. */
const imports = [
  2,
  ...text('__wasm_split'),
  ...text('version-1'),
  3,
  0x7f,
  0,
  ...text('__wasm_split'),
  ...text('f'),
  0,
  0,
];
const REST = Uint8Array.of(
  ...[0, 0x61, 0x73, 0x6d, 1, 0, 0, 0],
  ...[1, 4, 1, 0x60, 0, 0],
  ...[2, imports.length, ...imports],
  ...[8, 1, 0],
);
const data = () => new URL(`data:application/wasm;base64,${Buffer.from(REST).toString('base64')}`);

/** A second part, and the number of times that it was joined to its first. */
function inTwo(locate: () => URL, version = 'version-1') {
  const seen = { joined: 0 };
  const rest = new Rest(locate);
  const constant = new WebAssembly.Global({ value: 'i32', mutable: false }, 1);
  rest.follow({ [version]: constant, f: () => (seen.joined += 1) } as unknown as WebAssembly.Exports);
  return { seen, rest };
}

test('the second part comes when it is asked for, once', async () => {
  let asked = 0;
  const answer = () => {
    asked += 1;
    return 200;
  };
  await withServer(
    (_, response) => response.writeHead(answer()).end(REST),
    async (base) => {
      const { seen, rest } = inTwo(() => new URL(base));
      assert.equal(seen.joined, 0);
      await Promise.all([rest.join(), rest.join()]);
      await rest.join();
      assert.deepEqual([seen.joined, asked], [1, 1]);
    },
  );
});

test('what could not be fetched is asked for again', async () => {
  let status = 404;
  await withServer(
    (_, response) => response.writeHead(status).end(REST),
    async (base) => {
      const { seen, rest } = inTwo(() => new URL(base));
      await assert.rejects(rest.join(), { code: 'wasm-load', hint: /deployed/ });
      status = 200;
      await rest.join();
      assert.equal(seen.joined, 1);
    },
  );
});

test('a second part of another version is refused', async () => {
  const { seen, rest } = inTwo(data, 'version-2');
  await assert.rejects(rest.join(), { code: 'wasm-load', message: /of another version/ });
  assert.equal(seen.joined, 0);
});

test('a whole module has no second part', async () => {
  const rest = new Rest(() => assert.fail('It is not looked for.'));
  await rest.join();
  rest.follow({ f: () => {} });
  await rest.join();
});
