// Asks 120 questions of readers without a model, twenty of each of six documentation trees (`questions.jsonl`). Four of the
// twenty have no answer in their tree, though it is about such things. A quote is right if the expressions of its question
// match, which say what a strict reader needs. Every other question may be looked at while rules are chosen.
//
//   ./build.sh setup && node benches/ask/quotes.mjs [TREE …] [-v]
//
// Without names all trees are indexed, which takes some ten minutes. `-v` prints what was wrong among the questions that may be
// looked at.

import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { halves, ibid, rows, unpack, workFolder } from '../command.mjs';

const { values, positionals } = parseArgs({ options: { v: { type: 'boolean', short: 'v' } }, allowPositionals: true });
const questions = rows(new URL('questions.jsonl', import.meta.url));
const trees = positionals.length > 0 ? positionals : [...new Set(questions.map(({ tree }) => tree))];

const work = workFolder();
const told = [];
for (const tree of trees) {
  unpack(tree, work);
  ibid('build', join(work, tree), '-o', join(work, `${tree}.ibid`));
  for (const question of questions.filter((question) => question.tree === tree)) told.push(ask(question));
}

console.log('| questions | right | wrong | refused | without answer, refused |\n| --- | ---: | ---: | ---: | ---: |');
const parts = halves(told);
for (const [name, those] of parts) {
  const [answered, none] = [those.filter(({ kind }) => kind !== 'none'), those.filter(({ kind }) => kind === 'none')];
  const count = (verdict) => answered.filter((one) => one.verdict === verdict).length;
  const refused = `${none.filter(({ verdict }) => verdict === 'refused').length} of ${none.length}`;
  console.log(
    `| ${name} | ${count('right')} of ${answered.length} | ${count('wrong')} | ${count('refused')} | ${refused} |`,
  );
}
for (const { tree, question, kind, verdict, said } of values.v ? parts[0][1] : []) {
  if (verdict !== (kind === 'none' ? 'refused' : 'right')) {
    console.log(`\n${tree}, ${kind}, ${verdict}: ${question}\n${said}`);
  }
}

/** A question with its answer, and what a strict reader makes of that. */
function ask(question) {
  const said = ibid('ask', join(work, `${question.tree}.ibid`), question.question, '--json');
  const { text, answerable } = JSON.parse(said);
  const flat = text.replace(/\s+/g, ' ');
  const isRight = question.answer.length > 0 && question.answer.every((wanted) => new RegExp(wanted, 'i').test(flat));
  const verdict = !answerable ? 'refused' : isRight ? 'right' : 'wrong';
  return { ...question, verdict, said: text };
}
