import type { Page } from '@playwright/test';
import { QUESTION, RENAL } from '../asking.js';
import { expect, test } from '../harness.js';
import * as replies from '../llm-replies.js';

// What a screen reader says of the two elements: names and roles in their order, and live messages as they come.

/** Writes down each text that a live region of an element gets from now on; the function returned gives them all. */
async function heard(page: Page, element: string): Promise<() => Promise<string[]>> {
  const said = await page.evaluateHandle((name) => {
    const root = document.querySelector(name)?.shadowRoot as ShadowRoot;
    const last = new Map<Element, string>();
    const said: string[] = [];
    const listen = () => {
      for (const region of root.querySelectorAll('[role="status"], [role="alert"]')) {
        const text = region.textContent ?? '';
        if (text !== '' && text !== last.get(region)) said.push(text);
        last.set(region, text);
      }
    };
    // What stands there already has been heard.
    listen();
    said.length = 0;
    new MutationObserver(listen).observe(root, { subtree: true, childList: true, characterData: true });
    return said;
  }, element);
  return () => said.evaluate((texts) => [...texts]);
}

test('the search dialog is read in order, and tells how many results there are', async ({ page }) => {
  await page.goto('handbook/anaphylaxis.html');
  const search = page.locator('ibid-search');
  await search.waitFor();
  await page.keyboard.press('/');
  await expect(search.getByRole('status')).toHaveText('Type a few words or a question.');
  const messages = await heard(page, 'ibid-search');
  await page.keyboard.insertText('metformin and kidneys');
  await expect(search.getByRole('option').first()).toBeVisible();
  await page.keyboard.press('ArrowDown');
  await expect(search).toMatchAriaSnapshot(`
    - dialog "Search these documents":
      - search:
        - combobox "Search these documents" [expanded]: metformin and kidneys
        - button "Clear"
        - button "Close"
        - 'button "Ask: “metformin and kidneys”"'
        - status: /^Results. \\d+$/
        - listbox "Results":
          - group "Type 2 diabetes":
            - 'option /^Type 2 diabetes: / [selected]'
  `);
  // The count may grow once vectors have joined words; nothing else is said.
  for (const text of await messages()) expect(text).toMatch(/^(Loading the search …|Results: \d+)$/);
  const cdp = await page.context().newCDPSession(page);
  const { nodes } = await cdp.send('Accessibility.getFullAXTree');
  const box = nodes.find(({ role }) => role?.value === 'combobox');
  expect(box?.description?.value).toMatch(/^Results: \d+$/);
  const active = box?.properties?.find(({ name }) => name === 'activedescendant')?.value.relatedNodes?.[0];
  const option = nodes.find(({ backendDOMNodeId }) => backendDOMNodeId === active?.backendDOMNodeId);
  expect([option?.role?.value, option?.name?.value]).toEqual(['option', expect.stringMatching(/^Type 2 diabetes: /)]);
  await page.keyboard.press('Escape');
  await expect(search.getByRole('status')).toHaveText('Type a few words or a question.');
});

test('an answer tells its steps, and is read with its sources and doubts in order', async ({ demo, llm, page }) => {
  await demo.useModel(llm);
  const messages = await heard(page, 'ibid-ask');
  llm.script(
    replies.searches(RENAL),
    replies.answerFromSources(['Metformin up to **1000 mg** daily', 'Metformin up to 9000 mg daily']),
  );
  await demo.ask(QUESTION);
  await demo.answered('model');
  expect(await messages()).toEqual([
    'Loading the search …',
    `Searching for “${RENAL}” …`,
    expect.stringMatching(/^Reading passages: \d+$/),
    'Writing the answer …',
    'Written by double-large from these sources. Check what matters.',
  ]);
  await expect(page.locator('ibid-ask')).toMatchAriaSnapshot(`
    - textbox "Your question"
    - button "Ask"
    - checkbox "Answer with double-large" [checked]
    - button "New conversation"
    - article "${QUESTION}":
      - heading "${QUESTION}" [level=2]
      - paragraph:
        - strong: 1000 mg
        - 'button /^Source \\d+: Type 2 diabetes$/'
        - button "Found in its source. Show the sentence."
      - paragraph:
        - 'button /^Source \\d+: Type 2 diabetes$/'
        - button /^Not found in its sources\\..*9000 mg/
      - status: Written by double-large from these sources. Check what matters.
      - paragraph: 1 of 2 sentences found in their sources, 1 not found, 0 not checked.
      - group: Check this (1)
      - group: /^Sources \\(\\d+\\)$/
      - button "Copy with sources"
      - button "Copy a link"
      - button "This helped"
      - button "This did not help"
  `);
});
