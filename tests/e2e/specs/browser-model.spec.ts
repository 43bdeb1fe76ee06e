import { expect, type Page, test } from '@playwright/test';
import { expectAccessible } from '../axe.js';
import { elements } from '../elements-host.js';
import { givePromptApi, steer } from '../prompt-api-double.js';

// `model="browser"`: the model of Chrome or Edge, by a double that speaks the Prompt API.

const ASK = '<ibid-ask index="/site.ibid" model="browser"></ibid-ask>';

const at = elements();

async function ask(page: Page, question: string) {
  await page.getByRole('textbox', { name: 'Your question' }).fill(question);
  await page.keyboard.press('Enter');
  return page.getByRole('article', { name: question });
}

const agreement = (page: Page) => page.getByRole('checkbox', { name: /^Answer with / });

test('the model is downloaded once the reader agrees, and its citations are checked', async ({ page }) => {
  await givePromptApi(page, { availability: 'downloadable', answer: ['Green tea steeps ', 'at 95 degrees [1].'] });
  await page.goto(at.host.page(ASK));
  await expect(page.getByText('It runs in your browser')).toBeVisible();
  await expect(page.getByText('a few gigabytes')).toBeVisible();
  await expectAccessible(page, 'choice');
  await expect(await ask(page, 'How hot is green tea?')).toContainText('The best passages, word for word.');
  expect(await steer(page, ({ sessions }) => sessions.created)).toBe(0);
  await agreement(page).check();
  const bar = page.getByRole('progressbar', { name: 'Downloading the model' });
  await expect(bar).toBeVisible();
  await steer(page, ({ load }) => load(0.4));
  await expect(bar).toHaveJSProperty('value', 0.4);
  // A question meanwhile is answered as before.
  await expect(await ask(page, 'How long does black tea steep?')).toContainText('The best passages, word for word.');
  await steer(page, ({ load }) => load(1));
  await expect(bar).toBeHidden();
  const turn = await ask(page, 'How hot is green tea, in degrees?');
  await expect(turn.getByText(/^Written by .+ from these sources/)).toBeVisible();
  await expect(turn.locator('mark.ibid-flag')).toHaveText('95');
  await expect(turn.getByRole('button', { name: /^Source 1/ }).first()).toBeVisible();
  const prompts = await steer(page, ({ prompts }) => prompts);
  // A further question is first made a query.
  expect(prompts.map((prompt) => prompt.includes('<source number="1"'))).toEqual([false, true]);
  expect(await steer(page, ({ sessions }) => sessions.created - sessions.destroyed)).toBe(0);
});

test('a reader who agreed before need not do so again, and the passages fit a small model', async ({ page }) => {
  await givePromptApi(page, { contextWindow: 2000 });
  await page.goto(at.host.page(ASK));
  await agreement(page).check();
  await page.goto(`${at.host.page(ASK)}?ask=How+hot+is+green+tea%3F`);
  const answered = page.evaluate(
    () =>
      new Promise<number>((resolve) =>
        document.addEventListener('ibid-answer', (event) =>
          resolve((event as CustomEvent).detail.answer.sources.length),
        ),
      ),
  );
  await expect(page.getByText(/^Written by .+ from these sources/)).toBeVisible();
  await expect(agreement(page)).toBeChecked();
  expect(await answered).toBe(1);
  expect(await steer(page, ({ prompts }) => prompts.every(({ length }) => length < 4 * 2000))).toBe(true);
});

test('a download that fails says so, and can be tried again', async ({ page }) => {
  await givePromptApi(page, { availability: 'downloadable' });
  await page.goto(at.host.page(ASK));
  await agreement(page).click();
  await steer(page, (double) => double.break());
  await expect(page.getByText('The download failed.')).toBeVisible();
  await expect(agreement(page)).not.toBeChecked();
  await expect(await ask(page, 'How hot is green tea?')).toContainText('The best passages, word for word.');
  await agreement(page).check();
  await steer(page, ({ load }) => load(1));
  await expect(await ask(page, 'How hot is green tea now?')).toContainText(/Written by .+ from these sources/);
});

test('a page that has asked the reader itself begins the download with the first question', async ({ page }) => {
  await givePromptApi(page, { availability: 'downloadable' });
  await page.goto(at.host.page(ASK.replace('model=', 'agreed model=')));
  await expect(await ask(page, 'How hot is green tea?')).toContainText('The best passages, word for word.');
  await steer(page, ({ load }) => load(1));
  await expect(await ask(page, 'How hot is green tea now?')).toContainText(/Written by .+ from these sources/);
});

test('answers are quotes where there is no such model, or none for the language of the page', async ({ page }) => {
  await page.addInitScript(() => Reflect.deleteProperty(globalThis, 'LanguageModel'));
  await page.goto(at.host.page(ASK));
  await expect(await ask(page, 'How hot is green tea?')).toContainText('The best passages, word for word.');
  await expect(agreement(page)).toHaveCount(0);
  expect(at.host.paths.filter((path) => /browser-model|prompt-api/.test(path))).toEqual([]);
  await givePromptApi(page);
  await page.goto(at.host.page(ASK, 'lang="sv"'));
  await page.getByRole('textbox').fill('How hot is green tea?');
  await page.keyboard.press('Enter');
  await expect(page.getByRole('article')).toContainText('80 degrees');
  await expect(page.getByRole('checkbox')).toHaveCount(0);
});

test('the search box answers by it, too', async ({ page }) => {
  await givePromptApi(page);
  await page.goto(at.host.page('<ibid-search answers index="/site.ibid" model="browser"></ibid-search>'));
  await page.keyboard.press('/');
  await page.getByRole('combobox').fill('How hot is green tea?');
  await page.getByRole('button', { name: /^Ask:/ }).click();
  await expect(page.getByRole('article').first()).toContainText('The best passages, word for word.');
  await agreement(page).check();
  await expect(await ask(page, 'How hot is green tea now?')).toContainText(/Written by .+ from these sources/);
});
