/** The packages as they would be published: what they hold, what they say of themselves, and one version. */
import assert from 'node:assert/strict';
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { checkPackage, createPackageFromTarballData } from '@arethetypeswrong/core';
import { publint } from 'publint';
import { PACKAGES, ROOT, run } from './harness.mjs';

/** All packages of npm, and those that have modules. */
const ALL = readdirSync(PACKAGES).filter((file) => file.endsWith('.tgz'));
const MODULES = ALL.filter((file) => !/^ibid-(?:cli|model)-/.test(file));
const bytes = (file) => new Uint8Array(readFileSync(join(PACKAGES, file)));

test('no description has a mistake that publint knows', async () => {
  for (const file of ALL) {
    const { messages } = await publint({ strict: true, pack: { tarball: bytes(file).buffer } });
    assert.deepEqual(messages, [], file);
  }
});

test('types are found by every resolution that finds modules', async () => {
  for (const file of MODULES) {
    const excludeEntrypoints = [/\.wasm$/];
    const { types, problems } = await checkPackage(createPackageFromTarballData(bytes(file)), { excludeEntrypoints });
    assert.ok(types, `${file} has no types`);
    // Neither `require` before Node 22 nor what TypeScript calls node10 reads such packages.
    const found = problems.filter(({ resolutionKind }) => !['node10', 'node16-cjs'].includes(resolutionKind));
    assert.deepEqual(found, [], file);
  }
});

test('what would be published is what is meant to be', () => {
  assert.equal(MODULES.length, 4, MODULES.join());
  for (const file of MODULES) {
    const { size } = statSync(join(PACKAGES, file));
    assert.ok(size < 4_000_000, `${file}: ${size} bytes`);
    const paths = run('tar', ['-tzf', join(PACKAGES, file)])
      .replaceAll('package/', '')
      .trim()
      .split('\n');
    for (const wanted of ['package.json', 'README.md']) assert.ok(paths.includes(wanted), `${file}: ${wanted}`);
    assert.ok(
      paths.some((path) => path.endsWith('LICENSE-MIT')),
      `${file}: no licence`,
    );
    assert.ok(!paths.some((path) => /\.test\.|node_modules|\.tgz$/.test(path)), file);
  }
});

test('one version stands everywhere', () => {
  const read = (path) => readFileSync(join(ROOT, path), 'utf8');
  const named = (path) => /^version = "(.*)"/m.exec(read(path))[1];
  const { version, optionalDependencies } = JSON.parse(read('pkg/package.json'));
  assert.deepEqual(new Set(Object.values(optionalDependencies)), new Set([version]));
  for (const path of ['Cargo.toml', 'wheel/pyproject.toml']) assert.equal(named(path), version, path);
  // Crates ask for each other by version.
  const asked = [...read('Cargo.toml').matchAll(/^ibid\S* = \{ path = .*?version = "(.*?)"/gm)].map(
    ([, found]) => found,
  );
  assert.deepEqual(new Set(asked), new Set([version]), 'Cargo.toml');
  for (const name of ['mkdocs', 'sphinx']) {
    assert.equal(named(`plugins/${name}/pyproject.toml`), version, name);
    assert.ok(read(`plugins/${name}/pyproject.toml`).includes(`"ibid-cli==${version}"`), name);
  }
  for (const name of ['vitepress', 'docusaurus', 'starlight']) {
    const plugin = JSON.parse(read(`plugins/${name}/package.json`));
    assert.deepEqual([plugin.version, plugin.peerDependencies.ibid], [version, version], name);
  }
});
