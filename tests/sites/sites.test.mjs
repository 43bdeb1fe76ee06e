// Built pages as generators make them, and the links that are made from their sources.
//
//   ./build.sh pack && node --test tests/sites/sites.test.mjs
//
// With IBID_TEST_ALL set all sites are built; otherwise one by npm, and one that has its search by the wheel, in an environment
// without Node.

import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { listen, siteServer } from '../static-server.mjs';
import { build, GENERATORS, PAGES, SITES, titleOf } from './build.mjs';
import { looks, openBrowser, visit } from './visitor.mjs';

const IBID = process.env.IBID_COMMAND ?? join(SITES, '../release/ibid');
const BASE = '/docs/';
/** The sizes of chunks: whole pages, and sections alone. */
const WHOLE = ['--budget', '2000'];
const SECTIONS = ['--budget', '60', '--min-size', '0'];
/** Words of the themes that are no part of any page. */
const FURNITURE =
  /edit this page|last updated|page helpful|is a fixture|on this page|^previous$|^next$|skip to|section titled|terminal window|powered by|built with|made with|created using|^contents$|copy to clipboard|version 2\.4: |¶/im;

/** Themes that follow the visitor's system on their own. */
const SWITCHES = new Set(['vitepress', 'starlight', 'sphinx-furo', 'sphinx-book']);
let browser;
before(async () => {
  browser = await openBrowser();
});
after(() => browser?.close());

/**
 * Adds search as the owner of a site does whose generator has no plug-in, and brings one up to date that has. Returns the
 * time that this took, all passages embedded.
 */
function addSearch(out) {
  const began = performance.now();
  execFileSync(IBID, ['site', out, '--answers', '--no-cache'], { stdio: 'ignore' });
  return `${((performance.now() - began) / 1000).toFixed(1)} s`;
}

const names = Object.keys(GENERATORS).filter(
  (name) => process.env.IBID_TEST_ALL || ['vitepress', 'sphinx-furo'].includes(name),
);
for (const name of names) {
  test(name, async (t) => {
    const out = build(name);
    const work = join(SITES, name);
    const chunks = chunksOf(out, WHOLE);
    await t.test('code is whole, to the character', () => code(name, chunks));
    await t.test('nothing of the theme is in a chunk', () => {
      for (const { source, content } of chunks) assert.doesNotMatch(content, FURNITURE, source);
    });
    await t.test('each page is read, and no other', () => {
      const read = new Set(chunks.map(({ title }) => title));
      for (const page of PAGES) assert.ok(read.has(titleOf(page)), page);
      for (const { source } of chunks)
        assert.doesNotMatch(source, /404|_sources|_static|tags\/|archive|print\.html|toc\.html/);
    });
    const site = await serve(out);
    try {
      await t.test('links of pages lead to their headings', () => links(site, chunksOf(out, SECTIONS)));
      await t.test('links of sources do too', () =>
        links(site, chunksOf(join(work, GENERATORS[name].docs), SECTIONS, out)),
      );
      // The search of the wheel is tried as it is.
      const how = /mkdocs|sphinx/.test(name) ? 'by the wheel' : addSearch(out);
      await t.test('pages in English have the model for English', () => {
        const told = execFileSync(IBID, ['inspect', join(out, 'site.ibid')], { encoding: 'utf8' });
        assert.match(told, /^Model all-MiniLM/m);
      });
      const first = new URL(BASE, site.origin).href;
      await t.test('a visitor finds pages, follows a result and asks', async (t) => {
        const { untilFirst, found } = await visit(browser, first);
        t.diagnostic(
          `${name}: ${how}, ${Math.round(untilFirst / 1000)} KB, uncompressed, to the first hits, ` +
            `${found} of 10 questions found`,
        );
      });
      await t.test('the search box has the scheme and the width of the page', async () => {
        for (const scheme of ['light', 'dark']) {
          const { theme, wide, named } = await looks(browser, first, scheme, 390);
          assert.ok(['light', 'dark'].includes(theme));
          if (SWITCHES.has(name)) assert.equal(theme, scheme);
          assert.ok(wide <= 390, `${wide} px wide`);
          assert.ok(named > 0, 'the button has a name, also where its words do not fit');
        }
      });
    } finally {
      site.close();
    }
  });
}

/** The chunks of a folder, of the given size. Pages that a site's build left in a folder of sources are no sources. */
function chunksOf(folder, size, built) {
  const args = ['chunk', folder, ...size];
  const output = execFileSync(IBID, args, {
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'ignore'],
    maxBuffer: 1 << 26,
  });
  const chunks = output
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));
  const inside = built?.startsWith(folder) ? built.slice(folder.length + 1) : undefined;
  return chunks
    .filter(({ source }) => built === undefined || !/\.html$|node_modules|README/.test(source))
    .filter(({ source }) => inside === undefined || !source.startsWith(inside));
}

/** The code of a page's source, without the indentation of the list that it stands in. */
function codeOf(page) {
  const text = readFileSync(new URL(`pages/${page}.md`, import.meta.url), 'utf8');
  const fences = [...text.matchAll(/^( *)```(\w+)\n([\s\S]*?)^\1```$/gm)];
  const dedent = (code, indent) => code.replaceAll(new RegExp(`^${indent}`, 'gm'), '').trimEnd();
  return fences.map(([, indent, language, code]) => ({ language, code: dedent(code, indent) }));
}

function code(name, chunks) {
  for (const page of PAGES) {
    const title = titleOf(page);
    const own = chunks.filter((chunk) => chunk.title === title).map(({ content }) => content);
    const found = own.flatMap((content) =>
      [...content.matchAll(/^( *)```([^\n]*)\n([\s\S]*?)\n\1```$/gm)].map(([, indent, language, code]) => ({
        language,
        code: code.replaceAll(new RegExp(`^${indent}`, 'gm'), ''),
      })),
    );
    for (const { language, code } of codeOf(page)) {
      const same = found.find((block) => block.code === code);
      assert.ok(same, `${page}:\n${code}\n--- is not in\n${found.map((block) => block.code).join('\n---\n')}`);
      // Material for MkDocs does not say the language.
      if (name !== 'mkdocs') assert.equal(same.language, language, `${page}: ${code}`);
    }
  }
}

/** Checks that each chunk's page is there, and that all but one in a hundred of the anchors are in it. */
async function links(site, chunks) {
  assert.ok(chunks.length >= 30, `${chunks.length} chunks`);
  const wrong = [];
  for (const { source, url, anchor } of chunks) {
    assert.ok(url, `${source} has no URL`);
    const response = await fetch(new URL(new URL(url, site.origin).pathname, site.origin));
    assert.equal(response.status, 200, `${source}: ${url}`);
    const html = await response.text();
    if (anchor && !html.includes(`id="${anchor}"`) && !html.includes(`id=${anchor}`))
      wrong.push(`${source}: ${url}#${anchor}`);
  }
  assert.ok(wrong.length * 100 <= chunks.length, wrong.join('\n'));
}

/** Serves a folder below the base, as static hosts do: a folder's index, and pages without their ending. */
async function serve(folder) {
  const files = siteServer(folder);
  return await listen((request, response) => {
    const { pathname, search } = new URL(request.url, 'http://x');
    if (!pathname.startsWith(BASE)) return response.writeHead(404).end();
    const path = pathname.slice(BASE.length - 1);
    const file = join(folder, decodeURIComponent(path));
    const isFolder = existsSync(file) && statSync(file).isDirectory();
    if (isFolder && !path.endsWith('/')) return response.writeHead(301, { location: `${pathname}/${search}` }).end();
    request.url = (!existsSync(file) && existsSync(`${file}.html`) ? `${path}.html` : path) + search;
    files.emit('request', request, response);
  });
}
