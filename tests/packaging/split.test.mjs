// The modules are split in two by what ran. Whatever did not run has to do the same from the second file.

import { strict as assert } from 'node:assert';
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { pathToFileURL } from 'node:url';

const TOOLS = join(import.meta.dirname, '../../tools/build');
const SPLIT = join(TOOLS, 'split.mjs');
const { liveBefore } = await import(pathToFileURL(join(TOOLS, 'live.mjs')));
const { opened, regionsOf, walk } = await import(pathToFileURL(join(TOOLS, 'regions.mjs')));
const { sizesOf } = await import(pathToFileURL(join(TOOLS, 'functions.mjs')));
const { default: binaryen } = await import(pathToFileURL(createRequire(join(TOOLS, 'split.mjs')).resolve('binaryen')));

/** What makes a way worth a function of its own. */
const MUCH =
  `(i32.store (i32.const 80) (call $slow (call $slow (call $slow (local.get $n) (local.get $at)) (i32.const 12))
          (call $slow (call $slow (local.get $at) (i32.const 13)) (call $slow (local.get $n) (i32.const 14)))))
          (i32.store (i32.const 84) (call $slow (i32.load (i32.const 80)) (i32.const 15)))`.repeat(16);

/** Cold ways of each kind, in a loop: to its end, to its beginning, out of it, a return, values, a panic, a table, and a call. */
const SOURCE = `(module
  (import "host" "need" (func $host))
  (memory (export "memory") 1)
  (data (i32.const 1024) "cold\\18\\04\\00\\00told\\00\\00\\00\\01the lastheldaway")
  (func $needRest (export "needRest") (call $host))
  (func $slow (param $x i32) (param $y i32) (result i32)
    (i32.store (i32.const 64) (i32.add (i32.load (i32.const 64)) (local.get $y)))
    (i32.store (i32.const 68) (i32.xor (i32.load (i32.const 68)) (i32.load (i32.const 64))))
    (i32.store (i32.const 72) (i32.rotl (i32.load (i32.const 68)) (i32.const 3)))
    (i32.add (i32.mul (local.get $x) (i32.const 31)) (i32.load (i32.const 64))))
  (func $tell (param $text i32) (result i32)
    (i32.store (i32.const 80) (call $slow (i32.load (local.get $text)) (i32.load (i32.const 64))))
    (i32.store (i32.const 84) (call $slow (i32.load (i32.const 80)) (i32.load (local.get $text))))
    (i32.add (call $slow (i32.load (i32.const 84)) (i32.load (local.get $text)))
      (call $slow (i32.load (i32.const 72)) (i32.load (local.get $text)))))
  (func $work (export "work") (param $kind i32) (param $n i32) (result i32)
    (local $sum i32) (local $at i32) (local $wide i64) (local $temporary i32)
    (local.set $wide (i64.const 5))
    (block $out (result i32)
      (loop $next
        (local.set $at (i32.add (local.get $at) (i32.const 1)))
        (local.set $sum (i32.add (local.get $sum) (i32.mul (local.get $at)
          (i32.add (i32.load (i32.load (i32.const 1028))) (i32.load (i32.add (i32.const 1000) (i32.const 52)))))))
        (i32.store (i32.const 1036) (i32.add (i32.load (i32.const 1036)) (i32.const 1)))
        (if (i32.eq (local.get $kind) (i32.const 7)) (then
          (local.set $sum (i32.xor (local.get $sum) (call $tell (i32.const 1032))))))
        (if (i32.and (i32.eq (local.get $kind) (i32.const 1)) (i32.eq (local.get $at) (i32.const 3))) (then
          ${MUCH}
          (local.set $temporary (call $slow (local.get $sum) (i32.add (i32.load (i32.const 1024)) (i32.load (i32.const 1040)))))
          (local.set $sum (i32.add (local.get $temporary) (call $slow (local.get $temporary) (i32.const 7))))
          (local.set $wide (i64.add (local.get $wide) (i64.extend_i32_s (local.get $sum))))))
        (if (i32.and (i32.eq (local.get $kind) (i32.const 2)) (i32.lt_s (local.get $at) (i32.const 4))) (then
          ${MUCH}
          (local.set $sum (call $slow (call $slow (local.get $sum) (i32.const 2)) (call $slow (local.get $at) (i32.const 3))))
          (br_if $next (i32.and (local.get $at) (i32.const 1)))
          (local.set $sum (i32.sub (local.get $sum) (i32.const 11)))))
        (if (i32.and (i32.eq (local.get $kind) (i32.const 3)) (i32.gt_s (local.get $at) (i32.const 2))) (then
          ${MUCH}
          (local.set $temporary (call $slow (call $slow (local.get $sum) (i32.const 4)) (call $slow (local.get $at) (i32.const 5))))
          (br $out (i32.add (local.get $temporary) (local.get $sum)))))
        (if (i32.and (i32.eq (local.get $kind) (i32.const 4)) (i32.gt_s (local.get $at) (i32.const 5))) (then
          ${MUCH}
          (return (call $slow (call $slow (local.get $sum) (i32.const 6)) (call $slow (i32.wrap_i64 (local.get $wide)) (i32.const 7))))))
        (if (i32.and (i32.eq (local.get $kind) (i32.const 5)) (i32.gt_s (local.get $at) (i32.const 6))) (then
          ${MUCH}
          (i32.store (i32.const 64) (call $slow (call $slow (local.get $sum) (i32.const 8)) (call $slow (local.get $at) (i32.const 9))))
          (unreachable)))
        (block $on
          (if (i32.eq (local.get $kind) (i32.const 6)) (then
            ${MUCH}
            (local.set $sum (call $slow (local.get $sum) (i32.const 16)))
            (br_table $next $on (i32.ge_s (local.get $at) (local.get $n))))))
        (br_if $next (i32.lt_s (local.get $at) (local.get $n))))
      (i32.add (local.get $sum) (i32.wrap_i64 (local.get $wide))))))`;

/** Notes as the linker makes them of the data: six texts, one of them an address, and a number that is written. */
const OBJECTS = {
  objects: [1024, 1028, 1032, 1036, 1040, 1048, 1052].map((at) => [at, at === 1040 ? 8 : 4, at !== 1036]),
  pointers: [[1028, 1048]],
  // The last is read by an address before it.
  code: [1024, 1028, 1032, 1036, 1040, 1000].map((at) => [at, at === 1000 ? 1052 : at]),
};

const folder = mkdtempSync(join(tmpdir(), 'ibid-split-'));
after(() => rmSync(folder, { recursive: true }));
const path = (name) => join(folder, name);
const command = (...args) =>
  execFileSync(process.execPath, [SPLIT, ...args], { stdio: ['ignore', 'ignore', 'inherit'] });
const compiled = (name) => new WebAssembly.Module(readFileSync(path(name)));

test('what did not run does the same from the second file', () => {
  binaryen.setDebugInfo(true);
  writeFileSync(path('named.wasm'), binaryen.parseText(SOURCE).emitBinary());
  command('count', path('named.wasm'), path('counted.wasm'));
  const host = { need: () => {} };
  const counted = new WebAssembly.Instance(compiled('counted.wasm'), { host }).exports;
  counted.needRest();
  for (const n of [0, 3, 9]) counted.work(0, n);
  const ran = Object.keys(counted).filter((name) => name.startsWith('ran:') && counted[name].value === 1);
  writeFileSync(path('ran.json'), JSON.stringify(ran.map((name) => name.slice('ran:'.length))));
  writeFileSync(path('objects.json'), JSON.stringify(OBJECTS));
  command('split', path('named.wasm'), path('objects.json'), path('ran.json'), path('first.wasm'), path('rest.wasm'));

  const whole = () => new WebAssembly.Instance(compiled('named.wasm'), { host }).exports;
  const parts = () => {
    const fetched = [];
    const need = () => {
      if (fetched.length === 0) fetched.push(new WebAssembly.Instance(compiled('rest.wasm'), { first }));
    };
    const { exports: first } = new WebAssembly.Instance(compiled('first.wasm'), { host: { need } });
    return { first, fetched };
  };
  const data = ({ memory }) => Buffer.from(memory.buffer, 1024, 32).toString('latin1').replace(/\W/g, '.');
  const outcome = (work, kind, n) => {
    try {
      return work(kind, n);
    } catch (error) {
      return error.message;
    }
  };
  for (const kind of [0, 1, 2, 3, 4, 5, 6, 7]) {
    const { first, fetched } = parts();
    const { work, memory } = whole();
    assert.equal(data(first), `${'.'.repeat(24)}heldaway`, 'what the rest alone reads is not there');
    for (const n of [0, 1, 4, 9, 2, 30])
      assert.equal(outcome(first.work, kind, n), outcome(work, kind, n), `${kind}, ${n}`);
    assert.equal(fetched.length, kind === 0 ? 0 : 1, `${kind}`);
    if (kind !== 0) assert.equal(data(first), data({ memory }), `${kind}`);
  }
  const sizeIn = (name) => sizesOf(readFileSync(path(name))).functions.find(({ name }) => name === 'work').size;
  assert.ok(sizeIn('first.wasm') < sizeIn('named.wasm') * 0.85, 'cold ways have left the first file');
});

/** The body of the only function of a module, which has a table. */
function bodyOf(locals, body) {
  const module = binaryen.parseText(`(module (table $t 4 externref) (func ${locals} ${body}))`);
  return binaryen.getFunctionInfo(module.getFunctionByIndex(0)).body;
}

test('locals that are read inside instructions of tables are live before them', () => {
  const locals = '(param i32 i32 i32 externref)';
  const [set, get, grow] = [
    '(table.set $t (local.get 0) (local.get 3))',
    '(drop (table.get $t (local.get 1)))',
    '(drop (table.grow $t (local.get 3) (local.get 2)))',
  ].map((body) => liveBefore(bodyOf(locals, body), { after: 0n, labels: new Map() }));
  assert.deepEqual([set, get, grow], [0b1001n, 0b0010n, 0b1100n]);
});

test('an expression of a kind that is not known is an error that names the kind', () => {
  for (const [locals, body, error] of [
    ['(param i32 i32)', '(table.copy $t $t (local.get 0) (local.get 1) (i32.const 2))', /unknown kind TableCopy:/],
    ['(param externref) (result i32)', '(ref.is_null (local.get 0))', /unknown kind RefIsNull:/],
    ['(param i32 externref)', '(table.fill $t (local.get 0) (local.get 1) (i32.const 2))', /table\.fill with parts/],
  ])
    assert.throws(() => walk(bodyOf(locals, body), opened), error);
});

test('a function that fills a table stays whole', () => {
  const filled = (fill) => bodyOf('(param i32)', `(if (local.get 0) (then (drop (i32.const 1)) ${fill}))`);
  assert.equal(regionsOf(filled('')).length, 2);
  assert.equal(regionsOf(filled('(table.fill $t (local.get 0) (ref.null extern) (i32.const 2))')).length, 1);
});
