import { expect, test } from '../harness.js';
import * as replies from '../llm-replies.js';

// What the demo tells about itself: bytes of a search, costs and reasons of an answer, and its page that compares.

test('a search tells its bytes, and an answer without a model that it cost nothing', async ({ demo, page }) => {
  await demo.search('child tugging at the ear');
  await expect(page.locator('#fetched')).toHaveText(
    /^This search fetched \d+ kB in \d+ requests?, \d+ of them one after another\. Code and page are [\d,]+ kB in \d+ requests\.$/,
  );
  await demo.ask('How much adrenaline does an adult with anaphylaxis get?');
  await demo.answered('extractive');
  await expect(page.locator('#cost')).toHaveText(/^The last answer asked no model and cost nothing\. Searches: \d+\./);
});

test('an answer of a model tells its cost, and the reason of each mark', async ({ demo, llm, page }) => {
  await demo.useModel(llm);
  const answer = 'With an eGFR of 35, up to 1000 mg daily [1]. The usual ceiling is 2750 mg [1].';
  llm.script(replies.searches('metformin eGFR'), replies.answer(answer));
  await demo.ask('How much metformin a day with an eGFR of 35?');
  await demo.answered('model');
  await expect(page.locator('#cost')).toHaveText(
    /^The last answer asked \S+ 2 times\. Tokens: \d+ read, \d+ written\./,
  );
  const claims = page.locator('#claims li');
  await expect(claims).toHaveCount(2);
  await expect(claims.first()).toContainText(/In the source\. \d+ % of its words/);
  await expect(claims.last()).toContainText(/Not in the source\. .*2750/);
});

test('one question is put to four searches', async ({ page, requests, site }) => {
  await page.goto(new URL('compare.html', site).href);
  await page.getByLabel('Question or words').fill('child tugging at the ear');
  await page.getByRole('button', { name: 'Compare', exact: true }).click();
  for (const name of ['Meaning and words', 'Words', 'Meaning', 'Pagefind']) {
    const column = page.getByRole('region', { name, exact: true });
    await expect(column.getByRole('link').first()).toHaveAttribute('href', /./);
    await expect(column).toContainText(/\d+ ms/);
  }
  const best = page.getByRole('region', { name: 'Meaning and words' }).getByRole('link').first();
  await expect(best).toHaveText(/^Acute otitis media/);
  await expect(page.locator('#cost')).toHaveText(
    /ibid [\d,]+ kB in \d+ requests.*Pagefind [\d,]+ kB in \d+ requests\.$/,
  );
  await expect(page).toHaveURL(/compare\.html\?q=child\+tugging/);
  await best.click();
  await expect(page.getByRole('heading', { level: 1 })).toContainText('Acute otitis media');
  expect(requests.every(({ hostname }) => hostname === '127.0.0.1')).toBe(true);
});
