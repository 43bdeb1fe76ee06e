import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from '@playwright/test';
import { listen, siteServer } from '../static-server.mjs';
import { COMMAND, ROOT, SITE } from './documents.js';

// A site of its own with the elements of `ibid/ui`, under a strict content security policy.

const POLICY =
  "default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; style-src 'self'; connect-src 'self' http://127.0.0.1:*; img-src data:; base-uri 'none'";

const DOCUMENTS = {
  'tea.md': `---
title: Tea
url: /tea.html
kind: hot
---
# Tea

## Green tea

Green tea steeps at 80 degrees for two minutes. Hotter water makes it bitter.

## Black tea

Black tea wants water that has come to the boil a moment ago, and steeps for four minutes in a warmed pot.

| Tea | Water | Minutes |
| --- | --- | --- |
| Green | 80 degrees | 2 |
| Black | 100 degrees | 4 |
`,
  'coffee.md': `---
title: Coffee
url: /coffee.html
kind: hot
---
# Coffee

## Espresso

Coffee is ground fine for an espresso, and coarse for a French press. The pump is set by a program:

\`\`\`js
const espresso = { grind: 'fine', seconds: 27, pressure: 9 };
\`\`\`
`,
  'lemonade.md': `---
title: Lemonade
url: /lemonade.html
kind: cold
---
# Lemonade

## With mint

Lemonade with mint is stirred with cold water, sugar syrup and the juice of two lemons. <img src=x onerror=alert(1)>
`,
};

const TEA_PAGE = `<!doctype html><html lang="en"><head><meta charset="utf-8"><title>Tea</title><link rel="icon" href="data:,">
<script type="module" src="/ibid/ui/index.js"></script></head>
<body><h1>Tea</h1><ibid-search index="/site.ibid"></ibid-search>
<h2 id="black-tea">Black tea</h2><p>Black tea steeps for four minutes.</p>
<h2 id="green-tea">Green tea</h2><p>Green tea steeps at 80 degrees for two minutes. Hotter water makes it bitter.</p>
<h2 id="more">More</h2><p>Green cups are nice.</p></body></html>`;

/** A site with its address, which `page` gives another body. */
interface ElementsHost {
  url: string;
  paths: string[];
  /** Shows this in the page's body, with attributes of its root; the elements are defined unless it has none. */
  page(body: string, root?: string, defines?: boolean): string;
  /** Answers requests for the index with a failure. */
  fails: boolean;
  close(): void;
}

/** The host of a file of tests. */
interface Hosted {
  host: ElementsHost;
}

/** Serves the elements to all tests of a file. */
export function hosted(): Hosted {
  const hosted = {} as Hosted;
  test.beforeAll(async () => {
    hosted.host = await elementsHost();
  });
  test.afterAll(() => hosted.host.close());
  return hosted;
}

/** Does so with the complaints of the page that a test has open: there must be none, of its policy included. */
export function elements(): Hosted & { complaints: string[] } {
  const elements = Object.assign(hosted(), { complaints: [] as string[] });
  test.beforeEach(({ page }) => {
    elements.complaints = [];
    elements.host.fails = false;
    elements.host.paths.length = 0;
    page.on('pageerror', ({ message }) => elements.complaints.push(message));
    page.on('console', (line) => {
      if (['error', 'warning'].includes(line.type())) elements.complaints.push(line.text());
    });
  });
  test.afterEach(() => expect(elements.complaints, 'what the page complains of').toEqual([]));
  return elements;
}

/** Builds an index of a few documents and serves it with the package. */
async function elementsHost(): Promise<ElementsHost> {
  const folder = mkdtempSync(join(tmpdir(), 'ibid-elements-'));
  for (const [name, text] of Object.entries(DOCUMENTS)) writeFileSync(join(folder, name), text);
  // The documents of the project make it an index in which not everything is relevant.
  const documents = [...Object.keys(DOCUMENTS), join(ROOT, 'docs')];
  const options = ['--encoder', 'table', '--budget', '60', '--min-size', '0', '-o', 'site.ibid'];
  execFileSync(COMMAND, ['build', ...documents, ...options], { cwd: folder, stdio: 'ignore' });
  const [site, own] = [siteServer(SITE), siteServer(folder)];
  const pages = new Map<string, string>([['/tea.html', TEA_PAGE]]);
  const paths: string[] = [];
  const { origin: url, close } = await listen((request, response) => {
    const path = (request.url ?? '/').split('?', 1)[0] ?? '/';
    paths.push(path);
    const page = pages.get(path);
    if (page !== undefined) {
      // WebDriver cannot run functions in a page whose policy forbids that.
      if (!request.url?.includes('free')) response.setHeader('content-security-policy', POLICY);
      response.setHeader('content-type', 'text/html').end(page);
    } else if (path === '/site.css') {
      response
        .setHeader('content-type', 'text/css')
        .end(
          ':root { color-scheme: light dark; background: light-dark(#fff, #101214); color: light-dark(#111, #eee); } body { font-family: sans-serif; }',
        );
    } else if (path === '/site.ibid') {
      if (host.fails) request.destroy();
      else own.emit('request', request, response);
    } else site.emit('request', request, response);
  });
  const host: ElementsHost = {
    ...{ url, paths, fails: false },
    page: (body, root = 'lang="en"', defines = true) => {
      const head =
        '<meta name="viewport" content="width=device-width, initial-scale=1"><link rel="stylesheet" href="/site.css">';
      const script = defines ? '<script type="module" src="/ibid/ui/index.js"></script>' : '';
      const page = `<!doctype html><html ${root}><head><meta charset="utf-8"><title>Drinks</title><link rel="icon" href="data:,">${head}${script}</head><body><main><h1>Drinks</h1>${body}</main></body></html>`;
      pages.set('/page.html', page);
      return `${url}/page.html`;
    },
    close: () => {
      close();
      rmSync(folder, { recursive: true, force: true });
    },
  };
  return host;
}
