/** The bundlers that an app is built by, each as it is by default: from the app's folder to a folder that is served. */
import { execFileSync } from 'node:child_process';
import { cpSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const PAGE = '<!doctype html><meta charset="utf-8"><link rel="icon" href="data:,">';
const SCRIPT = '<script type="module" src="./main.js"></script>';

/** An empty folder with a page for `main.js`, and the index. */
function pageIn(folder, publicDir) {
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  cpSync(publicDir, folder, { recursive: true });
  writeFileSync(join(folder, 'index.html'), PAGE + SCRIPT);
}

/** Puts the files of the package there, as `npx ibid copy` does. */
function copy(command, folder) {
  execFileSync(process.execPath, [command, 'copy', folder, '--for', 'search,ask,add'], { stdio: 'ignore' });
}

export async function webpack({ app, out, publicDir }) {
  pageIn(out, publicDir);
  const { default: run } = await import('webpack');
  const options = { mode: 'production', context: app, entry: './main.js', output: { path: out, filename: 'main.js' } };
  await new Promise((resolve, reject) => {
    run(options, (error, stats) => {
      if (error ?? stats.hasErrors()) reject(error ?? new Error(stats.toString('errors-warnings')));
      else resolve();
    });
  });
}

/** It carries no files along: they are copied next to what it writes. */
export async function esbuild({ app, out, publicDir, command }) {
  pageIn(out, publicDir);
  const { build } = await import('esbuild');
  const entryPoints = ['main.js', 'own-worker.js'].map((name) => join(app, name));
  await build({ entryPoints, bundle: true, splitting: true, format: 'esm', outdir: out, logLevel: 'warning' });
  copy(command, out);
}

/** The same. */
export async function rollup({ app, out, publicDir, command }) {
  pageIn(out, publicDir);
  const [{ rollup: run }, { default: resolve }] = [await import('rollup'), await import('@rollup/plugin-node-resolve')];
  const input = ['main.js', 'own-worker.js'].map((name) => join(app, name));
  const bundle = await run({ input, plugins: [resolve({ browser: true })] });
  await bundle.write({ dir: out, format: 'esm' });
  copy(command, out);
}

/** No bundler: an import map, and the files of the package, in the same folder or in `files` for another origin. */
export async function none({ app, out, publicDir, command, files = join(out, 'ibid') }) {
  pageIn(out, publicDir);
  for (const name of ['main.js', 'try-out.js']) cpSync(join(app, name), join(out, name));
  copy(command, files);
  pageOf(out, '/ibid');
}

/** Has the page in a folder find the package at an address. Workers have no import map. */
export function pageOf(folder, address) {
  const imports = { ibid: `${address}/index.js` };
  const map = `<script type="importmap">${JSON.stringify({ imports })}</script>`;
  writeFileSync(join(folder, 'index.html'), PAGE + map + SCRIPT);
  writeFileSync(join(folder, 'own-worker.js'), `import '${address}/worker.js';\n`);
}
