// Trees of documentation as plain sites that both ibid and Pagefind have indexed.

import { execFileSync } from 'node:child_process';
import { cpSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { marked } from 'marked';
import { IBID, ROOT, workFolder } from '../command.mjs';

const HERE = new URL('.', import.meta.url).pathname;

/** Builds the site of a tree, a folder of markdown or its archive; returns its folder, and how many pages it has. */
export function built(tree) {
  const work = workFolder();
  const site = join(work, 'site');
  const pages = render(unpacked(tree, work), site);
  // Before anything else lies in the folder.
  const build = ['build', site, '-o', join(work, 'site.ibid'), '--encoder', 'table'];
  execFileSync(IBID, build, { stdio: 'ignore' });
  execFileSync(join(HERE, 'node_modules/.bin/pagefind'), ['--site', site], { stdio: ['ignore', 'ignore', 'inherit'] });
  cpSync(join(ROOT, 'pkg/dist'), join(site, 'ibid'), { recursive: true });
  for (const made of ['site.ibid', 'ibid']) cpSync(join(work, made), join(site, made), { recursive: true });
  return { site, pages };
}

function unpacked(tree, work) {
  if (!tree.endsWith('.tar.gz')) return tree;
  const folder = join(work, 'tree');
  mkdirSync(folder);
  execFileSync('tar', ['-xzf', tree, '-C', folder]);
  return folder;
}

/** Writes a page for each markdown file; returns how many. */
function render(folder, site) {
  let pages = 0;
  mkdirSync(site);
  writeFileSync(join(site, 'blank.html'), '<!doctype html><html lang="en"><title>blank</title>');
  for (const entry of readdirSync(folder, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile() || !entry.name.endsWith('.md')) continue;
    const path = join(entry.parentPath, entry.name);
    const text = readFileSync(path, 'utf8').replace(/^(---|\+\+\+)\n[\s\S]*?\n\1\n/, '');
    const title = /^#+ +(.+)$/m.exec(text)?.[1] ?? entry.name;
    const to = join(site, relative(folder, path).replace(/\.md$/, '.html'));
    mkdirSync(dirname(to), { recursive: true });
    const head = `<meta charset="utf-8"><title>${title.replace(/[<&]/g, ' ')}</title>`;
    writeFileSync(
      to,
      `<!doctype html><html lang="en"><head>${head}</head><body><main>${marked.parse(text)}</main></body></html>`,
    );
    pages += 1;
  }
  return pages;
}
