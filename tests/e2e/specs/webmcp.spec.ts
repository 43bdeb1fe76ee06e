import { expect, test } from '@playwright/test';
import { hosted } from '../elements-host.js';
import config from '../playwright.config.js';

// The index as a tool of the browser's assistant, in a Chromium that has WebMCP switched on.

const { launchOptions } = config.use ?? {};
test.use({
  launchOptions: { ...launchOptions, args: [...(launchOptions?.args ?? []), '--enable-features=WebMCP,WebMCPTesting'] },
});

const at = hosted();

interface ModelContext {
  getTools(): Promise<{ name: string; description: string }[]>;
  executeTool(tool: object, input: object): Promise<string>;
}

test('an assistant finds passages by the tool of a search box, which goes with the box', async ({ page }) => {
  at.host.paths.length = 0;
  await page.goto(at.host.page('<ibid-search index="/site.ibid"></ibid-search>'));
  const tools = () =>
    page.evaluate(async () => {
      const { modelContext } = document as unknown as { modelContext: ModelContext };
      return (await modelContext.getTools()).map(({ name }) => name);
    });
  await expect.poll(tools).toEqual(['search_documents']);
  expect(at.host.paths, 'nothing is fetched for it but its own code').toEqual([
    '/page.html',
    '/site.css',
    '/ibid/ui/index.js',
    '/ibid/mcp/offer.js',
  ]);

  const call = (input: object) =>
    page.evaluate(async (input) => {
      const { modelContext } = document as unknown as { modelContext: ModelContext };
      const [tool] = await modelContext.getTools();
      return JSON.parse(await modelContext.executeTool(tool ?? {}, input));
    }, input);
  const { content } = await call({ query: 'how hot is green tea', max_results: 1 });
  const { passages } = JSON.parse(content[0].text);
  expect(passages).toHaveLength(1);
  expect(passages[0]).toMatchObject({
    title: 'Tea',
    section: 'Tea > Green tea',
    url: `${at.host.url}/tea.html#green-tea`,
  });
  expect(await call({ query: '' })).toMatchObject({ isError: true });

  await page.evaluate(() => document.querySelector('ibid-search')?.remove());
  await expect.poll(tools).toEqual([]);
});
