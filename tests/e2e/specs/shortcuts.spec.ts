import { expect, type Page, test } from '@playwright/test';
import type { Ibid } from '../../../pkg/src/ibid.js';
import { hosted } from '../elements-host.js';
import { Firefox } from '../firefox.js';
import { held } from '../held.js';

// Keys that reach the elements from other keyboards, input methods, editors, and before the results are there.

const SEARCH = '<ibid-search index="/site.ibid"></ibid-search>';
const EDITORS = `<div id="plain" tabindex="0">plain</div>
  <div id="monaco" tabindex="0">code</div><div id="box" role="textbox" tabindex="0">box</div>
  <div id="rich" contenteditable>rich</div><input id="field"><div id="host"></div>`;

const at = hosted();

/** Sends a key as other systems do; returns true if the page took it. */
function sends(page: Page, selector: string, key: { key: string } & Record<string, unknown>): Promise<boolean> {
  return page.evaluate(
    ([selector, key]) => {
      const [own, within] = selector.split(' >> ');
      const at = document.querySelector(own ?? '');
      const target = within === undefined ? at : at?.shadowRoot?.querySelector(within);
      const event = new KeyboardEvent('keydown', { bubbles: true, composed: true, cancelable: true, ...key });
      return !target?.dispatchEvent(event);
    },
    [selector, key] as const,
  );
}

test('Enter that ends a composition neither opens nor asks, in Safari neither', async ({ page }) => {
  await page.goto(at.host.page(`${SEARCH}<ibid-ask index="/site.ibid"></ibid-ask>`));
  await page.keyboard.press('/');
  await page.getByRole('combobox').fill('green tea');
  await expect(page.getByRole('option').first()).toBeVisible();
  for (const ending of [{ isComposing: true }, { keyCode: 229 }]) {
    await sends(page, 'ibid-search >> input', { key: 'Enter', ...ending });
    await expect(page.getByRole('option', { selected: true })).toHaveCount(0);
  }
  await expect(page).toHaveURL(/page\.html/);
  await page.keyboard.press('Escape');
  await page.keyboard.press('Escape');
  await page.getByRole('textbox').fill('How hot is');
  await sends(page, 'ibid-ask >> textarea', { key: 'Enter', keyCode: 229 });
  await expect(page.getByRole('article')).toHaveCount(0);
  await page.getByRole('textbox').press('Enter');
  await expect(page.getByRole('article')).toHaveCount(1);
});

for (const [where, element] of [
  ['dialog', SEARCH],
  ['form', '<ibid-search inline index="/site.ibid"></ibid-search>'],
]) {
  test(`Enter right behind the last letter opens what that finds, in the ${where}`, async ({ page }) => {
    await page.goto(at.host.page(element ?? ''));
    await page.keyboard.press('Control+k');
    await page.keyboard.type('lemonade with mint');
    await expect(page.getByRole('option', { name: /Lemonade/ }).first()).toBeVisible();
    await page.keyboard.press('Control+a');
    await page.keyboard.insertText('how hot is green tea');
    await page.keyboard.press('Enter');
    await page.waitForURL(/\/tea\.html#green-tea/);
  });

  test(`Enter before code and index are there opens the first result when it comes, in the ${where}`, async ({
    page,
  }) => {
    const release = await held(page, 'site.ibid');
    await page.goto(at.host.page(element ?? ''));
    await page.keyboard.press('/');
    await page.keyboard.type('espresso');
    await page.keyboard.press('Enter');
    await expect(page.getByRole('status').first()).toHaveText('Loading the search …');
    release();
    await page.waitForURL(/\/coffee\.html/);
  });
}

test('Enter waits for the last letters while what was found for those before is shown', async ({ page }) => {
  await page.goto(at.host.page(SEARCH));
  await page.keyboard.press('Control+k');
  // Vectors for the first query come when the test says so.
  await page.locator('ibid-search').evaluate(async (search: HTMLElement & { ibid: Promise<Ibid> }) => {
    const ibid = await search.ibid;
    const query = ibid.query.bind(ibid);
    const released = new Promise((resolve) => search.addEventListener('release', resolve));
    ibid.query = async (text, options) => {
      const found = await query(text, options);
      if (text === 'lemonade' && options?.mode !== 'lexical') await released;
      return found;
    };
  });
  await page.keyboard.type('lemonade');
  await expect(page.getByRole('option', { name: /Lemonade/ }).first()).toBeVisible();
  await page.locator('ibid-search').evaluate(async (search) => {
    const input = search.shadowRoot?.querySelector('input') as HTMLInputElement;
    // Until the search for it, by vectors too, is on its way.
    await new Promise((resolve) => setTimeout(resolve, 500));
    input.value = 'how hot is green tea';
    input.dispatchEvent(new InputEvent('input'));
    search.dispatchEvent(new Event('release'));
    await new Promise((resolve) => setTimeout(resolve, 20));
    input.dispatchEvent(new KeyboardEvent('keydown', { key: 'Enter', bubbles: true }));
  });
  await page.waitForURL(/\/tea\.html#green-tea/);
});

test('a letter or Escape takes an early Enter back', async ({ page }) => {
  const release = await held(page, 'site.ibid');
  await page.goto(at.host.page(SEARCH));
  await page.keyboard.press('/');
  await page.keyboard.type('espresso');
  await page.keyboard.press('Enter');
  await page.keyboard.type(' grind');
  release();
  await expect(page.getByRole('option').first()).toBeVisible();
  await expect(page).toHaveURL(/page\.html/);
});

test('a slash and Ctrl-K are left to editors and fields, and open elsewhere', async ({ page }) => {
  await page.goto(at.host.page(`${SEARCH}${EDITORS}`));
  await page.evaluate(() => {
    const editor = document.querySelector('#monaco') as HTMLElement & { editContext: unknown };
    const { EditContext } = globalThis as unknown as { EditContext: new (options: object) => unknown };
    editor.editContext = new EditContext({ text: 'code' });
    const root = document.querySelector('#host')?.attachShadow({ mode: 'open' });
    if (root) root.innerHTML = '<input id="inner">';
  });
  const dialog = page.getByRole('dialog');
  for (const selector of ['#monaco', '#box', '#rich', '#field', '#inner']) {
    await page.locator(selector).focus();
    await page.keyboard.press('/');
    await expect(dialog, selector).toBeHidden();
  }
  for (const selector of ['#monaco', '#box', '#rich']) {
    await page.locator(selector).focus();
    await page.keyboard.press('Control+k');
    await expect(dialog, selector).toBeHidden();
  }
  await page.locator('#plain').focus();
  await page.keyboard.press('/');
  await expect(page.getByRole('combobox')).toBeFocused();
});

test('a key before the code of a built site’s box is remembered', async ({ page }) => {
  const release = await held(page, 'ibid/ui/index.js');
  const script = '<script src="/ibid/ui/site.js" defer></script>';
  const listens = page.waitForResponse('**/ibid/ui/site.js');
  await page.goto(at.host.page(`<nav></nav>${script}`, 'lang="en"', false));
  await listens;
  await expect(async () =>
    expect(await sends(page, 'nav', { key: 'л', code: 'KeyK', ctrlKey: true })).toBe(true),
  ).toPass();
  release();
  await expect(page.getByRole('combobox', { name: 'Search these documents' })).toBeFocused();
  await page.keyboard.press('Control+k');
  await expect(page.getByRole('dialog')).toBeHidden();
});

test('in Firefox, keys find the box, and Enter does not run ahead of its results', async () => {
  const ENTER = '\uE007';
  const firefox = await Firefox.start();
  try {
    await firefox.goto(`${at.host.page(`${SEARCH}${EDITORS}`)}?free`);
    await firefox.evaluate(async () => {
      await customElements.whenDefined('ibid-search');
      document.querySelector<HTMLElement>('#box')?.focus();
    }, null);
    const isOpen = () =>
      firefox.evaluate(
        async () => document.querySelector('ibid-search')?.shadowRoot?.querySelector('dialog')?.open,
        null,
      );
    await firefox.press('/');
    expect(await isOpen()).toBe(false);
    await firefox.evaluate(async () => document.querySelector<HTMLElement>('#plain')?.focus(), null);
    await firefox.press('/');
    expect(await isOpen()).toBe(true);
    await firefox.press(...'espresso', ENTER);
    // A page that is being left answers nothing.
    const address = () => firefox.evaluate(async () => location.pathname, null).catch(() => '');
    await expect.poll(address).toBe('/coffee.html');
  } finally {
    await firefox.close();
  }
});
