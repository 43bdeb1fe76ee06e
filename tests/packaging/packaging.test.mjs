/**
 * The package as `npm pack` makes it, under bundlers as they are by default, in Chromium: a page that searches, adds
 * documents in a worker, and answers. What is packed is the built package, pkg/dist.
 */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdirSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { after, before, beforeEach, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { build as buildAstro } from 'astro';
import { publint } from 'publint';
import { listen } from '../../pkg/dist/node/static-server.js';
import * as bundlers from './bundlers.mjs';

const HERE = fileURLToPath(new URL('.', import.meta.url));
const ROOT = join(HERE, '../..');
const WORK = join(ROOT, 'target/packaging');
const INSTALLED = join(HERE, 'node_modules/ibid');
const APP = join(HERE, 'app');
const { chromium } = createRequire(join(ROOT, 'tests/e2e/package.json'))('playwright-core');

process.env.ASTRO_TELEMETRY_DISABLED = '1';
/** Nothing here changes how a bundler treats a package. */
const settings = (name) => ({
  configFile: false,
  root: APP,
  publicDir: join(WORK, 'public'),
  logLevel: 'warn',
  cacheDir: join(WORK, 'cache', name),
  build: { outDir: join(WORK, name), emptyOutDir: true },
});

// Each bundler leaves its own behind, which the next one in this process would obey.
beforeEach(() => delete process.env.NODE_ENV);

let browser;
before(async () => {
  rmSync(WORK, { recursive: true, force: true });
  // It is of an earlier package, which had the same version.
  rmSync(INSTALLED, { recursive: true, force: true });
  for (const folder of [INSTALLED, join(WORK, 'public')]) mkdirSync(folder, { recursive: true });
  run('npm', ['pack', '--silent', '--pack-destination', WORK], join(ROOT, 'pkg'));
  const [packed] = readdirSync(WORK).filter((name) => name.endsWith('.tgz'));
  run('tar', ['-xzf', join(WORK, packed), '--strip-components', '1', '-C', INSTALLED]);
  run(
    process.execPath,
    [join(INSTALLED, 'bin/ibid.mjs'), 'build', 'tea.md', '--encoder', 'table', '-o', join(WORK, 'public/tea.ibid')],
    APP,
  );
  browser = await chromium.launch({
    executablePath: process.env.CHROMIUM ?? run('sh', ['-c', 'command -v chromium || command -v google-chrome']).trim(),
    chromiumSandbox: process.getuid?.() !== 0,
    args: ['--disable-gpu', '--disable-background-networking', '--disable-component-update', '--disable-dev-shm-usage'],
  });
});
after(() => browser?.close());

function run(command, args, cwd = HERE) {
  return execFileSync(command, args, { cwd, encoding: 'utf8', stdio: ['ignore', 'pipe', 'inherit'] });
}

/** Opens the page and has it do everything. */
async function works(address) {
  const page = await browser.newPage();
  let workers = 0;
  const complaints = [];
  page.on('worker', () => (workers += 1));
  page.on('pageerror', ({ message }) => complaints.push(message));
  page.on('console', (line) => ['error', 'warning'].includes(line.type()) && complaints.push(line.text()));
  try {
    await page.goto(address);
    await page.waitForFunction(() => globalThis.tryOut !== undefined);
    const outcome = await page.evaluate(() => globalThis.tryOut());
    assert.deepEqual(outcome, {
      texts: [
        'Green tea is steeped at 80 degrees.',
        'Coffee is ground fine for an espresso.',
        'Cocoa is stirred with cold milk first.',
      ],
      mode: 'extractive',
      answered: true,
    });
    assert.equal(workers, 2, 'workers that were started');
    assert.deepEqual(complaints, []);
  } finally {
    await page.close();
  }
}

/** The same of files that a bundler has written. */
async function builtWorks(folder) {
  const { server, url } = await listen(folder);
  try {
    await works(url);
  } finally {
    server.closeAllConnections();
    server.close();
  }
}

for (const version of ['vite5', 'vite', 'vite7', 'vite8']) {
  test(`an app that ${version} builds searches, adds and answers`, async () => {
    const { build } = await import(version);
    await build(settings(version));
    await builtWorks(join(WORK, version));
  });

  test(`so does one on the server of ${version} for development`, async () => {
    const { createServer } = await import(version);
    const server = await createServer({ ...settings(`${version}-dev`), server: { host: '127.0.0.1', port: 0 } });
    try {
      await server.listen();
      await works(server.resolvedUrls.local[0]);
    } finally {
      await server.close();
    }
  });
}

for (const [name, bundle] of Object.entries(bundlers)) {
  test(`an app by ${name} does so too`, async () => {
    const out = join(WORK, name);
    await bundle({ app: APP, out, publicDir: join(WORK, 'public'), command: join(INSTALLED, 'bin/ibid.mjs') });
    await builtWorks(out);
  });
}

test('its description has no mistake that publint knows', async () => {
  const { messages } = await publint({ pkgDir: INSTALLED, strict: true, pack: false });
  assert.deepEqual(messages, []);
});

for (const [module, moduleResolution] of [
  ['esnext', 'bundler'],
  ['nodenext', 'nodenext'],
]) {
  test(`its types are read by TypeScript 5.4 as they are, with ${moduleResolution}`, () => {
    const tsc = join(HERE, 'node_modules/typescript5.4/bin/tsc');
    run(process.execPath, [tsc, '-p', APP, '--module', module, '--moduleResolution', moduleResolution]);
  });
}

test('a site that Astro builds does so too', async () => {
  const outDir = join(WORK, 'astro');
  await buildAstro({
    configFile: false,
    root: join(HERE, 'astro'),
    publicDir: join(WORK, 'public'),
    outDir,
    cacheDir: join(WORK, 'astro-cache'),
    logLevel: 'warn',
  });
  await builtWorks(outDir);
});

test('every module that can be imported is one for bundlers in development too', () => {
  const { exports } = JSON.parse(readFileSync(join(INSTALLED, 'package.json'), 'utf8'));
  for (const [name, { development, default: built }] of Object.entries(exports)) {
    if (built === undefined) continue;
    const code = readFileSync(join(INSTALLED, development), 'utf8');
    assert.ok(code.includes(`'../${built.slice(2)}'`), `${name}: ${development}`);
  }
});
