// What the benchmarks in Chromium share: the browser, and the built demo in it.

import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { listen } from '../tests/static-server.mjs';
import { ROOT } from './command.mjs';

const SITE = join(ROOT, 'target/site');

const { chromium } = createRequire(join(ROOT, 'tests/e2e/package.json'))('playwright-core');

/** Starts Chromium, with further arguments. */
export function launch(...args) {
  const executablePath = process.env.CHROMIUM ?? '/usr/bin/chromium';
  return chromium.launch({ executablePath, args: ['--no-sandbox', ...args] });
}

/** How often to measure, by the first argument. Ends the process where that is no number, or the demo is not built. */
export function runsOf(bench, otherwise) {
  const runs = Number(process.argv[2] ?? otherwise);
  if (runs >= 1 && existsSync(join(SITE, 'site.ibid'))) return runs;
  console.error(`usage: ./build.sh setup && node benches/${bench}/bench.mjs [RUNS]`);
  process.exit(2);
}

/** Opens the demo, and closes it when all is measured. */
export async function onDemo(measure) {
  const { url, close } = await listen(SITE);
  const browser = await launch();
  try {
    const page = await browser.newPage();
    await page.goto(url);
    await measure(page, `${browser.browserType().name()} ${browser.version()}`);
  } finally {
    await browser.close();
    close();
  }
}
