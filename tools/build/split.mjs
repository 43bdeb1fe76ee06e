// Splits a wasm module in two, so that a page fetches first what most runs need, and the rest when it is called.
//
//   node split.mjs count NAMED OUT            a module that notes which of its functions ran, in exported globals
//   node split.mjs split NAMED RAN FIRST REST
//
// NAMED is a module with its name section, RAN a JSON list of the functions to keep in FIRST. There, a function of the
// rest is a stub: it calls `needRest`, which crates/web/src/rest.rs exports, and then what REST has put into a table of
// their own. REST imports memory, tables, globals and functions from FIRST. The name of the table has a hash of NAMED,
// so that two files of different versions are never joined.
//
// Binaryen's wasm-split does the same, but no package of npm has it; binaryen.js has all that it is made of.

import { createHash } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import binaryen from 'binaryen';
import { sizesOf } from './functions.mjs';

/** The bytes of a function that weighs less than its stub, and what goes with that. */
const TINY = 48;

/** The bytes of a function that is kept if it may be called by address, as when a promise settles late. */
const SMALL = 200;
const BY_ADDRESS = /\{\{closure\}\}|WasmClosure/;

const { Features, none, i32 } = binaryen;
const FEATURES =
  Features.SIMD128 |
  Features.BulkMemory |
  Features.BulkMemoryOpt |
  Features.NontrappingFPToInt |
  Features.SignExt |
  Features.MutableGlobals |
  Features.ReferenceTypes |
  Features.Multivalue |
  Features.CallIndirectOverlong;

binaryen.setDebugInfo(true);
const [command, named, ...files] = process.argv.slice(2);
const bytes = readFileSync(named);
if (command === 'count') count(...files);
else split(...files);

function count(out) {
  const module = read();
  functionsOf(module).forEach(({ name, body, results, imported }, at) => {
    if (imported) return;
    const global = `ran${at}`;
    module.addGlobal(global, i32, true, module.i32.const(0));
    module.addGlobalExport(global, `ran:${name}`);
    const note = module.global.set(global, module.i32.const(1));
    binaryen.Function.setBody(module.getFunction(name), module.block(null, [note, body], results));
  });
  write(module, out);
}

function split(ran, firstOut, restOut) {
  const keep = kept(JSON.parse(readFileSync(ran, 'utf8')));
  const functions = functionsOf(read());
  const later = functions.filter(({ name, imported }) => !imported && !keep.has(name));
  const places = new Map(later.map(({ name }, place) => [name, place]));
  const shared = functions.filter(({ name }) => !places.has(name));
  const table = `rest-${createHash('sha256').update(bytes).digest('hex').slice(0, 16)}`;

  const rest = makeRest(later, shared, table);
  rest.runPasses(['remove-unused-module-elements']);
  const used = new Set(functionsOf(rest).flatMap(({ imported, name }) => (imported ? [name] : [])));
  write(
    makeFirst(
      later,
      shared.filter(({ name }) => used.has(name)),
      table,
    ),
    firstOut,
  );
  write(rest, restOut);
}

/** The functions to keep if these ran. */
function kept(ran) {
  const small = sizesOf(bytes).functions.filter(({ name, size }) => size <= (BY_ADDRESS.test(name) ? SMALL : TINY));
  return new Set([...ran, ...small.map(({ name }) => name)]);
}

function makeFirst(later, exported, table) {
  const first = read();
  const { value: need } = binaryen.getExportInfo(first.getExport('needRest'));
  first.addTable(table, later.length, later.length);
  later.forEach(({ name, params, results }, place) => {
    const given = binaryen.expandType(params).map((type, at) => first.local.get(at, type));
    const call = first.call_indirect(table, first.i32.const(place), given, params, results);
    first.removeFunction(name);
    first.addFunction(name, params, results, [], first.block(null, [first.call(need, [], none), call], results));
  });
  for (const { name, id } of exported) first.addFunctionExport(name, id);
  for (const [at, { name }] of globalsOf(first).entries()) first.addGlobalExport(name, `g${at}`);
  for (const [at, { name }] of tablesOf(first).entries()) first.addTableExport(name, name === table ? table : `t${at}`);
  return first;
}

function makeRest(later, shared, table) {
  const rest = read();
  for (const { name } of exportsOf(rest)) rest.removeExport(name);
  // What initializes memory and tables is the first part's.
  for (const name of segmentsOf(rest)) rest.removeElementSegment(name);
  const { initial, max } = rest.getMemoryInfo();
  rest.setMemory(initial, max ?? -1, null, []);
  rest.addMemoryImport('0', 'first', 'memory');
  for (const [at, { name, type, mutable }] of globalsOf(rest).entries()) {
    rest.removeGlobal(name);
    rest.addGlobalImport(name, 'first', `g${at}`, type, mutable);
  }
  for (const [at, { name }] of tablesOf(rest).entries()) rest.addTableImport(name, 'first', `t${at}`);
  for (const { name, id, params, results } of shared) {
    rest.removeFunction(name);
    rest.addFunctionImport(name, 'first', id, params, results);
  }
  rest.addTable(table, later.length, later.length);
  rest.addTableImport(table, 'first', table);
  const names = later.map(({ name }) => name);
  rest.addActiveElementSegment(table, table, names, rest.i32.const(0));
  return rest;
}

function read() {
  const module = binaryen.readBinary(bytes);
  module.setFeatures(FEATURES);
  return module;
}

function write(module, path) {
  if (!module.validate()) throw new Error(`${path} would not be valid`);
  writeFileSync(path, module.emitBinary());
}

/** The functions, each with a short name that no export of the compiler's has. */
function functionsOf(module) {
  const infos = Array.from({ length: module.getNumFunctions() }, (_, at) =>
    binaryen.getFunctionInfo(module.getFunctionByIndex(at)),
  );
  return infos.map((info, at) => ({ ...info, imported: info.module !== '', id: `f${at.toString(36)}` }));
}

function exportsOf(module) {
  return Array.from({ length: module.getNumExports() }, (_, at) => binaryen.getExportInfo(module.getExportByIndex(at)));
}

function globalsOf(module) {
  return Array.from({ length: module.getNumGlobals() }, (_, at) => binaryen.getGlobalInfo(module.getGlobalByIndex(at)));
}

function tablesOf(module) {
  return Array.from({ length: module.getNumTables() }, (_, at) => binaryen.getTableInfo(module.getTableByIndex(at)));
}

function segmentsOf(module) {
  return Array.from(
    { length: module.getNumElementSegments() },
    (_, at) => binaryen.getElementSegmentInfo(module.getElementSegmentByIndex(at)).name,
  );
}
