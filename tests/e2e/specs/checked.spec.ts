import { expect, type Page, test } from '@playwright/test';
import { expectAccessible } from '../axe.js';
import { hosted } from '../elements-host.js';
import { type LlmDouble, withDouble } from '../llm-double.js';
import * as replies from '../llm-replies.js';

// A reader tells apart what was found in its source, what was not, and what could not be checked.

const QUESTION = 'How is green tea made?';
/** A question to which no passage is near. */
const UNKNOWN = 'What is the capital of Mongolia?';
const SUPPORTED = 'Green tea steeps at **80 degrees** for two minutes [1].';
const UNSUPPORTED = 'Green tea steeps for nine minutes [1].';
const UNCHECKED = 'Zu heißes Wasser macht den Tee bitter [1].';
const UNCITED = 'The leaves are picked in Japan in April and dried in the shade.';

const at = hosted();

/** Has a model give an answer, after a search unless there is to be none. */
async function answered(page: Page, text: string, run: () => Promise<void>, searches = true): Promise<void> {
  await withDouble(async (llm: LlmDouble) => {
    const model = `model="${llm.model}" base-url="${llm.baseUrlOf('chat')}"`;
    await page.goto(at.host.page(`<ibid-ask index="/site.ibid" ${model} own-key agreed></ibid-ask>`));
    await page.getByRole('textbox', { name: /API key/ }).fill(llm.key);
    llm.script(...(searches ? [replies.searches('green tea')] : []), replies.answer(text));
    await page.getByRole('textbox', { name: 'Your question' }).fill(searches ? QUESTION : UNKNOWN);
    await page.getByRole('textbox', { name: 'Your question' }).press('Enter');
    await expect(page.getByText(/^Written by/)).toBeVisible();
    await run();
  });
}

/** The sentence of the open passage that is held against the answer's. */
async function sentence(page: Page): Promise<string> {
  const pieces = page.locator('.passage mark[data-kind~="evidence"]');
  await expect(pieces).not.toHaveCount(0);
  return (await pieces.allTextContents()).join('');
}

/** The answer's values in it. */
const values = (page: Page) => page.locator('.passage mark[data-kind~="value"]');

const ALL = [SUPPORTED, UNSUPPORTED, UNCHECKED, UNCITED].join(' ');

test('each sentence has its sign, which opens its evidence, and what to check leads to it', async ({ page }) => {
  await answered(page, ALL, async () => {
    await expect(page.locator('.ibid-sign')).toHaveCount(3);
    await expect(page.getByRole('button', { name: 'Found in its source. Show the sentence.' })).toHaveCount(1);
    await expect(page.getByRole('button', { name: /^Not found in its sources\. / })).toHaveCount(1);
    await expect(page.getByRole('button', { name: 'Cites no source.' })).toHaveCount(1);
    await expect(page.getByText('1 of 4 sentences found in their sources, 2 not found, 1 not checked.')).toBeVisible();
    await expect(page.getByText(/from these sources\. Check what matters/)).toBeVisible();

    const passage = page.locator('.passage');
    await page.getByRole('button', { name: /^Found in its source/ }).click();
    await expect(passage).toBeFocused();
    expect(await sentence(page)).toBe('Green tea steeps at 80 degrees for two minutes.');
    await expect(values(page)).toHaveText(['80', 'two minutes']);
    await passage.getByRole('button', { name: 'Close' }).click();
    await expect(page.getByRole('button', { name: /^Found in its source/ })).toBeFocused();
    await page.getByRole('button', { name: 'Cites no source.' }).click();
    await expect(passage).toHaveText(/^Cites no source\./);

    await page.getByText('Check this (2)').click();
    const items = page.getByRole('listitem');
    await expect(items).toHaveText([/^Green tea steeps for nine minutes\. Not found/, /^The leaves are picked/]);
    await items.getByRole('button', { name: 'Green tea steeps for nine minutes.' }).click();
    await expect(page.getByRole('button', { name: /^Not found/ })).toBeFocused();
    await page.keyboard.press('Enter');
    await expect(passage).toContainText('“nine minutes” is in no cited source.');
    // The value that stands there instead; the one that does not has been named.
    expect(await sentence(page)).toBe('Green tea steeps at 80 degrees for two minutes.');
    await expect(values(page)).toHaveText(['two minutes']);
    await expect(passage.getByText(/^Not in this passage/)).toHaveCount(0);
    await expectAccessible(page, 'checked');
  });
});

test('a citation opens the values of its sentence, and names those that are not there', async ({ page }) => {
  const text = '🍵 At 80 degrees green tea steeps for 120 seconds, which `brew --slow` or Anna Berg does in 45 ml [1].';
  await answered(page, text, async () => {
    await page.getByRole('button', { name: /^Source 1:/ }).click();
    const passage = page.locator('.passage');
    await expect(passage).toBeFocused();
    expect(await sentence(page)).toBe('Green tea steeps at 80 degrees for two minutes.');
    await expect(values(page)).toHaveText(['80', 'two minutes']);
    await expect(passage).toContainText('Not in this passage: brew, --slow, Anna Berg, 45 ml');
    await expectAccessible(page, 'evidence');
  });
});

test('what is found in all its sources has nothing to check', async ({ page }) => {
  await answered(page, SUPPORTED, async () => {
    await expect(page.getByText('1 of 1 sentences found in their sources, 0 not found, 0 not checked.')).toBeVisible();
    await expect(page.getByText(/^Check this/)).toHaveCount(0);
  });
});

test('a model that writes where nothing is found has not written from these sources', async ({ page }) => {
  await answered(
    page,
    UNCITED,
    async () => {
      await expect(page.getByText(/^Written by .*, not from these pages\./)).toBeVisible();
      await expect(page.getByText(/from these sources/)).toHaveCount(0);
    },
    false,
  );
});

test.describe('on a touch screen', () => {
  test.use({ hasTouch: true, isMobile: true, viewport: { width: 390, height: 844 } });
  test('every button of an answer is 44 px high and wide', async ({ page }) => {
    await answered(page, ALL, async () => {
      await page.getByText('Check this (2)').click();
      const small = await page.evaluate(() => {
        const root = document.querySelector('ibid-ask')?.shadowRoot;
        const boxes = [...(root?.querySelectorAll('button, summary') ?? [])].map((button) => ({
          name: button.className || button.textContent,
          box: button.getBoundingClientRect(),
        }));
        return boxes.filter(({ box }) => box.width < 44 || box.height < 44).map(({ name }) => name);
      });
      expect(small).toEqual([]);
      expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(390);
    });
  });
});

test('forced colours leave the signs visible', async ({ page }) => {
  await page.emulateMedia({ forcedColors: 'active' });
  await answered(page, ALL, async () => {
    for (const sign of await page.locator('.ibid-sign').all()) {
      const [stroke, paper] = await sign.evaluate((button) => [
        getComputedStyle(button.querySelector('svg') ?? button).stroke,
        getComputedStyle(document.body).backgroundColor,
      ]);
      expect(stroke).not.toBe(paper);
    }
  });
});
