import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, type Page, test } from '@playwright/test';
import { expectAccessible } from '../axe.js';
import { COMMAND, ROOT } from '../documents.js';

const TEA = `---
title: Tea
url: https://tea.example/guide
---
# Tea

## Green tea

Green tea steeps at 80 degrees. \`<img src="https://evil.example/x.png" onerror="alert(1)">\`

## Black tea

Black tea wants water that has come to the boil a moment ago, and steeps for four minutes in a pot that was warmed.
`;

let folder: string;
let child: ChildProcess;
let address: string;

test.beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'ibid-page-'));
  writeFileSync(join(folder, 'tea.md'), TEA);
  // The documents of the project make it an index in which not everything is relevant.
  const paths = [join(ROOT, 'docs'), 'tea.md'];
  const options = ['--encoder', 'table', '--budget', '40', '--min-size', '0'];
  execFileSync(COMMAND, ['build', ...paths, ...options], { cwd: folder, stdio: 'ignore' });
  child = spawn(COMMAND, ['serve', '--port', '0'], { cwd: folder, stdio: ['ignore', 'pipe', 'ignore'] });
  address = await new Promise((resolve) => child.stdout?.once('data', (line) => resolve(String(line).trim())));
});

test.afterAll(() => {
  child.kill('SIGINT');
  rmSync(folder, { recursive: true });
});

/** Notes what a page reports as an error, and what it asks of other hosts. */
function watch(page: Page): string[] {
  const found: string[] = [];
  page.on('pageerror', ({ message }) => found.push(message));
  page.on('console', (message) => {
    if (message.type() === 'error' || message.type() === 'warning') found.push(message.text());
  });
  page.on('request', (request) => {
    const { protocol, origin } = new URL(request.url());
    if (protocol !== 'data:' && origin !== new URL(address).origin) found.push(request.url());
  });
  return found;
}

test('the page that `ibid serve` shows finds passages as one types', async ({ page }) => {
  const problems = watch(page);
  await page.goto(address);
  const [input, status] = [page.getByRole('combobox'), page.getByRole('status').first()];
  await page.keyboard.press('/');
  await page.keyboard.type('green tea stee');
  const first = page.getByRole('option', { name: 'Tea: Green tea' });
  await expect(first.locator('mark').first()).toHaveText('Green');
  await expect(first).toHaveAttribute('href', /^https:\/\/tea\.example\/guide#green-tea:~:text=/);
  await expect(page).toHaveURL(/\?q=green\+tea\+stee$/);
  // The documents of the project have no address: their passages are shown in place, as the text that they are.
  await input.fill('how are vectors compared');
  const own = page.getByRole('option', { name: /how vectors are compared/ }).first();
  await own.click();
  await expect(own.locator('.whole')).not.toBeEmpty();
  expect(await page.locator('img').count()).toBe(0);
  await page.keyboard.press('Escape');
  await input.fill('zyzzyva qwxzk');
  await expect(status).toHaveText(/^(?:No good matches\. Closest results|No results)/);
  expect(problems).toEqual([]);
});

test('it answers by the best passages', async ({ page }) => {
  const problems = watch(page);
  await page.goto(address);
  await page.getByRole('textbox', { name: 'Your question' }).fill('How hot is green tea?');
  await page.keyboard.press('Enter');
  await expect(page.getByRole('article', { name: 'How hot is green tea?' })).toContainText('80 degrees');
  expect(await page.locator('img').count()).toBe(0);
  expect(problems).toEqual([]);
});

test('its page is readable in both themes and on a narrow screen', async ({ page }) => {
  await page.goto(`${address}?q=tea`);
  await expect(page.getByRole('option').first()).toBeVisible();
  for (const width of [1100, 360]) {
    await page.setViewportSize({ width, height: 700 });
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(width);
  }
  await expectAccessible(page, 'results');
});
