/** The packed package, installed for an app, and what such an app has to do in a browser. */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdirSync, readdirSync, rmSync, symlinkSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { build } from 'esbuild';
import { listen } from '../static-server.mjs';

export const HERE = fileURLToPath(new URL('.', import.meta.url));
export const ROOT = join(HERE, '../..');
export const APP = join(HERE, 'app');
/** The packages as `./build.sh pack` makes them. */
export const PACKAGES = join(ROOT, 'target/packages');
/** The folder of a test's own files, the index `tea.ibid` in `public` among them. */
export const WORK = join(ROOT, 'target/packaging');
export const PUBLIC = join(WORK, 'public');
const { chromium } = createRequire(join(ROOT, 'tests/e2e/package.json'))('playwright-core');

export function run(command, args, cwd = HERE) {
  return execFileSync(command, args, { cwd, encoding: 'utf8', stdio: ['ignore', 'pipe', 'inherit'] });
}

/** Puts the packed package and its program where `folder` finds them. Returns the package's place there. */
export function install(folder) {
  const installed = join(folder, 'node_modules/ibid');
  // It is of an earlier package, which had the same version.
  rmSync(installed, { recursive: true, force: true });
  for (const made of [installed, PUBLIC]) mkdirSync(made, { recursive: true });
  run('tar', ['-xzf', packed(/^ibid-\d.*\.tgz$/), '--strip-components', '1', '-C', installed]);
  const scope = join(folder, 'node_modules/@ibid');
  rmSync(scope, { recursive: true, force: true });
  symlinkSync(packed(/^@ibid$/), scope);
  const command = [join(installed, 'bin/ibid.mjs'), 'build', 'tea.md', '--encoder', 'table'];
  run(process.execPath, [...command, '-o', join(PUBLIC, 'tea.ibid')], APP);
  return installed;
}

/** The one package of that name. */
export function packed(name) {
  const [found] = readdirSync(PACKAGES).filter((file) => name.test(file));
  return join(PACKAGES, found);
}

const FOUND = {
  texts: [
    'Green tea is steeped at 80 degrees.',
    'Coffee is ground fine for an espresso.',
    'Cocoa is stirred with cold milk first.',
  ],
  mode: 'extractive',
  answered: true,
};

/** Opens pages in Chromium. */
export class Chromium {
  #browser;

  static async start() {
    const chosen = new Chromium();
    chosen.#browser = await chromium.launch({
      executablePath:
        process.env.CHROMIUM ?? run('sh', ['-c', 'command -v chromium || command -v google-chrome']).trim(),
      chromiumSandbox: process.getuid?.() !== 0,
      args: [
        ...['--disable-gpu', '--disable-background-networking', '--disable-component-update'],
        '--disable-dev-shm-usage',
      ],
    });
    return chosen;
  }

  /** Visits a page, which must complain of nothing. `use` gets it, and what it writes to the console. */
  async visit(address, use) {
    const page = await this.#browser.newPage();
    const complaints = [];
    const said = [];
    page.on('pageerror', ({ message }) => complaints.push(message));
    page.on('console', (line) => (['error', 'warning'].includes(line.type()) ? complaints : said).push(line.text()));
    try {
      await page.goto(address);
      await use(page, said);
      assert.deepEqual(complaints, []);
    } finally {
      await page.close();
    }
  }

  /** Has the page do everything: it searches, adds documents in two workers, answers, and complains of nothing. */
  async works(address) {
    await this.visit(address, async (page) => {
      let workers = 0;
      page.on('worker', () => (workers += 1));
      await page.waitForFunction(() => globalThis.tryOut !== undefined);
      assert.deepEqual(await page.evaluate(() => globalThis.tryOut()), FOUND);
      assert.equal(workers, 2, 'workers that were started');
    });
  }

  async close() {
    await this.#browser.close();
  }
}

/** Has the page do the same in Firefox. */
export async function worksInFirefox(address) {
  const outfile = join(WORK, 'firefox.mjs');
  await build({ entryPoints: [join(ROOT, 'tests/e2e/firefox.ts')], outfile, platform: 'node', format: 'esm' });
  const { Firefox } = await import(pathToFileURL(outfile).href);
  const firefox = await Firefox.start();
  try {
    await firefox.goto(address);
    const found = await firefox.evaluate(async () => {
      while (globalThis.tryOut === undefined) await new Promise((resolve) => setTimeout(resolve, 50));
      return await globalThis.tryOut();
    }, null);
    assert.deepEqual(found, FOUND);
  } finally {
    await firefox.close();
  }
}

/** Serves a folder while a test uses it. */
export async function served(folder, use) {
  const { url, close } = await listen(folder);
  try {
    await use(url);
  } finally {
    close();
  }
}
