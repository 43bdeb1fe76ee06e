import { expect, type Page, test } from '@playwright/test';
import { expectAccessible } from '../axe.js';
import { indexOfFiles } from '../documents.js';
import { elements } from '../elements-host.js';
import { Firefox } from '../firefox.js';
import { withDouble } from '../llm-double.js';
import * as replies from '../llm-replies.js';

// The elements of `ibid/ui` as a site has them: two lines of HTML.

const SEARCH = '<ibid-search index="/site.ibid" facets="kind"></ibid-search>';

const at = elements();

async function found(page: Page, query: string): Promise<void> {
  await page.getByRole('combobox').fill(query);
  await expect(page.getByRole('option').first()).toBeVisible();
}

test('nothing but the element is fetched before it is used, and the keyboard leads to the highlighted words', async ({
  page,
}) => {
  at.host.paths.length = 0;
  await page.goto(at.host.page(SEARCH));
  await expect(page.getByRole('button', { name: 'Search' })).toBeVisible();
  expect(at.host.paths).toEqual(['/page.html', '/site.css', '/ibid/ui/index.js']);
  await page.keyboard.press('Control+k');
  const box = page.getByRole('combobox', { name: 'Search these documents' });
  await expect(box).toBeFocused();
  await page.keyboard.type('how hot is green tea');
  await expect(page.getByRole('option', { name: 'Tea: Green tea' }).locator('mark')).toHaveText(['Green', 'tea']);
  await expect(box).toHaveAttribute('aria-expanded', 'true');
  await page.keyboard.press('ArrowDown');
  const first = page.getByRole('option', { name: 'Tea: Green tea' });
  await expect(first).toHaveAttribute('aria-selected', 'true');
  await expect(box).toHaveAttribute('aria-activedescendant', (await first.getAttribute('id')) ?? '');
  await expect(page).toHaveURL(/\?q=how\+hot\+is\+green\+tea$/);
  await page.keyboard.press('Enter');
  await page.waitForURL(/\/tea\.html#green-tea/);
  await expect
    .poll(() => page.evaluate(() => [...(CSS.highlights.get('ibid-target') ?? [])].map(String)))
    .toEqual(expect.arrayContaining(['Green', 'tea']));
});

test('letters that are typed into the box are no shortcuts of the page', async ({ page }) => {
  await page.goto(at.host.page(SEARCH));
  await page.evaluate(() => {
    for (const type of ['keydown', 'keypress']) document.addEventListener(type, (event) => event.preventDefault());
  });
  await page.keyboard.press('Control+k');
  await page.getByRole('combobox').pressSequentially('sS/?tea');
  await expect(page.getByRole('combobox')).toHaveValue('sS/?tea');
});

test.describe('on a phone', () => {
  test.use({ hasTouch: true, isMobile: true, viewport: { width: 375, height: 667 } });
  test('the box is where one looks, above the keyboard, and the page stays where it was', async ({ page }) => {
    await page.goto(at.host.page(`${SEARCH}${'<p>Tea.</p>'.repeat(200)}`));
    await page.evaluate(() => scrollTo(0, document.body.scrollHeight));
    const scrolled = await page.evaluate(() => scrollY);
    await page.evaluate(() => document.querySelector<HTMLElement & { open(): void }>('ibid-search')?.open());
    await expect(page.getByRole('combobox')).toBeInViewport();
    // As a keyboard on the screen leaves it.
    await page.evaluate(() => {
      Object.defineProperty(visualViewport, 'height', { value: 300 });
      visualViewport?.dispatchEvent(new Event('resize'));
    });
    expect((await page.locator('dialog').boundingBox())?.height).toBe(300);
    await page.getByRole('button', { name: 'Close' }).click();
    await expect(page.locator('dialog[open]')).toHaveCount(0);
    expect(await page.evaluate(() => scrollY)).toBe(scrolled);
  });
});

test('readers of a site in two languages find pages in theirs, and get answers in it', async ({ page }) => {
  const index = indexOfFiles([
    { name: 'kettle.md', text: '# Kettle\n\nThe kettle is made of steel, and it boils water in three minutes.\n' },
    { name: 'kessel.md', text: '# Kettle\n\nDer Kettle ist aus Stahl, und er kocht das Wasser in drei Minuten.\n' },
  ]);
  await page.route('**/site.ibid', (route) => route.fulfill({ body: index }));
  for (const [lang, own] of [
    ['en', 'The kettle is made of steel'],
    ['de-AT', 'Der Kettle ist aus Stahl'],
  ] as const) {
    await page.goto(at.host.page(`<div lang="${lang}">${SEARCH}</div>`));
    await page.getByRole('button').first().click();
    await found(page, 'kettle');
    await expect(page.getByRole('option')).toHaveCount(1);
    await expect(page.getByRole('option')).toContainText(own);
    await page.goto(at.host.page(`<div lang="${lang}"><ibid-ask index="/site.ibid"></ibid-ask></div>`));
    await page.getByRole('textbox').fill('kettle');
    await page.keyboard.press('Enter');
    await expect(page.getByRole('article')).toContainText(own);
  }
});

test('a screen reader hears pages, sections and passages', async ({ page }) => {
  await page.goto(at.host.page(SEARCH));
  await page.getByRole('button', { name: 'Search' }).click();
  await found(page, 'espresso grind');
  await expect(page.getByRole('group', { name: 'Coffee' })).toMatchAriaSnapshot(`
    - group "Coffee":
      - option "Coffee"
  `);
  await page.keyboard.press('Escape');
  await expect(page.getByRole('combobox')).toHaveValue('');
  await page.keyboard.press('Escape');
  await expect(page.getByRole('button', { name: 'Search' })).toBeFocused();
  await expect(page).toHaveURL(/page\.html$/);
});

test('signs tell a page from a section, the box is cleared, and Shift and Enter ask', async ({ page }) => {
  await page.goto(at.host.page(`${SEARCH}<ibid-ask index="/site.ibid"></ibid-ask>`));
  await page.keyboard.press('/');
  await expect(page.getByRole('button', { name: 'Clear' })).toBeHidden();
  await found(page, 'lemonade with mint');
  await expect(page.getByRole('status').first()).toHaveText(/^Results: \d+$/);
  await expect(async () => {
    const parts = [page.getByRole('button', { name: /^Ask: / }), page.getByRole('option').first()];
    const [ask, first] = await Promise.all(parts.map((part) => part.boundingBox()));
    expect(ask?.y, 'above the results').toBeLessThan(first?.y ?? 0);
  }).toPass();
  await expect(page.getByText('to ask')).toBeVisible();
  await page.getByRole('button', { name: 'Clear' }).click();
  await expect(page.getByRole('combobox')).toHaveValue('');
  await expect(page.getByRole('combobox')).toBeFocused();
  await expect(page.getByRole('option')).toHaveCount(0);
  await expect(page.getByText('to ask')).toBeHidden();
  const sign = (name: string) =>
    page.getByRole('option', { name, exact: true }).locator('> svg path').getAttribute('d');
  await found(page, 'espresso grind');
  const ofPage = await sign('Coffee');
  await found(page, 'How hot is green tea?');
  expect(await sign('Tea: Green tea')).not.toBe(ofPage);
  await page.keyboard.press('Shift+Enter');
  await expect(page.getByRole('article', { name: 'How hot is green tea?' })).toContainText('80 degrees');
  await expect(page).toHaveURL(/page\.html/);
});

test('excerpts are text, without markup of tables and code', async ({ page }) => {
  await page.goto(at.host.page(SEARCH));
  for (const query of ['minutes that black tea steeps', 'const espresso grind', 'lemonade with mint']) {
    await page.keyboard.press('/');
    await found(page, query);
    const shown = (await page.getByRole('option').allInnerTexts()).join('\n');
    expect(shown).not.toMatch(/\| ?---|```/);
    await expect(page.locator('ibid-search img')).toHaveCount(0);
    await page.keyboard.press('Control+k');
  }
});

test('facets narrow the search, and what was opened is found again', async ({ page }) => {
  await page.goto(at.host.page(SEARCH));
  await page.keyboard.press('/');
  await found(page, 'water');
  await page.getByRole('button', { name: /^cold/ }).click();
  await expect(page.getByRole('group', { name: 'Lemonade' })).toBeVisible();
  await expect(page.getByRole('group', { name: 'Tea' })).toHaveCount(0);
  await page.getByRole('button', { name: /^cold/ }).click();
  await found(page, 'green tea');
  await page.getByRole('option', { name: 'Tea: Green tea' }).click();
  await page.goto(at.host.page(SEARCH));
  await page.keyboard.press('/');
  await page.getByRole('button', { name: 'Add “Tea: Green tea” to favourites' }).click();
  await expect(page.getByRole('list', { name: 'Favourites' }).getByRole('link')).toHaveText(['Tea: Green tea']);
  await page.getByRole('list', { name: 'Recent searches' }).getByRole('button', { name: 'green tea' }).click();
  await expect(page.getByRole('option').first()).toBeVisible();
});

test('a page is opened with its query, and a search that fails says so and works again', async ({ page }) => {
  await page.goto(`${at.host.page(SEARCH)}?q=espresso`);
  await expect(page.getByRole('option', { name: 'Coffee', exact: true })).toBeVisible();
  at.host.fails = true;
  await page.goto(at.host.page(SEARCH));
  await page.keyboard.press('/');
  await page.getByRole('combobox').fill('espresso');
  await expect(page.getByRole('status').first()).toContainText('is not working right now');
  at.host.fails = false;
  at.complaints = [];
  await page.getByRole('button', { name: 'Try again' }).click();
  await expect(page.getByRole('option').first()).toBeVisible();
  await page.context().setOffline(true);
  await page.getByRole('combobox').fill('how long does black tea steep');
  await expect(page.getByRole('status').first()).toContainText(/offline|Results/);
  await page.context().setOffline(false);
  await page.getByRole('combobox').fill('zzzzqqq');
  await expect(page.getByRole('status').first()).toContainText(/No results|No good matches/);
  // By now the browser has reported the request that failed.
  at.complaints = [];
});

test('events tell what is searched and opened, and a page may keep a click to itself', async ({ page }) => {
  await page.goto(at.host.page(SEARCH));
  await page.evaluate(() => {
    const heard: unknown[] = [];
    Object.assign(globalThis, { heard });
    for (const name of ['ibid-query', 'ibid-click']) {
      document.addEventListener(name, (event) => {
        heard.push([name, (event as CustomEvent).detail]);
        if (name === 'ibid-click') event.preventDefault();
      });
    }
  });
  await page.keyboard.press('/');
  await found(page, 'how hot is green tea, asks ada@example.org');
  await expect.poll(() => page.evaluate(() => (globalThis as unknown as { heard: unknown[] }).heard.length)).toBe(1);
  await page.getByRole('option').first().click();
  const heard = await page.evaluate(() => (globalThis as unknown as { heard: [string, { query: string }][] }).heard);
  expect(heard.map(([name, { query }]) => [name, query])).toEqual([
    ['ibid-query', 'how hot is green tea, asks …'],
    ['ibid-click', 'how hot is green tea, asks …'],
  ]);
  await expect(page).toHaveURL(/page\.html/);
});

test('the interface speaks the language of the page, from right to left too, on a narrow screen', async ({ page }) => {
  await page.setViewportSize({ width: 320, height: 640 });
  await page.goto(at.host.page('<ibid-search inline index="/site.ibid"></ibid-search>', 'lang="ar" dir="rtl"'));
  await expect(page.getByRole('combobox', { name: 'البحث في هذه الوثائق' })).toBeVisible();
  await page.getByRole('combobox').fill('espresso');
  await expect(page.getByRole('option').first()).toBeVisible();
  expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(320);
});

for (const width of [1440, 768, 390]) {
  test(`axe finds nothing, ${width} px${width === 768 ? ' @all' : ''}`, async ({ page }) => {
    await page.setViewportSize({ width, height: 900 });
    await page.goto(at.host.page(`${SEARCH}<ibid-ask index="/site.ibid"></ibid-ask>`));
    await expectAccessible(page, 'start');
    await page.keyboard.press('/');
    await expectAccessible(page, 'open');
    await found(page, 'green tea');
    await page.keyboard.press('ArrowDown');
    await expectAccessible(page, 'results');
    await page.getByRole('combobox').fill('zzzzqqq');
    await expect(page.getByRole('status').first()).toContainText(/No results|No good matches/);
    await expectAccessible(page, 'nothing');
    await page.getByRole('combobox').fill('How hot is green tea?');
    await page.getByRole('button', { name: 'Ask: “How hot is green tea?”' }).click();
    await expect(page.getByRole('button', { name: /^Source 1/ }).first()).toBeVisible();
    await expectAccessible(page, 'answer');
    await page
      .getByRole('button', { name: /^Source 1/ })
      .first()
      .click();
    await expectAccessible(page, 'passage');
  });
}

test('without a model, an answer is the best passages with a source that opens', async ({ page }) => {
  await page.goto(at.host.page('<ibid-ask index="/site.ibid"></ibid-ask>'));
  await page.getByRole('textbox', { name: 'Your question' }).fill('How hot is the water for green tea?');
  await page.keyboard.press('Enter');
  const turn = page.getByRole('article', { name: 'How hot is the water for green tea?' });
  await expect(turn).toContainText('80 degrees');
  await turn
    .getByRole('button', { name: /^Source 1/ })
    .first()
    .click();
  await expect(turn.getByRole('link', { name: 'Open the page' })).toHaveAttribute('href', '/tea.html#green-tea');
  const helpful = page.evaluate(
    () =>
      new Promise((resolve) =>
        document.addEventListener('ibid-feedback', (event) => resolve((event as CustomEvent).detail)),
      ),
  );
  await turn.getByRole('button', { name: 'This helped' }).click();
  expect(await helpful).toEqual({ question: 'How hot is the water for green tea?', helpful: true, mode: 'extractive' });
});

test('a model is asked only after the reader has chosen it, and doubts are told when asked for', async ({ page }) => {
  await withDouble(async (llm) => {
    const element = `<ibid-ask index="/site.ibid" model="${llm.model}" base-url="${llm.baseUrlOf('chat')}" own-key></ibid-ask>`;
    await page.goto(at.host.page(element));
    const ask = async (question: string) => {
      await page.getByRole('textbox', { name: 'Your question' }).fill(question);
      await page.keyboard.press('Enter');
    };
    await ask('How hot is green tea?');
    await expect(page.getByText('The best passages, word for word.')).toBeVisible();
    expect(llm.requests).toHaveLength(0);
    await expect(page.getByText(/are sent to 127\.0\.0\.1/)).toBeVisible();
    await page.getByRole('checkbox', { name: `Answer with ${llm.model}` }).check();
    await page.getByRole('textbox', { name: /API key/ }).fill(llm.key);
    llm.script(replies.searches('green tea'), replies.answer('Green tea steeps at 95 degrees [1].'));
    await ask('How hot is green tea, in degrees?');
    await expect(page.getByText(`Written by ${llm.model}`)).toBeVisible();
    expect(llm.requests.length).toBeGreaterThan(1);
    const turn = page.getByRole('article', { name: 'How hot is green tea, in degrees?' });
    await expect(turn.locator('mark.ibid-flag')).toHaveText('95');
    await turn.getByText('Check this (1)').click();
    await expect(turn.getByRole('listitem').first()).toContainText('95');
    await expect(turn).toContainText('0 of 1 sentences found in their sources, 1 not found, 0 not checked.');
  });
});

// Code points of the WebDriver protocol.
const [ENTER, ESCAPE, DOWN, TAB] = ['\uE007', '\uE00C', '\uE015', '\uE004'];

test('by the keyboard alone, with a screen reader, in Firefox', async () => {
  const firefox = await Firefox.start();
  try {
    await firefox.goto(`${at.host.page(`${SEARCH}<ibid-ask index="/site.ibid"></ibid-ask>`)}?free`);
    const [search, ask] = ['ibid-search', 'ibid-ask'].map((name) => `document.querySelector('${name}').shadowRoot`);
    /** Waits until an expression about the page is true. */
    const until = (expression: string) =>
      firefox.evaluate(async (expression: string) => {
        // biome-ignore lint/security/noGlobalEval: the expression is this test's own.
        while (!globalThis.eval(expression)) await new Promise((resolve) => setTimeout(resolve, 50));
      }, expression);
    await until("customElements.get('ibid-search') !== undefined");
    await firefox.press('/');
    await firefox.press(...'how hot is green tea');
    await until(`${search}.querySelector('[role="option"]') !== null`);
    expect(await firefox.heard(`${search}.activeElement`)).toEqual(['combobox', 'Search these documents']);
    const chosen = `${search}.getElementById(${search}.activeElement.getAttribute('aria-activedescendant'))`;
    // Late results of the last letters replace the list, and the choice goes with it.
    await expect(async () => {
      await firefox.press(DOWN);
      expect(await firefox.heard(chosen)).toEqual(['option', 'Tea: Green tea']);
    }).toPass();
    await firefox.press(ESCAPE, ESCAPE);
    expect(await firefox.heard(`${search}.activeElement`)).toEqual(['button', 'Search']);
    await firefox.press(TAB);
    expect(await firefox.heard(`${ask}.activeElement`)).toEqual(['textbox', 'Your question']);
    await firefox.press(...'How hot is green tea?', ENTER);
    await until(`${ask}.querySelector('.tools') !== null`);
    expect(await firefox.heard(`${ask}.querySelector('article')`)).toEqual(['article', 'How hot is green tea?']);
    const citation = `${ask}.querySelector('.ibid-cite')`;
    expect((await firefox.heard(citation))[1]).toMatch(/^Source 1: Tea/);
    const text = await firefox.evaluate(
      async () => document.querySelector('ibid-ask')?.shadowRoot?.querySelector('article')?.textContent,
      null,
    );
    expect(text).toContain('80 degrees');
  } finally {
    await firefox.close();
  }
});
