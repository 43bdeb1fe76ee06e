import { accessSync, constants } from 'node:fs';
import { delimiter, join } from 'node:path';
import { defineConfig } from '@playwright/test';

/**
 * The system's Chromium, if possible the one without windows, which opens a page in a quarter of the time; `CHROMIUM` names
 * another one. Playwright's own downloads are not used.
 */
function chromium(): string {
  const named = process.env.CHROMIUM;
  if (named !== undefined) return named;
  for (const command of ['chromium-headless-shell', 'chromium', 'chromium-browser', 'google-chrome']) {
    for (const folder of (process.env.PATH ?? '').split(delimiter)) {
      const path = join(folder, command);
      try {
        accessSync(path, constants.X_OK);
        return path;
      } catch {
        // Not in this folder.
      }
    }
  }
  throw new Error('No Chromium on PATH: run ./build.sh setup, or set CHROMIUM to its path.');
}

export default defineConfig({
  testDir: 'specs',
  outputDir: 'test-results',
  // Limits are for what hangs: on two busy cores, axe takes a minute for all states of a page.
  timeout: 180_000,
  expect: { timeout: 30_000 },
  fullyParallel: true,
  // `./build.sh test --all` also runs tests that seldom find anything, and those of files in Firefox.
  ...(process.env.IBID_TEST_ALL ? {} : { grepInvert: /@all|\(Firefox\)/ }),
  workers: 2,
  // Playwright names a test that passes only the second time as flaky, and goes on.
  retries: 1,
  forbidOnly: Boolean(process.env.CI),
  reporter: [['list']],
  use: {
    browserName: 'chromium',
    screenshot: 'only-on-failure',
    trace: process.env.CI ? 'retain-on-failure' : 'off',
    launchOptions: {
      executablePath: chromium(),
      // Chromium refuses its sandbox to root.
      chromiumSandbox: process.getuid?.() !== 0,
      args: [
        '--disable-gpu',
        '--disable-quic',
        '--no-first-run',
        '--disable-background-networking',
        '--disable-component-update',
        '--disable-sync',
        '--disable-dev-shm-usage',
      ],
    },
  },
});
