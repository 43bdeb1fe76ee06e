// Takes out of functions what has not run: each such region becomes a function of its own, which can be fetched later.
//
// A region is handed the locals that it reads, and hands back those that it sets, and the way that it was left: by its end,
// by a break, or by a return. Compilers call this hot/cold splitting.

import binaryen from 'binaryen';
import { afterEach, has, liveBefore } from './live.mjs';
import { opened, partsOf, put, regionsOf, taken, walk } from './regions.mjs';

const { auto, none, unreachable, i32 } = binaryen;
/**
 * The bytes, about, by which a region has to be larger than its call. Smaller ones are many that some text or other runs, a
 * letter of four bytes for instance: with 60, the first file of a search was 1 % smaller, and the second 6 % larger.
 */
const GAIN = 100;
const ONE_BYTE = new Set(['Binary', 'Drop', 'Return', 'Select', 'Unary']);

/**
 * Takes regions out of functions of a module that are not among `ran`, a set of `NAME#NUMBER`. Returns the names of the
 * functions that these have become; each is called by its place among them in `table`, after a call of `need`.
 */
export function outline(module, functions, { ran, table, need }) {
  const all = [];
  for (const info of functions) outlineOf({ module, ran, table, need, all }, info);
  return all;
}

function outlineOf({ ran, all, ...shared }, info) {
  const { module } = shared;
  const { name, body, params, results } = info;
  const vars = [...info.vars];
  const types = [...binaryen.expandType(params), ...vars];
  const fn = { ...shared, results, vars, types, live: afterEach(body) };
  const cold = new Map();
  for (const [at, region] of regionsOf(body).entries()) if (!ran.has(`${name}#${at}`)) cold.set(region, []);
  const outermost = [];
  for (const region of cold.keys()) (cold.get(region.around) ?? outermost).push(region);
  const before = all.length;
  // From behind, so that the places of those before stay as they are. Where one stays, those in it may go.
  const take = (regions) => {
    for (const region of regions.toReversed()) {
      if (outlineRegion(fn, region, `${name}.cold.${all.length}`, all.length)) all.push(`${name}.cold.${all.length}`);
      else take(cold.get(region));
    }
  };
  take(outermost);
  if (all.length > before) {
    module.removeFunction(name);
    module.addFunction(name, params, results, vars, body);
  }
}

/** Makes a function of a region, unless that gains nothing. */
function outlineRegion(fn, region, name, place) {
  const parts = taken(region);
  const whole = parts.length === 1 ? parts[0] : fn.module.block(null, parts, auto);
  const plan = planOf(fn, region, whole);
  if (plan === undefined) {
    for (const part of parts.reverse()) put(region, part);
    return false;
  }
  put(region, callOf(fn, plan, place));
  addFunction(fn, plan, whole, name);
  return true;
}

/** What a region's function is handed, hands back and has to tell; `undefined` where the region stays. */
function planOf(fn, region, whole) {
  const live = fn.live.get(region.of);
  const inner = new Set();
  const targets = new Map();
  const read = new Set();
  const written = new Set();
  let bytes = 0;
  let isReturning = false;
  walk(whole, (expression) => {
    const { kind, node } = opened(expression);
    bytes += ONE_BYTE.has(kind) ? 1 : 2.5;
    if (kind === 'Block' || kind === 'Loop') inner.add(node.name);
    if (kind === 'LocalGet') read.add(node.index);
    if (kind === 'LocalSet') written.add(node.index);
    if (kind === 'Return') isReturning = true;
    if (kind === 'Break') targets.set(node.name, typeOf(node.value));
    if (kind === 'Switch')
      for (const label of [...node.names, node.defaultName]) targets.set(label, typeOf(node.value));
  });
  const type = binaryen.getExpressionType(whole);
  const exits = type === unreachable ? [] : [{ by: 'end', type }];
  for (const [label, value] of targets) if (!inner.has(label)) exits.push({ by: 'break', label, type: value });
  if (isReturning) exits.push({ by: 'return', type: fn.results });
  const values = [...new Set(exits.map((exit) => exit.type))].filter((each) => each !== none);
  const liveAt = exits.map(({ by, label }) => (by === 'end' ? live.after : live.labels.get(label)) ?? 0n);
  const after = [...written].filter((local) => liveAt.some((locals) => has(locals, local)));
  const first = liveBefore(whole, live);
  const handed = [...new Set([...read, ...after])].filter((local) => has(first, local));
  const before = handed.sort((a, b) => fn.types[a] - fn.types[b] || a - b);
  const cost = 8 + 2 * before.length + 5 * after.length + 4 * exits.length;
  if (values.length > 1 || bytes < cost + GAIN) return undefined;
  const results = [...(exits.length > 1 ? [i32] : []), ...after.map((local) => fn.types[local]), ...values];
  return { exits, before, after, value: values[0], results, locals: new Set([...before, ...read, ...written]) };
}

/** The function that a region becomes. */
function addFunction({ module, types }, { exits, before, after, value, results, locals }, whole, name) {
  const places = new Map(
    [...before, ...[...locals].filter((local) => !before.includes(local))].map((local, at) => [local, at]),
  );
  const held = places.size;
  const vars = [...places.keys()].slice(before.length).map((local) => types[local]);
  if (value !== undefined) vars.push(value);
  const left = (at) => {
    const told = exits.length > 1 ? [module.i32.const(at)] : [];
    told.push(...after.map((local) => module.local.get(places.get(local), types[local])));
    if (value !== undefined) told.push(module.local.get(held, value));
    if (told.length > 1) return module.return(module.tuple.make(told));
    return module.return(told[0]);
  };
  let body = withoutReturns(module, whole);
  walk(body, (expression) => {
    const { kind, node } = opened(expression);
    if (kind === 'LocalGet' || kind === 'LocalSet') node.index = places.get(node.index);
  });
  for (const [at, { by, label, type }] of exits.entries()) {
    // A break out of the region ends a block of that name here.
    const reached = by === 'end' ? body : module.block(by === 'return' ? RETURN : label, [body], type);
    body = module.block(null, [type === none ? reached : module.local.set(held, reached), left(at)], auto);
  }
  module.addFunction(
    name,
    binaryen.createType(before.map((local) => types[local])),
    binaryen.createType(results),
    vars,
    body,
  );
}

const RETURN = 'return';

/** An expression whose returns are breaks. */
function withoutReturns(module, expression) {
  const { kind, node } = opened(expression);
  if (kind === 'Return')
    return module.br(RETURN, undefined, node.value === 0 ? undefined : withoutReturns(module, node.value));
  for (const part of partsOf(expression)) {
    const old = part.get();
    const made = withoutReturns(module, old);
    if (made !== old) part.set(made);
  }
  return expression;
}

/** What stands in a region's place. */
function callOf({ module, table, need, types, vars }, { exits, before, after, value, results }, place) {
  const type = binaryen.createType(results);
  const operands = before.map((local) => module.local.get(local, types[local]));
  const given = binaryen.createType(before.map((local) => types[local]));
  const call = module.call_indirect(table, module.i32.const(place), operands, given, type);
  const added = (of) => {
    types.push(of);
    vars.push(of);
    return types.length - 1;
  };
  const steps = [module.call(need, [], none)];
  let parts;
  if (results.length === 0) steps.push(call);
  else if (results.length === 1) parts = [call];
  else {
    const tuple = added(type);
    steps.push(module.local.set(tuple, call));
    parts = results.map((_, at) => module.tuple.extract(module.local.get(tuple, type), at));
  }
  let next = 0;
  let way;
  if (exits.length > 1) {
    const told = added(i32);
    steps.push(module.local.set(told, parts[next++]));
    way = () => module.local.get(told, i32);
  }
  for (const local of after) steps.push(module.local.set(local, parts[next++]));
  let handed;
  if (value !== undefined) {
    const local = added(value);
    steps.push(module.local.set(local, parts[next]));
    handed = () => module.local.get(local, value);
  }
  const leave = ({ by, label, type: own }) => {
    const operand = own === none ? undefined : handed();
    if (by === 'end') return operand ?? module.nop();
    return by === 'break' ? module.br(label, undefined, operand) : module.return(operand);
  };
  for (const [at, exit] of exits.entries()) {
    if (at > 0) steps.push(module.if(module.i32.eq(way(), module.i32.const(at)), leave(exit)));
  }
  steps.push(exits.length > 0 ? leave(exits[0]) : module.unreachable());
  return module.block(null, steps, auto);
}

const typeOf = (expression) => (expression === 0 ? none : binaryen.getExpressionType(expression));
