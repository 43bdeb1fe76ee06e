import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from '../harness.js';
import * as replies from '../llm-replies.js';

// Screenshots for people to look at, in test-results/look/. They are not compared with anything.

const FOLDER = fileURLToPath(new URL('../test-results/look', import.meta.url));
const METFORMIN = 'How much metformin a day with an eGFR of 35?';

const ANSWER = [
  'With an eGFR of 35, metformin may be taken **up to 1000 mg daily** [1]. The usual ceiling is 2000 mg [3].',
  '- Stop it when the eGFR falls below 30 [1].\n- Halve the dose of sitagliptin, to 50 mg daily [1].',
  '| eGFR | Metformin |\n| --- | --- |\n| 30 to 44 | Up to 1000 mg daily [1] |\n| Below 30 | Stop |',
].join('\n\n');

for (const colorScheme of ['light', 'dark'] as const) {
  for (const width of [1440, 768, 390]) {
    test(`looks, ${colorScheme}, ${width} px @all`, async ({ closedDemo: demo, llm, page }) => {
      const shoot = (what: string, fullPage = true) =>
        page.screenshot({ path: join(FOLDER, `${what}-${width}-${colorScheme}.png`), fullPage });
      await page.setViewportSize({ width, height: width === 390 ? 844 : 900 });
      await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' });
      await demo.open();
      await shoot('start', false);
      await demo.search('child tugging at the ear');
      await expect(demo.results.first()).toBeVisible();
      await shoot('results', false);
      await demo.searchBox.fill('');
      await demo.useModel(llm);
      llm.script(replies.searches(METFORMIN), replies.answer(ANSWER));
      await demo.ask(METFORMIN);
      await demo.answered('model');
      await demo.citation(1).first().click();
      await expect(demo.passage).toBeVisible();
      await shoot('answer');
    });
  }
}
