/** The way from nothing to a search by npm: the packages, installed without a network, and the program that they start. */
import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import { chmodSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { Chromium, packed, run, served } from './harness.mjs';

const page = (title, body) =>
  `<!doctype html><html lang="en"><head><meta charset="utf-8"><title>${title}</title><link rel="icon" href="data:,">` +
  `</head><body><header></header><main><h1>${title}</h1>${body}</main></body></html>`;
const PAGES = {
  'index.html': page('Drinks', '<p>This site tells how drinks are made.</p>'),
  'tea.html': page(
    'Tea',
    '<h2 id="green-tea">Green tea</h2><p>Green tea is steeped at 80 degrees for two minutes.</p>',
  ),
  'coffee.html': page('Coffee', '<h2 id="espresso">Espresso</h2><p>Coffee is ground fine for an espresso.</p>'),
};

let folder;
const ibid = (...args) =>
  spawnSync(process.execPath, ['node_modules/ibid/bin/ibid.mjs', ...args], { cwd: folder, encoding: 'utf8' });
before(() => {
  folder = mkdtempSync(join(tmpdir(), 'ibid-npm-'));
  for (const name of ['_site', 'empty']) mkdirSync(join(folder, name));
  for (const [name, text] of Object.entries(PAGES)) writeFileSync(join(folder, '_site', name), text);
  writeFileSync(join(folder, 'package.json'), '{ "private": true }');
  const packages = [/^ibid-\d.*\.tgz$/, /^ibid-cli-.*\.tgz$/].map(packed);
  run('npm', ['install', '--offline', '--silent', '--no-audit', '--no-fund', ...packages], folder);
});
after(() => rmSync(folder, { recursive: true }));

test('`npx ibid site` adds a search to a site', async () => {
  run('npx', ['--no-install', 'ibid', 'site', '_site'], folder);
  const browser = await Chromium.start();
  try {
    await served(join(folder, '_site'), (url) =>
      browser.visit(url, async (page) => {
        await page.keyboard.press('Control+k');
        await page.getByRole('combobox').fill('how hot is green tea');
        await page.getByRole('option').first().click();
        await page.waitForURL(/\/tea\.html#green-tea/);
      }),
    );
  } finally {
    await browser.close();
  }
});

test('a plug-in gets the error that the program tells', () => {
  const script = `import { addSearch } from 'ibid/site';
    await addSearch('empty', { answers: true, attributes: { model: 'gpt-5-mini' } }).catch((error) =>
      console.log(JSON.stringify({ ...error, name: error.name, message: error.message })));`;
  const told = JSON.parse(run(process.execPath, ['--input-type=module', '-e', script], folder));
  assert.deepEqual([told.name, told.code], ['IbidError', 'invalid-option']);
  assert.match(told.message, /no page.*empty|empty.*no page/);
  assert.match(told.hint, /_site/);
});

test('the exit code and the signal are those of the program', async () => {
  assert.equal(ibid('--version').status, 0);
  assert.equal(ibid('nonsense').status, 2);
  const launcher = spawn(process.execPath, ['node_modules/ibid/bin/ibid.mjs', 'serve', '_site', '--port', '0'], {
    cwd: folder,
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  const ended = new Promise((resolve) => launcher.on('exit', (...how) => resolve(how)));
  const address = await new Promise((resolve) => launcher.stdout.once('data', (line) => resolve(String(line).trim())));
  assert.equal((await fetch(address)).status, 200);
  launcher.kill('SIGTERM');
  assert.deepEqual(await ended, [null, 'SIGTERM']);
  await assert.rejects(fetch(address));
});

test('a program that cannot be started is an error of the launcher and of a plug-in', () => {
  const [name] = readdirSync(join(folder, 'node_modules/@ibid'));
  chmodSync(join(folder, 'node_modules/@ibid', name, 'bin/ibid'), 0o644);
  const { status, stderr } = ibid('--version');
  assert.equal(status, 1);
  assert.match(
    stderr,
    /^error: `\S+` cannot be started: .* \[io\]\n {2}hint: Install `ibid` again, on this machine\.\n$/,
  );
  const script = `import { addSearch } from 'ibid/site';
    await addSearch('_site').catch(({ code }) => console.log(code));`;
  assert.equal(run(process.execPath, ['--input-type=module', '-e', script], folder).trim(), 'io');
});

test('where the program is missing one message says what to do', () => {
  rmSync(join(folder, 'node_modules/@ibid'), { recursive: true });
  const { status, stdout, stderr } = ibid('site', '_site');
  assert.deepEqual([status, stdout], [1, '']);
  assert.match(
    stderr,
    /^error: The package `@ibid\/cli-\S+` is missing.* \[io\]\n {2}hint: `npm install --include=optional`.*\n$/,
  );
});
