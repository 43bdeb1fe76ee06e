import type { Page } from '@playwright/test';
import { expectAccessible } from '../axe.js';
import type { Demo } from '../demo.js';
import { expect, test } from '../harness.js';
import type { LlmDouble } from '../llm-double.js';
import * as replies from '../llm-replies.js';

// The demo's page as a whole; `elements.spec` looks at the elements alone, at more widths.

const METFORMIN = 'How much metformin a day with an eGFR of 35?';

const ANSWER = [
  '**Up to 1000 mg** daily, in divided doses [1].',
  '- Stop below 30 [1][2].\n- Twice a day at most [99].',
  '| eGFR | Metformin [2] | Sitagliptin | Note |\n|---|---|---|---|\n| 30 to 44 | 1000 mg daily | 50 mg daily | divided |',
  '```\na line of code that is far too long for a screen of three hundred and twenty pixels\n```',
  '> Lower ceiling in renal impairment `(see above)`.',
].join('\n\n');

/** Brings the page into each state that looks different, and calls `look` there. */
async function everyState(demo: Demo, llm: LlmDouble, look: (state: string) => Promise<void>): Promise<void> {
  const { page } = demo;
  await look('start');
  await demo.search(METFORMIN);
  await expect(demo.results.first()).toBeVisible();
  await look('results');
  await demo.searchBox.press('Escape');
  await demo.openModelForm();
  await demo.model.getByLabel('Provider').selectOption('custom');
  await demo.model.getByRole('button', { name: 'Use this model' }).click();
  await expect(demo.model.getByRole('alert')).not.toBeEmpty();
  await look('model form');
  await demo.useModel(llm);
  llm.script(replies.searches(METFORMIN), replies.answer(ANSWER));
  await demo.ask(METFORMIN);
  await demo.answered('model');
  await demo.turns
    .first()
    .getByText(/^Check this/)
    .click();
  await expect(demo.doubts.first()).toBeVisible();
  await look('answer');
  await demo.citation(1).first().click();
  await expect(demo.passage).toBeVisible();
  await look('passage of an answer');
  llm.script(replies.rateLimited(0), replies.unauthorized);
  await demo.ask(METFORMIN);
  await demo.problem('provider-auth');
  await look('error');
  await demo.ask('I have crushing chest pain right now and my left arm is numb');
  await expect(demo.turns.first().getByRole('alert')).toBeVisible();
  await look('emergency');
  await page.locator('#files').setInputFiles({
    name: 'tea.md',
    mimeType: 'text/markdown',
    buffer: Buffer.from('# Tea\n\nGreen tea steeps at 80 degrees for two minutes.\n'),
  });
  await expect(page.locator('#own-status')).toContainText('Documents: 1');
  await look('own files');
}

/** Returns how wide the page is, and what sticks out of it. */
function width(page: Page): Promise<{ page: number; wide: string[] }> {
  return page.evaluate(() => {
    const inside = [...document.querySelectorAll('ibid-search, ibid-ask')].flatMap(({ shadowRoot }) => [
      ...(shadowRoot?.querySelectorAll('*') ?? []),
    ]);
    const wide = [...document.querySelectorAll('body *'), ...inside].filter((element) => {
      const { left, right, width } = element.getBoundingClientRect();
      const scrolls = element.closest('pre, table, .text, .facets') !== null;
      const hidden = element.closest('[hidden]') !== null || getComputedStyle(element).visibility === 'hidden';
      return !scrolls && !hidden && width > 0 && (right > 320.5 || left < -0.5);
    });
    return {
      page: document.documentElement.scrollWidth,
      wide: wide.map(({ tagName, className }) => `${tagName} ${className}`),
    };
  });
}

test('axe finds nothing in any state, and 320 pixels are wide enough', async ({ demo, llm, page }) => {
  const usual = page.viewportSize() ?? { width: 1280, height: 720 };
  await everyState(demo, llm, async (state) => {
    await test.step(state, async () => {
      await expectAccessible(page, state);
      await page.setViewportSize({ width: 320, height: 640 });
      expect(await width(page), `width in state "${state}"`).toEqual({ page: 320, wide: [] });
      await page.setViewportSize(usual);
    });
  });
});

test('axe finds nothing on the page that compares', async ({ page, site }) => {
  await page.goto(new URL('compare.html?q=child+tugging+at+the+ear', site).href);
  const last = page.getByRole('region', { name: 'Pagefind' });
  await expect(last).toContainText(/\d+ ms/);
  await expectAccessible(page, 'compared');
  await page.setViewportSize({ width: 320, height: 640 });
  expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(320);
});

test('the chosen theme overrides the system’s and is kept', async ({ demo, page }) => {
  const paper = () => page.evaluate(() => getComputedStyle(document.documentElement).backgroundColor);
  const light = await paper();
  const button = page.locator('#theme');
  await expect(button).toHaveText('Theme: system');
  await button.click();
  await expect(button).toHaveText('Theme: light');
  await button.click();
  await expect(button).toHaveText('Theme: dark');
  const dark = await paper();
  expect(dark).not.toBe(light);
  await page.reload();
  await expect(demo.searchBox).toBeVisible();
  await expect(button).toHaveText('Theme: dark');
  expect(await paper()).toBe(dark);
  await button.click();
  await expect(button).toHaveText('Theme: system');
  expect(await paper()).toBe(light);
});
