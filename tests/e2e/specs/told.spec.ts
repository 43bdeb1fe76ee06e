import { cpSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { expect, type Page, test } from '@playwright/test';
import { SITE } from '../documents.js';
import { hosted } from '../elements-host.js';
import { withDouble } from '../llm-double.js';
import * as replies from '../llm-replies.js';

// The elements say in plain words why they have nothing to show.

const at = hosted();

/** Gives an element an index that finds nothing. */
async function findsNothing(page: Page, element: string): Promise<void> {
  await page.evaluate((name) => {
    const nothing = { info: { fields: [] }, query: async () => ({ hits: [], pages: [], facets: [], total: 0 }) };
    Object.assign(document.querySelector(name) ?? {}, { ibid: nothing });
  }, element);
}

async function ask(page: Page, question: string): Promise<void> {
  await page.getByRole('textbox', { name: 'Your question' }).fill(question);
  await page.getByRole('textbox', { name: 'Your question' }).press('Enter');
}

test('a search that finds nothing says so, and what may help', async ({ page }) => {
  await page.goto(at.host.page('<ibid-search inline index="/site.ibid"></ibid-search>'));
  await findsNothing(page, 'ibid-search');
  await page.getByRole('combobox').fill('zorvath pluminge');
  await expect(page.getByRole('status')).toHaveText(
    'No results for “zorvath pluminge”. Check the spelling, or try fewer or other words.',
  );
  await expect(page.getByRole('option')).toHaveCount(0);
  await page.getByRole('combobox').press('Enter');
  await expect(page).toHaveURL(/page\.html/);
});

test('a question that these pages have nothing about says so, and what comes nearest', async ({ page }) => {
  await page.goto(at.host.page('<ibid-ask index="/site.ibid" lang="en"></ibid-ask>'));
  await ask(page, 'zorvath pluminge?');
  const turn = page.getByRole('article');
  await expect(turn).toContainText('No good matches. Closest results:');
  await expect(turn.getByText('The best passages, word for word.')).toHaveCount(0);
});

test('a failed connection is told in words, and a retry says that it asks again', async ({ page }) => {
  await withDouble(async (llm) => {
    const model = `model="${llm.model}" base-url="${llm.baseUrlOf('chat')}"`;
    await page.goto(at.host.page(`<ibid-ask index="/site.ibid" ${model} own-key agreed></ibid-ask>`));
    await page.getByRole('textbox', { name: /API key/ }).fill(llm.key);
    const said = page.evaluate(() => {
      const texts = new Set<string>();
      const root = document.querySelector('ibid-ask')?.shadowRoot as ShadowRoot;
      const watch = new MutationObserver(() => texts.add(root.querySelector('[role="status"]')?.textContent ?? ''));
      watch.observe(root, { subtree: true, childList: true, characterData: true });
      return new Promise<string[]>((resolve) =>
        document.addEventListener('ibid-answer', () => resolve([...texts]), { once: true }),
      );
    });
    llm.script(replies.rateLimited(0), replies.searches('green tea'), replies.answer('Green tea is green [1].'));
    await ask(page, 'What is green tea?');
    const texts = await said;
    expect(texts).toContain('No answer yet. Asking again …');
    expect(texts).not.toContain('Try again');
  });
  // By now nobody listens there.
  await ask(page, 'What is black tea?');
  await expect(page.getByRole('button', { name: 'Try again' })).toBeVisible();
  const turn = page.getByRole('article', { name: 'What is black tea?' });
  await expect(turn).toContainText('The connection failed. Check it, or try again later.');
  await expect(turn).not.toContainText(/Failed to fetch|TypeError/);
});

test('code that cannot be fetched is told in words', async ({ page }) => {
  await page.route('**/ibid/wasm/ibid.js', (route) => route.abort());
  await page.route('**/ibid/ui/reply.js', (route) => route.abort());
  await page.goto(
    at.host.page('<ibid-search inline index="/site.ibid"></ibid-search><ibid-ask index="/site.ibid"></ibid-ask>'),
  );
  await page.getByRole('combobox').fill('green tea');
  await expect(page.getByRole('status')).toHaveText('Search is not working right now.');
  await ask(page, 'green tea');
  await expect(page.getByRole('article')).toContainText('is not working right now');
  await expect(page.locator('body')).not.toContainText(/Failed to fetch|TypeError/);
});

test('a page that is opened from a file says that it needs a server', async ({ page }) => {
  const folder = mkdtempSync(join(tmpdir(), 'ibid-file-'));
  try {
    cpSync(join(SITE, 'ibid/ui'), join(folder, 'ibid/ui'), { recursive: true });
    const script = '<script src="ibid/ui/site.js" defer></script>';
    writeFileSync(
      join(folder, 'index.html'),
      `<!doctype html><html lang="en"><head><meta charset="utf-8"><title>Tea</title>${script}</head><body><nav></nav><h1>Tea</h1></body></html>`,
    );
    await page.goto(pathToFileURL(join(folder, 'index.html')).href);
    await expect(page.getByText('Search needs a web server: run `npx ibid serve`')).toBeVisible();
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});
