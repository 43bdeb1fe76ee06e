import { type Browser, test as base, expect } from '@playwright/test';
import { RangeServer } from '../../pkg/src/range-server.js';
import { listen, siteServer } from '../static-server.mjs';
import { ROOT, SITE, siteFile } from './documents.js';
import { Firefox } from './firefox.js';

/** The place where a test runs its functions: a page of the built site, in one browser or the other. */
export interface Visit {
  goto(url: string): Promise<void>;
  evaluate<A, R>(run: (argument: A) => Promise<R>, argument: A): Promise<R>;
  close(): Promise<void>;
}

/** The built site on a port of its own, whose index is served in the manner a test wants, and counted. */
interface IndexHost {
  url: string;
  /** The index on another port, which is another origin. */
  elsewhere: string;
  index: RangeServer;
  /** The query table of the package, served and counted likewise. */
  table: RangeServer;
  /** Every path that was asked for, in order. */
  paths: string[];
}

interface PerTest {
  host: IndexHost;
}

interface PerWorker {
  firefox: Firefox;
}

export const test = base.extend<PerTest, PerWorker>({
  // biome-ignore lint/correctness/noEmptyPattern: Playwright reads the needed fixtures from the pattern.
  host: async ({}, use) => {
    const site = siteServer(SITE);
    // The packed transformer, which is not part of the site.
    const project = siteServer(ROOT);
    const index = new RangeServer(siteFile('site.ibid'));
    const table = new RangeServer(siteFile('ibid/query-table.bin'), { etag: '"table"' });
    const paths: string[] = [];
    const here = await listen((request, response) => {
      const path = (request.url ?? '/').split('?', 1)[0] ?? '/';
      paths.push(path);
      if (path === '/site.ibid') index.listener(request, response);
      else if (path === '/ibid/query-table.bin') table.listener(request, response);
      else if (path.startsWith('/models/')) project.emit('request', request, response);
      // A page without anything on it, which asks for nothing of its own.
      else if (path === '/blank')
        response.setHeader('content-type', 'text/html').end('<!doctype html><title>.</title>');
      else site.emit('request', request, response);
    });
    const there = await listen((request, response) =>
      (request.url?.endsWith('-table.bin') ? table : index).listener(request, response),
    );
    await use({ url: `${here.url}blank`, elsewhere: `${there.url}site.ibid`, index, table, paths });
    for (const each of [here, there]) each.close();
  },
  firefox: [
    // biome-ignore lint/correctness/noEmptyPattern: Playwright reads the needed fixtures from the pattern.
    async ({}, use) => {
      const firefox = await Firefox.start();
      await use(firefox);
      await firefox.close();
    },
    { scope: 'worker' },
  ],
});

/** The same tests in both browsers, each in a page of its own on the host's site. */
export function inBothBrowsers(name: string, run: (visit: Visit, host: IndexHost) => Promise<void>): void {
  test(`${name} (Chromium)`, async ({ browser, host }) => {
    const visit = await chromiumVisit(browser);
    try {
      await visit.goto(host.url);
      await run(visit, host);
    } finally {
      await visit.close();
    }
  });
  test(`${name} (Firefox)`, async ({ firefox, host }) => {
    await firefox.goto(host.url);
    await run(firefox, host);
  });
}

async function chromiumVisit(browser: Browser): Promise<Visit> {
  const context = await browser.newContext();
  const page = await context.newPage();
  return {
    goto: async (url) => void (await page.goto(url)),
    evaluate: (run, argument) => page.evaluate(run as never, argument as never),
    close: () => context.close(),
  };
}

export { expect };
