import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT } from '../documents.js';
import { NEWCOMER } from '../newcomer.js';
import { expect, test } from './harness.js';

// The demo's index, asked what somebody asks who has never seen ibid. How many are answered, and which not, is printed.

test('questions of newcomers lead to their pages, and most are answered without a model', async ({ ibid }) => {
  const missed: string[] = [];
  const unanswered: string[] = [];
  for (const { question, pages, says } of NEWCOMER) {
    const found = await ibid.query(question, { groupBy: 'page', limit: 3 });
    const names = (found.pages ?? []).map(({ documentId }) => documentId);
    if (!names.some((name) => pages.includes(name.replace(/^docs\//, ''))))
      missed.push(`${question} ${names.join(', ')}`);
    const { text } = await ibid.ask(question);
    if (!says.test(text)) unanswered.push(`${question} ${text.slice(0, 120)}`);
  }
  process.stdout.write(`missed:\n${missed.join('\n')}\nunanswered:\n${unanswered.join('\n')}\n`);
  expect(missed.length, missed.join('\n')).toBeLessThanOrEqual(4);
  expect(unanswered.length, unanswered.join('\n')).toBeLessThanOrEqual(10);
});

test('each guide is found by its title and by its description', async ({ ibid }) => {
  const guides = readdirSync(join(ROOT, 'docs')).filter((name) => name.endsWith('.md'));
  const missed: string[] = [];
  for (const guide of guides) {
    const text = readFileSync(join(ROOT, 'docs', guide), 'utf8');
    for (const field of ['title', 'description']) {
      const asked = new RegExp(`^${field}: (.*)$`, 'm').exec(text)?.[1] ?? '';
      const { pages = [] } = await ibid.query(asked, { groupBy: 'page', limit: 3 });
      const names = pages.map(({ documentId }) => documentId);
      if (!names.includes(`docs/${guide.slice(0, -3)}`)) missed.push(`${asked}: ${names.join(', ')}`);
    }
  }
  expect(missed).toEqual([]);
});
