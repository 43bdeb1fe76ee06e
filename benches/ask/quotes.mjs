// Asks 120 questions of readers without a model, twenty of each of six documentation trees (`questions.jsonl`). Four of the
// twenty have no answer in their tree, though it is about such things. A quote is right if the expressions of its question
// match, which say what a strict reader needs. Every other question may be looked at while rules are chosen.
//
//   ./build.sh setup && node benches/ask/quotes.mjs [TREE …] [-v]
//
// Without names all trees are indexed, which takes some ten minutes. `-v` prints what was wrong among the questions that may be
// looked at. IBID names another command.

import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';

const { values, positionals } = parseArgs({ options: { v: { type: 'boolean', short: 'v' } }, allowPositionals: true });
const ROOT = new URL('../../', import.meta.url).pathname;
const DATA = join(ROOT, '../shared/data/docs');
const IBID = process.env.IBID ?? join(ROOT, 'target/release/ibid');
const lines = readFileSync(new URL('questions.jsonl', import.meta.url), 'utf8')
  .trim()
  .split('\n');
const questions = lines.map((line, at) => ({ ...JSON.parse(line), mayBeSeen: at % 2 === 0 }));
const trees = positionals.length > 0 ? positionals : [...new Set(questions.map(({ tree }) => tree))];

const work = mkdtempSync(join(tmpdir(), 'ibid-quotes-'));
const told = [];
try {
  for (const tree of trees) {
    execFileSync('tar', ['-xzf', join(DATA, `${tree}.tar.gz`), '-C', work]);
    execFileSync(IBID, ['build', join(work, tree), '-o', join(work, `${tree}.ibid`)], { stdio: 'ignore' });
    for (const question of questions.filter((question) => question.tree === tree)) told.push(ask(question));
  }
} finally {
  rmSync(work, { recursive: true });
}

console.log('| questions | right | wrong | refused | without answer, refused |\n| --- | ---: | ---: | ---: | ---: |');
for (const [name, mayBeSeen] of [
  ['looked at', true],
  ['not looked at', false],
]) {
  const those = told.filter((one) => one.mayBeSeen === mayBeSeen);
  const [answered, none] = [those.filter(({ kind }) => kind !== 'none'), those.filter(({ kind }) => kind === 'none')];
  const count = (verdict) => answered.filter((one) => one.verdict === verdict).length;
  const refused = `${none.filter(({ verdict }) => verdict === 'refused').length} of ${none.length}`;
  console.log(
    `| ${name} | ${count('right')} of ${answered.length} | ${count('wrong')} | ${count('refused')} | ${refused} |`,
  );
}
for (const { mayBeSeen, tree, question, kind, verdict, said } of values.v ? told : []) {
  if (mayBeSeen && verdict !== (kind === 'none' ? 'refused' : 'right')) {
    console.log(`\n${tree}, ${kind}, ${verdict}: ${question}\n${said}`);
  }
}

/** A question with its answer, and what a strict reader makes of that. */
function ask(question) {
  const options = ['ask', join(work, `${question.tree}.ibid`), question.question, '--json'];
  const said = execFileSync(IBID, options, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] });
  const { text, answerable } = JSON.parse(said);
  const flat = text.replace(/\s+/g, ' ');
  const isRight = question.answer.length > 0 && question.answer.every((wanted) => new RegExp(wanted, 'i').test(flat));
  const verdict = !answerable ? 'refused' : isRight ? 'right' : 'wrong';
  return { ...question, verdict, said: text };
}
