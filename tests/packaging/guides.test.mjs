/** The guides, followed to the letter: their commands are run, and what they show is put into pages. */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { Chromium, HERE, install, ROOT, run, served } from './harness.mjs';

const FRAMEWORKS = join(HERE, 'frameworks');
/** Below the folder of the frameworks, so that the packages there are found. */
const APP = join(FRAMEWORKS, 'made');

/** The code blocks of a guide below a heading. */
function shown(guide, heading) {
  const text = readFileSync(join(ROOT, 'docs', guide), 'utf8');
  const [, rest] = text.split(new RegExp(`^#+ ${heading}$`, 'm'));
  assert.ok(rest !== undefined, `${guide} has no heading ${heading}`);
  const [part] = rest.split(/^## /m);
  return [...part.matchAll(/^```(\w+)\n(.*?)^```$/gms)].map(([, language, code]) => ({ language, code }));
}

const code = (blocks, language, at = 0) => blocks.filter((block) => block.language === language)[at].code;

const TEA = `# Tea

Tea is an infusion of leaves in hot water. The kinds differ by how long the leaves were left to wither.

## Green tea

Green tea is steeped at 80 degrees for two minutes. Hotter water makes it bitter.
`;
const TEA_PAGE = `<!doctype html><html lang="en"><head><meta charset="utf-8"><title>Tea</title>
<link rel="icon" href="data:,"></head><body><main><h1 id="tea">Tea</h1><p>Tea is an infusion of leaves.</p>
<h2 id="green-tea">Green tea</h2><p>Green tea is steeped at 80 degrees for two minutes. Hotter water makes it bitter.</p>
</main></body></html>`;

let browser;
before(async () => {
  rmSync(APP, { recursive: true, force: true });
  mkdirSync(APP);
  const installed = install(FRAMEWORKS);
  // As npm does.
  const link = join(FRAMEWORKS, 'node_modules/.bin/ibid');
  rmSync(link, { force: true });
  symlinkSync(join(installed, 'bin/ibid.mjs'), link);
  browser = await Chromium.start();
});
after(async () => {
  await browser?.close();
  rmSync(APP, { recursive: true, force: true });
});

/** Searches by the keyboard, as a visitor does, and returns the first result. */
async function searches(page) {
  await page.keyboard.press('Control+k');
  await page.getByRole('combobox').fill('how hot is green tea');
  const result = page.getByRole('option').first();
  await result.waitFor();
  return result;
}

async function asks(page) {
  const box = page.getByRole('combobox');
  // The first Escape clears the box, the next one closes it.
  for (let tries = 0; tries < 5 && (await box.isVisible()); tries += 1) {
    await page.keyboard.press('Escape');
    await page.waitForTimeout(200);
  }
  const question = page.getByRole('textbox', { name: 'Your question' });
  await question.fill('How hot is green tea steeped?');
  await question.press('Enter');
  await page.getByRole('article').getByText('80 degrees').first().waitFor();
}

test('search is added to a site', async () => {
  const site = join(APP, 'site');
  mkdirSync(join(site, '_site'), { recursive: true });
  const start = shown('search-ui.md', 'Search UI');
  const own = '<meta charset="utf-8"><link rel="icon" href="data:,">';
  const style = '<link rel="stylesheet" href="/style.css"><script type="module" src="/events.js"></script>';
  const head = `<!doctype html><html lang="en"><head>${own}${style}<title>Home</title></head>`;
  writeFileSync(join(site, '_site/style.css'), code(shown('search-ui.md', 'Looks'), 'css'));
  writeFileSync(join(site, '_site/events.js'), code(shown('search-ui.md', 'Events'), 'js'));
  writeFileSync(join(site, '_site/tea.html'), TEA_PAGE);
  const ask = code(shown('search-ui.md', 'The question box'), 'html');
  writeFileSync(join(site, '_site/index.html'), `${head}<body><h1>Home</h1>${code(start, 'html')}${ask}</body></html>`);
  run('sh', ['-ec', code(start, 'sh')], site);
  await served(join(site, '_site'), (url) =>
    browser.visit(url, async (page, said) => {
      await searches(page);
      await asks(page);
      const accent = await page
        .locator('ibid-search')
        .evaluate((element) => getComputedStyle(element).getPropertyValue('--ibid-accent'));
      assert.match(accent, /^light-dark\(/);
      await (await searches(page)).click();
      await page.waitForURL(/\/tea\.html#green-tea/);
      assert.deepEqual(said, ['how hot is green tea 1']);
    }),
  );
});

test('the start guide adds search to a site by hand', async () => {
  const site = join(APP, 'by-hand');
  mkdirSync(join(site, '_site'), { recursive: true });
  const blocks = shown('start.md', 'By hand');
  writeFileSync(join(site, '_site/tea.html'), TEA_PAGE);
  const head = '<!doctype html><html lang="en"><head><meta charset="utf-8"><link rel="icon" href="data:,"></head>';
  writeFileSync(join(site, '_site/index.html'), `${head}<body><h1>Home</h1>${code(blocks, 'html')}</body></html>`);
  run('sh', ['-ec', code(blocks, 'sh')], site);
  await served(join(site, '_site'), (url) =>
    browser.visit(url, async (page) => {
      await searches(page);
      await asks(page);
    }),
  );
});

test('the start guide searches and asks from the code of a web app', async () => {
  const site = join(APP, 'web-app');
  mkdirSync(join(site, 'docs'), { recursive: true });
  mkdirSync(join(site, 'public'));
  writeFileSync(join(site, 'docs/tea.md'), TEA);
  const blocks = shown('start.md', 'A web app');
  const [first, ...commands] = code(blocks, 'sh').trim().split('\n');
  assert.equal(first, 'npm install ibid');
  for (const command of commands) run('sh', ['-ec', command], site);
  // The guide's code as it stands, asked about this site's subject.
  const script = code(blocks, 'js')
    .replace('how do I rotate the keys?', 'how hot is green tea')
    .replace('Which keys expire, and when?', 'How hot is green tea steeped?');
  const show = 'document.body.append(hits[0].headingPath.join(" › "), " ", hits[0].url, " ", answer.text);';
  writeFileSync(join(site, 'main.js'), `${script}${show}`);
  const head = '<meta charset="utf-8"><link rel="icon" href="data:,">';
  writeFileSync(
    join(site, 'index.html'),
    `<!doctype html><html lang="en"><head>${head}</head><body><script type="module" src="/main.js"></script></body></html>`,
  );
  run(join(FRAMEWORKS, 'node_modules/.bin/vite'), ['build', '--target', 'esnext', '--logLevel', 'warn'], site);
  await served(join(site, 'dist'), (url) =>
    browser.visit(url, async (page) => {
      await page.getByText('Tea /docs/tea').waitFor();
      await page.getByText('80 degrees').waitFor();
    }),
  );
});

test('from npm create vite it is two commands and three lines to search and answers', async () => {
  run(join(FRAMEWORKS, 'node_modules/.bin/create-vite'), ['app', '--template', 'vanilla', '--no-interactive'], APP);
  const app = join(APP, 'app');
  mkdirSync(join(app, 'docs'));
  writeFileSync(join(app, 'docs/tea.md'), TEA);
  const blocks = shown('search-ui.md', 'In an app of a bundler');
  const [first, ...commands] = code(blocks, 'sh').trim().split('\n');
  // The packed package is installed already.
  assert.equal(first, 'npm install ibid');
  assert.equal(commands.length, 1);
  for (const command of commands) run('sh', ['-ec', command], app);
  const lines = [code(blocks, 'html'), code(blocks, 'js')].map((block) => block.trim().split('\n').length);
  assert.equal(lines[0] + lines[1], 3);
  edit(join(app, 'index.html'), '<body>', `<body>\n${code(blocks, 'html')}`);
  edit(join(app, 'src/main.js'), "import './style.css'", `import './style.css'\n${code(blocks, 'js')}`);
  run(join(FRAMEWORKS, 'node_modules/.bin/vite'), ['build', '--logLevel', 'warn'], app);
  await served(join(app, 'dist'), (url) =>
    browser.visit(url, async (page) => {
      await searches(page);
      await asks(page);
    }),
  );
});

/** The element in each framework: its file, the first script of an app, and how that is built and its types are read. */
const FRAMEWORK = {
  React: {
    file: 'Search.tsx',
    main: "import { createElement } from 'react';\nimport { createRoot } from 'react-dom/client';",
    starts: 'createRoot(app).render(createElement(Search));',
    plugin: 'export default {};',
    options: { jsx: 'react-jsx' },
    check: ['tsc', '--project', '.'],
  },
  Vue: {
    file: 'Search.vue',
    main: "import { createApp } from 'vue';",
    starts: 'createApp(Search).mount(app);',
    check: ['vue-tsc', '--project', '.'],
  },
  Svelte: {
    file: 'Search.svelte',
    main: "import { mount } from 'svelte';",
    starts: 'mount(Search, { target: app });',
    plugin: "import { svelte } from '@sveltejs/vite-plugin-svelte';\nexport default { plugins: [svelte()] };",
    check: ['svelte-check', '--tsconfig', './tsconfig.json'],
  },
  Solid: {
    file: 'Search.tsx',
    main: "import { render } from 'solid-js/web';",
    starts: 'render(Search, app);',
    plugin: "import solid from 'vite-plugin-solid';\nexport default { plugins: [solid()] };",
    options: { jsx: 'preserve', jsxImportSource: 'solid-js' },
    check: ['tsc', '--project', '.'],
  },
};

for (const [name, { file, main, starts, plugin, options, check }] of Object.entries(FRAMEWORK)) {
  test(`in ${name}, the element is built, its types are read, and it tells the app of a click`, async () => {
    const app = join(APP, name);
    for (const folder of ['docs', 'public']) mkdirSync(join(app, folder), { recursive: true });
    writeFileSync(join(app, 'docs/tea.md'), TEA);
    const blocks = shown('integrations.md', name);
    const search = code(blocks, file.split('.')[1]);
    writeFileSync(join(app, file), search);
    writeFileSync(join(app, 'vite.config.js'), plugin ?? code(blocks, 'js'));
    const exported = file.endsWith('.tsx') ? '{ Search }' : 'Search';
    writeFileSync(
      join(app, 'main.js'),
      `${main}\nimport ${exported} from './${file}';\nconst app = document.querySelector('main');\n${starts}\n`,
    );
    const head = '<meta charset="utf-8"><title>Tea</title><link rel="icon" href="data:,">';
    const body = '<main></main><script type="module" src="/main.js"></script>';
    writeFileSync(
      join(app, 'index.html'),
      `<!doctype html><html lang="en"><head>${head}</head><body>${body}</body></html>`,
    );
    const compilerOptions = {
      ...{ strict: true, noEmit: true, target: 'es2022', lib: ['es2022', 'dom', 'dom.iterable'] },
      ...{ module: 'esnext', moduleResolution: 'bundler', types: ['vite/client'], ...options },
    };
    writeFileSync(join(app, 'tsconfig.json'), JSON.stringify({ compilerOptions, include: [file] }));
    const [checker, ...args] = check;
    // The mistakes that its compiler finds.
    const mistakes = () => {
      const bin = join(FRAMEWORKS, 'node_modules/.bin', checker);
      const { status, stdout } = spawnSync(bin, args, { cwd: app, encoding: 'utf8' });
      return status === 0 ? '' : stdout;
    };
    assert.equal(mistakes(), '');
    edit(join(app, file), 'detail.rank', 'detail.rang');
    assert.match(mistakes(), /Property 'rang' does not exist/);
    writeFileSync(join(app, file), search);
    run(
      process.execPath,
      [join(FRAMEWORKS, 'node_modules/ibid/bin/ibid.mjs'), 'build', 'docs', '-o', 'public/site.ibid'],
      app,
    );
    run(join(FRAMEWORKS, 'node_modules/.bin/vite'), ['build', '--logLevel', 'warn'], app);
    await served(join(app, 'dist'), (url) =>
      browser.visit(url, async (page, said) => {
        await page.locator('ibid-search').waitFor();
        // The page stays, which has nothing behind the result.
        await page.evaluate(() => document.addEventListener('ibid-click', (event) => event.preventDefault()));
        await (await searches(page)).click();
        assert.deepEqual(said, ['1']);
      }),
    );
  });
}

function edit(file, before, behind) {
  const text = readFileSync(file, 'utf8');
  assert.ok(text.includes(before), `${file} has ${before}`);
  writeFileSync(file, text.replace(before, behind));
}
