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
  'Some give it three times a day [99].',
].join('\n\n');

const THOUGHT = 'The question is about the dose of metformin in renal impairment. I search for the table first.';

const LOOKS = {
  light: { colorScheme: 'light', width: 1280, height: 900 },
  dark: { colorScheme: 'dark', width: 1280, height: 900 },
  mobile: { colorScheme: 'light', width: 375, height: 812 },
} as const;

for (const [name, { colorScheme, width, height }] of Object.entries(LOOKS)) {
  test(`looks, ${name}`, async ({ closedDemo: demo, llm, page }) => {
    const shoot = (what: string) => page.screenshot({ path: join(FOLDER, `${name}-${what}.png`), fullPage: true });
    await page.setViewportSize({ width, height });
    await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' });
    await demo.open();
    await shoot('start');
    await demo.useModel(llm);
    await demo.search(METFORMIN);
    llm.script(
      replies.toolCalls([{ id: 'a', name: 'search_documents', args: { query: METFORMIN } }], '', THOUGHT),
      replies.thinks('Passage 1 has the table.', ANSWER),
    );
    await demo.ask(METFORMIN);
    await demo.answered('model');
    await shoot('answer');
    await demo.citation(1).first().click();
    await expect(demo.passage).toBeVisible();
    await page.screenshot({ path: join(FOLDER, `${name}-passage.png`) });
    await page.keyboard.press('Escape');
    await page.getByTestId('settings-open').click();
    await page.screenshot({ path: join(FOLDER, `${name}-settings.png`) });
    await page.keyboard.press('Escape');
    await demo.useModel(llm, { policy: 'pipeline' });
    llm.script(
      replies.answer('eGFR of 35, metformin and sitagliptin: which dose?'),
      replies.answer('COMPARATIVE'),
      replies.answer('1. metformin with an eGFR of 35\n2. sitagliptin with an eGFR of 35'),
      replies.thinks(THOUGHT, 'Metformin up to 1000 mg daily [1]; sitagliptin 50 mg daily [1].'),
      replies.answer('SUFFICIENT'),
    );
    await demo.ask('And how does that compare with sitagliptin?');
    await demo.answered('model');
    await demo.thinking.getByText('Thinking').click();
    await demo.earlier.first().getByText(METFORMIN).click();
    await shoot('conversation');
    await demo.newConversation.click();
    await demo.useModel(llm, { policy: 'tools' });
    llm.script(replies.unauthorized);
    await demo.ask(METFORMIN);
    await demo.problem('provider-auth');
    await shoot('error');
  });
}
