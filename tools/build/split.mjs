// Splits a wasm module in two, so that a page fetches first what most runs need, and the rest when it is called.
//
//   node split.mjs count NAMED OUT            a module that notes what of it ran, in exported globals
//   node split.mjs split NAMED OBJECTS RAN FIRST REST
//
// NAMED is a module with its name section, and OBJECTS has its data (objects.mjs). RAN is a JSON list of the regions of
// functions that ran (regions.mjs), each `NAME#NUMBER`. FIRST keeps the functions that were entered, but for regions that
// outline.mjs makes functions of the rest, and the data that they read (data.mjs).
// There, a function of the rest is a stub: it calls `needRest`, which crates/web/src/rest.rs exports, and then what REST has
// put into a table of their own. REST imports memory, tables, globals and functions from FIRST. The name of the table has a
// hash of NAMED and RAN, so that two files of different versions are never joined.
//
// Binaryen's wasm-split does the same, but no package of npm has it; binaryen.js has all that it is made of.

import { createHash } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import binaryen from 'binaryen';
import { parted } from './data.mjs';
import { sizesOf } from './functions.mjs';
import { outline } from './outline.mjs';
import { opened, put, regionsOf, taken } from './regions.mjs';

/** The bytes of a function that weighs less than its stub, and what goes with that. */
const TINY = 48;

/** The bytes of a function that is kept if it may be called by address, as when a promise settles late. */
const SMALL = 200;
/** The end of the name of a function's first region. */
const ENTERED = '#0';
const BY_ADDRESS = /\{\{closure\}\}|WasmClosure/;

const { Features, auto, none, i32 } = binaryen;
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
  const module = read(bytes);
  let counted = 0;
  const note = (region) => {
    const global = `ran${counted++}`;
    module.addGlobal(global, i32, true, module.i32.const(0));
    module.addGlobalExport(global, `ran:${region}`);
    return module.global.set(global, module.i32.const(1));
  };
  for (const { name, body, results, imported } of functionsOf(module)) {
    if (imported) continue;
    const noted = regionsOf(body).map((region, at) => ({ region, note: note(`${name}#${at}`) }));
    const [{ note: own }, ...inner] = noted;
    for (const { region, note } of inner.reverse()) put(region, module.block(null, [note, ...taken(region)], auto));
    binaryen.Function.setBody(module.getFunction(name), module.block(null, [own, body], results));
  }
  write(module, out);
}

function split(objectsPath, ranPath, firstOut, restOut) {
  const list = readFileSync(ranPath);
  const ran = new Set(JSON.parse(list));
  const keep = kept(ran);
  const table = `rest-${createHash('sha256').update(bytes).update(list).digest('hex').slice(0, 16)}`;
  const whole = read(bytes);
  const own = functionsOf(whole).filter(({ imported }) => !imported);
  const entered = own.filter(({ name }) => ran.has(`${name}${ENTERED}`));
  const called = own.filter(({ name }) => !keep.has(name)).map(({ name }) => name);
  const need = binaryen.getExportInfo(whole.getExport('needRest')).value;
  const cold = outline(whole, entered, { ran, table, need });
  const later = [...cold, ...called];
  whole.addTable(table, later.length, later.length);
  const outlined = emitted(whole, named);

  const joined = read(outlined);
  const functions = functionsOf(joined);
  const places = new Map(later.map((name, place) => [name, place]));
  const shared = functions.filter(({ name }) => !places.has(name));
  const bodies = shared.flatMap(({ imported, body }) => (imported ? [] : [body]));
  const isLater = (expression) => {
    const { kind, node } = opened(expression);
    return (kind === 'Call' && places.has(node.target)) || (kind === 'CallIndirect' && node.table === table);
  };
  const data = parted(joined, bodies, isLater, JSON.parse(readFileSync(objectsPath)));
  const rest = makeRest(read(outlined), later, shared, table, data.rest);
  rest.runPasses(['remove-unused-module-elements']);
  const used = new Set(functionsOf(rest).flatMap(({ imported, name }) => (imported ? [name] : [])));
  const exported = shared.filter(({ name }) => used.has(name));
  const stubs = functions
    .filter(({ name }) => places.has(name))
    .map((info) => ({ ...info, place: places.get(info.name) }));
  write(makeFirst(read(outlined), stubs, cold.length, exported, table, data.first), firstOut);
  write(rest, restOut);
}

/** The functions to keep if these ran. */
function kept(ran) {
  const small = sizesOf(bytes).functions.filter(({ name, size }) => size <= (BY_ADDRESS.test(name) ? SMALL : TINY));
  const entered = [...ran].flatMap((region) => (region.endsWith(ENTERED) ? [region.slice(0, -ENTERED.length)] : []));
  return new Set([...entered, ...small.map(({ name }) => name)]);
}

function makeFirst(first, later, cold, exported, table, data) {
  const { value: need } = binaryen.getExportInfo(first.getExport('needRest'));
  for (const { name, params, results, place } of later) {
    first.removeFunction(name);
    // The cold regions are called by their places.
    if (place < cold) continue;
    const given = binaryen.expandType(params).map((type, at) => first.local.get(at, type));
    const call = first.call_indirect(table, first.i32.const(place), given, params, results);
    first.addFunction(name, params, results, [], first.block(null, [first.call(need, [], none), call], results));
  }
  setData(first, data);
  for (const { name, id } of exported) first.addFunctionExport(name, id);
  for (const [at, { name }] of globalsOf(first).entries()) first.addGlobalExport(name, `g${at}`);
  for (const [at, { name }] of tablesOf(first).entries()) first.addTableExport(name, name === table ? table : `t${at}`);
  return first;
}

function makeRest(rest, later, shared, table, data) {
  for (const { name } of exportsOf(rest)) rest.removeExport(name);
  // What initializes tables is the first part's.
  for (const name of segmentsOf(rest)) rest.removeElementSegment(name);
  setData(rest, data);
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
  rest.addTableImport(table, 'first', table);
  rest.addActiveElementSegment(table, table, later, rest.i32.const(0));
  return rest;
}

function setData(module, segments) {
  const { initial, max } = module.getMemoryInfo();
  const made = segments.map(({ address, data }) => ({ offset: module.i32.const(address), data, passive: false }));
  module.setMemory(initial, max ?? -1, null, made);
}

function read(binary) {
  const module = binaryen.readBinary(binary);
  module.setFeatures(FEATURES);
  return module;
}

function write(module, path) {
  writeFileSync(path, emitted(module, path));
}

function emitted(module, what) {
  if (!module.validate()) throw new Error(`${what} would not be valid`);
  return module.emitBinary();
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
