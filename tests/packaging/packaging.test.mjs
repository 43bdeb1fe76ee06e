/**
 * The package as `npm pack` makes it, under bundlers as they are by default, in Chromium: a page that searches, adds
 * documents in a worker, and answers. What is packed is the built package, pkg/dist.
 */
import assert from 'node:assert/strict';
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, beforeEach, test } from 'node:test';
import { build as buildAstro } from 'astro';
import { listen, siteServer } from '../static-server.mjs';
import { esbuild, none, pageOf, rollup, webpack } from './bundlers.mjs';
import { APP, Chromium, HERE, install, PUBLIC, run, served, WORK, worksInFirefox } from './harness.mjs';

process.env.ASTRO_TELEMETRY_DISABLED = '1';
/** Nothing here changes how a bundler treats a package. */
const settings = (name) => ({
  configFile: false,
  root: APP,
  publicDir: PUBLIC,
  logLevel: 'warn',
  cacheDir: join(WORK, 'cache', name),
  build: { outDir: join(WORK, name), emptyOutDir: true },
});

// Each bundler leaves its own behind, which the next one in this process would obey.
beforeEach(() => delete process.env.NODE_ENV);

let browser;
let installed;
before(async () => {
  rmSync(WORK, { recursive: true, force: true });
  installed = install(HERE);
  browser = await Chromium.start();
});
after(() => browser?.close());

/** Tries a bundler's output in Chromium, and in Firefox where that is asked for. */
const builtWorks = (folder, inFirefox = false) =>
  served(folder, async (url) => {
    await browser.works(url);
    if (inFirefox) await worksInFirefox(url);
  });

/** The bundlers whose output is tried in Firefox as well. */
const IN_FIREFOX = ['vite8', 'webpack', 'none'];

/** One bundler of each kind, or with `./build.sh test --all` each that is used. */
const all = Boolean(process.env.IBID_TEST_ALL);
const others = { skip: all ? false : 'runs with ./build.sh test --all' };

for (const version of all ? ['vite5', 'vite', 'vite7', 'vite8'] : ['vite8']) {
  test(`an app that ${version} builds searches, adds and answers`, async () => {
    const { build } = await import(version);
    await build(settings(version));
    await builtWorks(join(WORK, version), IN_FIREFOX.includes(version));
  });

  test(`so does one on the server of ${version} for development`, async () => {
    const { createServer } = await import(version);
    const server = await createServer({ ...settings(`${version}-dev`), server: { host: '127.0.0.1', port: 0 } });
    try {
      await server.listen();
      await browser.works(server.resolvedUrls.local[0]);
    } finally {
      await server.close();
    }
  });
}

for (const [name, bundle] of Object.entries(all ? { webpack, esbuild, rollup, none } : { webpack, esbuild })) {
  test(`an app by ${name} does so too`, async () => {
    const out = join(WORK, name);
    await bundle({ app: APP, out, publicDir: PUBLIC, command: join(installed, 'bin/ibid.mjs') });
    await builtWorks(out, IN_FIREFOX.includes(name));
  });
}

test('a page may have the package from another origin', async () => {
  const [page, files] = [join(WORK, 'page'), join(WORK, 'cdn')];
  await none({ app: APP, out: page, publicDir: PUBLIC, command: join(installed, 'bin/ibid.mjs'), files });
  const cdn = siteServer(files);
  const { origin, close } = await listen((request, response) => {
    response.setHeader('access-control-allow-origin', '*');
    response.setHeader('access-control-expose-headers', 'content-range, etag');
    cdn.emit('request', request, response);
  });
  try {
    pageOf(page, origin);
    await builtWorks(page, true);
  } finally {
    close();
  }
});

test('a worker of the page may have the library in it', async () => {
  const out = join(WORK, 'inside');
  await none({ app: APP, out, publicDir: PUBLIC, command: join(installed, 'bin/ibid.mjs') });
  const inside = `import { Ibid } from '/ibid/index.js';
    const ibid = await Ibid.load({ index: '/tea.ibid' });
    const { text } = await ibid.ask('How hot is green tea steeped?');
    postMessage([(await ibid.search('how hot is green tea'))[0].text, text]);`;
  writeFileSync(join(out, 'inside.js'), inside);
  await served(out, (url) =>
    browser.visit(url, async (page) => {
      const said = await page.evaluate(
        () =>
          new Promise((resolve, reject) => {
            const worker = new Worker('/inside.js', { type: 'module' });
            worker.onmessage = ({ data }) => resolve(data);
            worker.onerror = ({ message }) => reject(new Error(message));
          }),
      );
      assert.equal(said[0], 'Green tea is steeped at 80 degrees.');
      assert.ok(said[1].includes('80 degrees'));
    }),
  );
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

test('a site that Astro builds does so too', others, async () => {
  const outDir = join(WORK, 'astro');
  await buildAstro({
    configFile: false,
    root: join(HERE, 'astro'),
    publicDir: PUBLIC,
    outDir,
    cacheDir: join(WORK, 'astro-cache'),
    logLevel: 'warn',
  });
  await builtWorks(outDir);
});

test('every module that can be imported is one for bundlers in development too', () => {
  const { exports } = JSON.parse(readFileSync(join(installed, 'package.json'), 'utf8'));
  for (const [name, { development, default: built }] of Object.entries(exports)) {
    // Generators run under Node alone.
    if (built === undefined || name === './site') continue;
    const code = readFileSync(join(installed, development), 'utf8');
    assert.ok(code.includes(`'../${built.slice(2)}'`), `${name}: ${development}`);
  }
});

test('bundlers that read no exports find the same modules by another way', () => {
  const { exports, alias } = JSON.parse(readFileSync(join(installed, 'package.json'), 'utf8'));
  const named = Object.entries(exports).flatMap(([name, { default: built }]) => (built ? [[name, built]] : []));
  assert.deepEqual(alias, Object.fromEntries(named.filter(([name]) => name !== '.' && name !== './site')));
});
