// Sites in several versions, as four generators lay them out: a reader finds pages of the version that is open.
//
//   ./build.sh pack && IBID_TEST_ALL=1 node --test tests/sites/versions.test.mjs

import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { cpSync, mkdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { after, before, test } from 'node:test';
import { listen } from '../static-server.mjs';
import { modules, PYTHON, python, SITES } from './build.mjs';
import { openBrowser } from './visitor.mjs';

const IBID = process.env.IBID_COMMAND ?? join(SITES, '../release/ibid');
/** The minutes that the kettle of each release boils for. */
const MINUTES = { '1.0': 'three', '2.0': 'five', '3.0': 'seven' };

let browser;
before(async () => {
  browser = await openBrowser();
});
after(() => browser?.close());

const write = (folder, name, text) => {
  mkdirSync(dirname(join(folder, name)), { recursive: true });
  writeFileSync(join(folder, name), text);
};

/** Writes the pages of a release. */
function pagesOf(folder, release) {
  const pages = {
    index: ['Kettle', 'The kettle heats water.'],
    boiling: ['Boiling', `The kettle boils for ${MINUTES[release]} minutes, then it rings.`],
    cleaning: ['Cleaning', `Pour vinegar in once a month. That needs release ${release}.`],
    cups: ['Cups', 'Two cups fit, or a mug.'],
    safety: ['Safety', 'Never heat an empty vessel.'],
  };
  for (const [name, [title, text]] of Object.entries(pages)) {
    const list = name === 'index' ? '\n```{toctree}\nboiling\ncleaning\ncups\nsafety\n```\n' : '';
    const isSphinx = folder.endsWith('sphinx');
    write(
      folder,
      `${name}.md`,
      isSphinx ? `# ${title}\n\n${text}\n${list}` : `---\ntitle: ${title}\n---\n\n# ${title}\n\n${text}\n`,
    );
  }
}

/** Each generator: the way that it builds all versions, and the address of a page in the newest and in an older one. */
const GENERATORS = {
  docusaurus: {
    open: { '2.0': 'docs/boiling/', '1.0': 'docs/1.0/boiling/' },
    build(work) {
      const config = {
        title: 'Kettle',
        url: 'https://kettle.example',
        baseUrl: '/',
        // The logo leads to a home page, which the site has none of.
        onBrokenLinks: 'ignore',
        presets: [['classic', { docs: { path: 'docs' }, blog: false, pages: false }]],
      };
      write(work, 'docusaurus.config.js', `module.exports = ${JSON.stringify(config)};\n`);
      symlinkSync(modules('docusaurus'), join(work, 'node_modules'));
      for (const release of ['1.0', '2.0']) {
        pagesOf(join(work, 'docs'), release);
        run(work, 'npx', 'docusaurus', 'docs:version', release);
      }
      pagesOf(join(work, 'docs'), '3.0');
      run(work, 'npx', 'docusaurus', 'build');
      return join(work, 'build');
    },
  },
  starlight: {
    open: { '3.0': 'boiling/', '1.0': '1.0/boiling/' },
    build(work) {
      cpSync(join(import.meta.dirname, 'versions/starlight'), work, { recursive: true });
      symlinkSync(modules('starlight'), join(work, 'node_modules'));
      // The first build keeps its pages as those of the version in the list.
      for (const release of ['1.0', '3.0']) {
        pagesOf(join(work, 'src/content/docs'), release);
        run(work, 'npx', 'astro', 'build');
      }
      return join(work, 'dist');
    },
  },
  mike: {
    open: { '2.0': 'latest/boiling/', '1.0': '1.0/boiling/' },
    build(work) {
      const config = 'site_name: Kettle\nsite_url: https://kettle.example/\ntheme: { name: material }\n';
      write(work, 'mkdocs.yml', `${config}plugins: [search, { mike: { canonical_version: latest } }]\n`);
      run(work, 'git', 'init', '-q');
      run(work, 'git', 'config', 'user.name', 'Kettle');
      run(work, 'git', 'config', 'user.email', 'kettle@kettle.example');
      run(work, 'git', 'commit', '-q', '--allow-empty', '-m', 'Begin');
      pagesOf(join(work, 'docs'), '1.0');
      run(work, 'mike', 'deploy', '1.0');
      pagesOf(join(work, 'docs'), '2.0');
      run(work, 'mike', 'deploy', '2.0', 'latest');
      run(work, 'mike', 'set-default', 'latest');
      run(work, 'git', 'worktree', 'add', '-q', 'built', 'gh-pages');
      return join(work, 'built');
    },
  },
  sphinx: {
    open: { '2.0': 'en/stable/boiling.html', '1.0': 'en/v1.0/boiling.html' },
    build(work) {
      write(work, 'conf.py', "project = 'Kettle'\nextensions = ['myst_parser']\nhtml_theme = 'furo'\n");
      for (const [release, folder] of [
        ['1.0', 'v1.0'],
        ['2.0', 'stable'],
        ['3.0', 'latest'],
      ]) {
        pagesOf(work, release);
        const address = 'html_baseurl=https://kettle.example/en/stable/';
        run(work, 'sphinx-build', '-q', '-E', '-D', address, '.', `built/en/${folder}`, ...SOURCES);
      }
      return join(work, 'built');
    },
  },
};
const SOURCES = ['index.md', 'boiling.md', 'cleaning.md', 'cups.md', 'safety.md'];

function run(cwd, command, ...args) {
  const env = { ...process.env, NODE_ENV: 'production', PATH: `${join(PYTHON, 'bin')}:${process.env.PATH}` };
  execFileSync(command, args, { cwd, env, stdio: ['ignore', 'ignore', 'inherit'] });
}

for (const [name, { build, open }] of Object.entries(GENERATORS)) {
  const skip = process.env.IBID_TEST_ALL ? false : './build.sh test --all builds these sites';
  test(`versions as ${name} lays them out`, { skip }, async () => {
    const work = join(SITES, 'versions', name);
    rmSync(work, { recursive: true, force: true });
    mkdirSync(work, { recursive: true });
    python();
    const out = build(work);
    execFileSync(IBID, ['site', out, '--no-cache'], { stdio: 'ignore' });
    const site = await listen(out);
    try {
      for (const [release, path] of Object.entries(open)) await search(new URL(path, site.url), release);
    } finally {
      site.close();
    }
  });
}

/** Searches from a page, and opens the result: the page of the same release. */
async function search(address, release) {
  const page = await browser.newPage();
  try {
    await page.goto(address.href);
    await page.locator('ibid-search').waitFor({ state: 'attached' });
    await page.keyboard.press('Control+k');
    const options = page.locator('ibid-search [role="option"]');
    const box = page.locator('ibid-search [role="combobox"]');
    const minutes = Object.values(MINUTES);
    const told = async () => {
      const texts = await options.allTextContents();
      return minutes.filter((word) => texts.some((text) => text.includes(`boils for ${word} minutes`)));
    };
    await box.fill('how long does the kettle boil');
    await options.first().waitFor();
    assert.deepEqual(await told(), [MINUTES[release]], address.href);
    assert.doesNotMatch((await options.allTextContents()).join(' '), /documentation for/, 'no notices of versions');
    await options.first().click();
    await page.locator('main, article, [role="main"]').getByText(`boils for ${MINUTES[release]} minutes`).waitFor();
    await page.keyboard.press('Control+k');
    await box.fill('vinegar');
    await options.filter({ hasText: `release ${release}` }).waitFor();
  } finally {
    await page.close();
  }
}
