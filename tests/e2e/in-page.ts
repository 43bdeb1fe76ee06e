import type { Page } from '@playwright/test';
import type { AskOptions, Ibid } from '../../pkg/src/index.js';
import { type Outcome, outcome } from './asking.js';
import { test as base } from './harness.js';

declare global {
  interface Window {
    /** The library, and the site's index, opened by it. */
    Ibid: typeof Ibid;
    ibid: Ibid;
    outcome: typeof outcome;
  }
}

interface InPage {
  /** The demo's page with the library in it for the test's own use. */
  lib: Page;
}

/** Tests that use the library in a page on their own: by `lib.evaluate`, whose functions find it on `window`. */
export const test = base.extend<InPage>({
  lib: async ({ closedDemo, page }, use) => {
    await closedDemo.open();
    await page.evaluate(async () => {
      const { Ibid } = await import('./ibid/index.js' as string);
      window.Ibid = Ibid;
      window.ibid = await Ibid.load({ index: './site.ibid' });
    });
    await page.evaluate(`window.outcome = ${outcome}`);
    await use(page);
  },
});

/** Asks in the page with options that are plain data. */
export function ask(page: Page, question: string, options: AskOptions): Promise<Outcome> {
  // Playwright's types take objects of classes apart, which options could hold, and here do not.
  const given = [question, options] as unknown as [string, { policy?: 'auto' }];
  return page.evaluate(([question, options]) => window.outcome(window.ibid.ask(question, options)), given);
}
