import { existsSync } from 'node:fs';
import { test as base, expect } from '@playwright/test';
import { listen } from '../static-server.mjs';
import { Demo } from './demo.js';
import { SITE } from './documents.js';
import { type LlmDouble, withDouble } from './llm-double.js';

interface WithServer {
  /** A scripted model server of this test's own. Complaints and replies nobody asked for fail the test at its end. */
  llm: LlmDouble;
}

/** Playwright's `test` with a model server and no page. */
export const serverTest = base.extend<WithServer>({
  // biome-ignore lint/correctness/noEmptyPattern: Playwright reads the needed fixtures from the pattern.
  llm: async ({}, use) => withDouble(use),
});

interface WithPage {
  /** What the page reported as an error: uncaught exceptions and console errors. Must be empty at the end. */
  problems: string[];
  /** Every address that the page asked for, in order. None may lie beyond this machine. */
  requests: URL[];
  /** The demo, not opened yet. */
  closedDemo: Demo;
  /** The demo, loaded. */
  demo: Demo;
}

interface PerWorker {
  /** The built demo's address, on a free port. */
  site: string;
}

/** `serverTest` with the built site as base address, whose pages must report no errors. */
export const test = serverTest.extend<WithPage, PerWorker>({
  site: [
    // biome-ignore lint/correctness/noEmptyPattern: Playwright reads the needed fixtures from the pattern.
    async ({}, use) => {
      if (!existsSync(SITE)) throw new Error('target/site is not there: run ./build.sh build first');
      const { url, close } = await listen(SITE);
      await use(url);
      close();
    },
    { scope: 'worker' },
  ],
  baseURL: async ({ site }, use) => {
    await use(site);
  },
  problems: [
    async ({ page }, use) => {
      const problems: string[] = [];
      page.on('pageerror', (error) => problems.push(`uncaught: ${error.message}`));
      page.on('console', (message) => {
        // A failed request is reported here by the browser itself; tests of bad servers cause them on purpose.
        const own = !message.text().startsWith('Failed to load resource');
        if (message.type() === 'error' && own) problems.push(`console: ${message.text()}`);
      });
      await use(problems);
      expect(problems, 'errors that the page reported').toEqual([]);
    },
    { auto: true },
  ],
  requests: [
    async ({ context }, use) => {
      const requests: URL[] = [];
      context.on('request', (request) => requests.push(new URL(request.url())));
      await use(requests);
      const beyond = requests.filter(({ hostname }) => hostname !== '127.0.0.1');
      expect(beyond.map(String), 'requests to other machines').toEqual([]);
    },
    { auto: true },
  ],
  closedDemo: async ({ page }, use) => {
    await use(new Demo(page));
  },
  demo: async ({ closedDemo }, use) => {
    await closedDemo.open();
    await use(closedDemo);
  },
});

export { expect };
