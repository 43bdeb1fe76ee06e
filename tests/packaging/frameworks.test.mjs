/** The packed package in frameworks, built as they are by default and tried in Chromium, and under runtimes of servers. */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { cpSync, existsSync, rmSync } from 'node:fs';
import { arch, platform } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { Chromium, HERE, install, PUBLIC, served } from './harness.mjs';

const FRAMEWORKS = join(HERE, 'frameworks');
const bin = (name) => join(FRAMEWORKS, 'node_modules/.bin', name);

let browser;
before(async () => {
  install(FRAMEWORKS);
  // The app's own files lie outside of that folder, and find the package from where they are.
  install(HERE);
  browser = await Chromium.start();
});
after(() => browser?.close());

/** Runs a framework's command in its app's folder, and tries what it has written. */
async function builds(app, command, args, output) {
  const cwd = join(FRAMEWORKS, app);
  const out = join(cwd, output);
  rmSync(out, { recursive: true, force: true });
  const env = { ...process.env, NEXT_TELEMETRY_DISABLED: '1', CI: '1' };
  delete env.NODE_ENV;
  execFileSync(bin(command), args, { cwd, env, stdio: ['ignore', 'ignore', 'inherit'] });
  cpSync(PUBLIC, out, { recursive: true });
  await served(out, (url) => browser.works(url));
}

test('a page that Next exports searches, adds and answers', () => builds('next', 'next', ['build'], 'dist'));

test('a page that SvelteKit prerenders does so too', () => builds('kit', 'vite', ['build'], 'dist'));

test('a page that Parcel builds does so too', () =>
  builds('parcel', 'parcel', ['build', 'index.html', '--dist-dir', 'dist', '--no-cache', '--no-source-maps'], 'dist'));

const modules = join(FRAMEWORKS, 'node_modules');
for (const [name, command, ...args] of [
  ['this Node.js', process.execPath],
  ['Node.js 22', join(modules, 'node22/bin/node')],
  ['Bun', join(modules, `@oven/bun-${platform()}-${arch()}/bin/bun`)],
  ['Deno', join(modules, `@deno/${platform()}-${arch()}-glibc/deno`), 'run', '--allow-read', '--allow-env'],
]) {
  const skip = existsSync(command) ? false : `${name} has no package for this system`;
  test(`${name} opens an index by its path, searches, answers and adds`, { skip }, () => {
    const script = [join(FRAMEWORKS, 'runtime.mjs'), join(PUBLIC, 'tea.ibid')];
    assert.equal(execFileSync(command, [...args, ...script], { encoding: 'utf8' }).trim(), 'works');
  });
}
