// Measures the first search on the demo: the bytes and requests from its address to the first hits.
//
//   ./build.sh build && node benches/demo/bench.mjs [QUESTION]...
//
// Each question has a browser with an empty cache, and is put into the box as soon as the page is there. ../wire.mjs says
// what is counted: the page itself, what it loads when it is idle, and the search. What is fetched ahead comes after the
// hits, but may begin while they are drawn: so the least of three visits is told.

import { join } from 'node:path';
import { launch, ROOT } from '../chromium.mjs';
import { serveCounted } from '../wire.mjs';

const QUESTIONS = [
  'child tugging at the ear',
  'how do I rotate keys',
  'filter by metadata',
  'dose of amoxicillin',
  'deploy to a static host',
  'queries in german',
];
const SHOWN = '/shown';
const VISITS = 3;
const given = process.argv.slice(2);
const questions = given.length > 0 ? given : QUESTIONS;

let isShown = false;
const server = await serveCounted(join(ROOT, 'target/site'), (url) => {
  isShown ||= url === SHOWN;
  return isShown ? undefined : 'demo';
});
const browser = await launch();
console.log(`Chromium ${browser.version()}\n`);
console.log('| question | KB | requests |\n| --- | --- | --- |');
let sum = 0;
try {
  for (const question of questions) {
    const visits = [];
    for (let at = 0; at < VISITS; at += 1) visits.push(await visit(question));
    const { bytes, requests } = visits.reduce((least, other) => (other.bytes < least.bytes ? other : least));
    sum += bytes;
    console.log(`| ${question} | ${kb(bytes)} | ${requests} |`);
  }
} finally {
  await browser.close();
  server.close();
}
console.log(`\nmean ${kb(sum / questions.length)} KB`);

async function visit(question) {
  const context = await browser.newContext();
  const page = await context.newPage();
  await page.addInitScript(tellFirstHit, SHOWN);
  isShown = false;
  server.begin();
  await page.goto(`${server.origin}/`);
  await page.locator('ibid-search').getByRole('combobox').fill(question);
  await page.locator('ibid-search').getByRole('option').first().waitFor();
  await context.close();
  return server.fetched();
}

/** In the page: asks the server for an address when the first hit is shown. */
function tellFirstHit(address) {
  const look = () => {
    const hit = document.querySelector('ibid-search')?.shadowRoot?.querySelector('[role="option"]');
    if (hit) fetch(address);
    else setTimeout(look);
  };
  addEventListener('DOMContentLoaded', look);
}

function kb(bytes) {
  return Math.round(bytes / 1000);
}
