// The documentation and the handbook as pages, for VitePress. `./build.sh build` copies it next to them.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { withPolicy } from './policy.mjs';

/** The guides in the order in which they are read; what is not named comes last. */
const GUIDES = {
  Start: ['start', 'search-ui', 'site-settings', 'documents', 'languages'],
  Searching: ['searching', 'large-collections', 'measuring'],
  Asking: ['asking', 'providers', 'checking-answers', 'privacy', 'integrations'],
  Reference: ['javascript', 'command-line', 'index-format', 'audit-log', 'measurements'],
};

const HERE = import.meta.dirname;
const ROOT = join(HERE, '..');

/** The title of a page: that of its front matter, else its first heading. */
function titleOf(path) {
  const text = readFileSync(join(ROOT, `${path}.md`), 'utf8');
  return (/^title: *(.*)$/m.exec(text) ?? /^# (.*)$/m.exec(text))?.[1] ?? path;
}

const names = (folder) =>
  readdirSync(join(ROOT, folder))
    .filter((name) => name.endsWith('.md'))
    .map((name) => name.slice(0, -3))
    .sort();

const items = (folder, pages) =>
  pages.map((page) => ({ text: titleOf(`${folder}/${page}`), link: `/${folder}/${page === 'index' ? '' : page}` }));

const named = Object.values(GUIDES).flat();
const guides = [
  ...Object.entries(GUIDES).map(([text, pages]) => ({ text, items: items('docs', pages) })),
  {
    text: 'More',
    items: items(
      'docs',
      names('docs').filter((name) => !named.includes(name)),
    ),
  },
].filter(({ items }) => items.length > 0);

const base = process.env.IBID_BASE ?? '/';

export default {
  title: 'ibid',
  description: 'Search and cited answers from a site’s own documents, inside the page.',
  base,
  lang: 'en',
  // Links to files of the repository that are no pages.
  ignoreDeadLinks: true,
  head: [
    ['style', {}, ':root { --vp-code-lang-color: var(--vp-c-text-2); }'],
    ['link', { rel: 'icon', href: `${base}icon.svg`, type: 'image/svg+xml' }],
    ['script', { src: `${base}ibid/ui/site.js`, async: '', 'data-answers': '', 'data-links': 'all' }],
  ],
  markdown: {
    // The usual light theme has colours of less contrast than 4.5.
    theme: { light: 'github-light-high-contrast', dark: 'github-dark' },
    // The guides are markdown alone: what looks like a tag or like Vue's braces is text.
    html: false,
    config: (md) => {
      for (const rule of ['text', 'code_inline']) {
        const render = md.renderer.rules[rule];
        md.renderer.rules[rule] = (...given) => render(...given).replaceAll('{{', '&#123;&#123;');
      }
    },
  },
  transformHtml: withPolicy,
  themeConfig: {
    nav: [
      { text: 'Docs', link: '/docs/start' },
      { text: 'API', link: '/api/index.html', target: '_self' },
      { text: 'Sample handbook', link: '/handbook/' },
      { text: 'Compare', link: '/compare.html', target: '_self' },
    ],
    sidebar: {
      '/docs/': guides,
      '/handbook/': [{ text: 'Sample handbook', items: items('handbook', names('handbook')) }],
    },
    outline: [2, 3],
  },
};
