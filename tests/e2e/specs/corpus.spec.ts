import type { Listening } from '../../static-server.mjs';
import { CORPUS } from '../corpus/index.js';
import { corpusHost, NOTHING, setTrap, Watch } from '../corpus-host.js';
import { Demo } from '../demo.js';
import { indexOfFiles } from '../documents.js';
import { expect, serverTest } from '../harness.js';
import * as replies from '../llm-replies.js';

// Texts that try to run script, to load something or to lead away, in every place that a text can come from: documents,
// questions, and what a model writes. They are shown in Chromium under a policy that would stop some of it, and nothing
// is even tried: no script, no request, no connection, no violation of the policy.

const trap = await setTrap();

const test = serverTest.extend<{ watch: Watch }, { host: Listening }>({
  host: [
    // biome-ignore lint/correctness/noEmptyPattern: Playwright reads the needed fixtures from the pattern.
    async ({}, use) => {
      const host = await corpusHost();
      await use(host);
      host.close();
    },
    { scope: 'worker' },
  ],
  baseURL: async ({ host }, use) => use(host.url),
  watch: [
    async ({ page, context }, use) => {
      const before = trap.connections;
      const watch = await Watch.on(page, context);
      await use(watch);
      expect(await watch.found(), 'what has happened that should not have').toEqual(NOTHING);
      expect(trap.connections - before, 'connections to elsewhere').toBe(0);
    },
    { auto: true },
  ],
});

test.use({ launchOptions: trap.launchOptions });
test.describe.configure({ timeout: 240_000 });

const SYLLABLES = 'ba de fi go hu ja ke li mo nu pa re si to vu'.split(' ');
/** A word that no payload has, and no other like it, by which one is found again. */
const tag = (at: number) => `${SYLLABLES[Math.floor(at / 15)]}zx${SYLLABLES[at % 15]}kt`;

/** JSON of a provider holds whole characters; half of one is for streams of the page's own. */
const whole = (text: string) => Buffer.from(text, 'utf8').toString('utf8');
const TEXTS = CORPUS.map(({ text }) => text);
const DOCUMENTS = CORPUS.map(({ name, text }, at) => {
  const title = JSON.stringify(whole(text).replace(/\s+/g, ' ').replaceAll('\u0000', '').slice(0, 200));
  const head = `---\ntitle: ${title}\nurl: "javascript:canary()//${at}"\n---\n`;
  return {
    name: `${at}.md`,
    text: `${head}# Where the ${tag(at)} lives ${text.split('\n')[0]}\n\nThe ${tag(at)} lives here: ${text}\n\nMore on the ${tag(at)}, ${name}.\n`,
  };
});
/** A file with a null character is taken for a binary one, and left out. */
const WHOLE = DOCUMENTS.filter(({ text }) => !text.includes('\u0000')).length;
/** The corpus in pieces that a page shows at once. */
const BATCH = 8;
const batches = Array.from({ length: Math.ceil(CORPUS.length / BATCH) }, (_, at) =>
  CORPUS.slice(at * BATCH, (at + 1) * BATCH),
);

process.stdout.write(`${CORPUS.length} hostile texts, each as document, question and reply\n`);

test('the watch sees what it is to see', async ({ page, host, browser }) => {
  await page.goto(`${host.url}blank`);
  const context = await browser.newContext();
  const other = await context.newPage();
  const watch = await Watch.on(other, context);
  const before = trap.connections;
  await other.goto(`${host.url}blank`);
  await other.evaluate(() => {
    const image = document.createElement('img');
    image.src = 'https://evil.example/pixel.png';
    const frame = document.createElement('iframe');
    frame.src = 'https://evil.example/';
    const link = Object.assign(document.createElement('link'), { rel: 'preconnect', href: 'https://other.example' });
    document.body.append(image, frame, link);
    const refused = [
      () => document.createElement('button').setAttribute('onclick', 'canary()'),
      () => document.body.insertAdjacentHTML('beforeend', '<p>x</p>'),
    ];
    for (const attempt of refused) {
      try {
        attempt();
      } catch {
        // And reported.
      }
    }
    window.canary();
  });
  await expect.poll(() => trap.connections - before, 'frame and preconnection').toBeGreaterThanOrEqual(2);
  const { canary, violations, left, opened } = (await watch.found()) as Record<string, never[]>;
  expect(canary).toBe(1);
  expect(violations?.map((each: string) => each.split(' ')[0])).toEqual(
    expect.arrayContaining(['img-src', 'require-trusted-types-for']),
  );
  expect(left).toContain('https://evil.example/');
  expect(opened).toHaveLength(1);
  await context.close();
  trap.connections = before;
});

test('what a model writes is shown piece by piece, and nothing of it runs or loads', async ({ page, host }) => {
  await page.goto(`${host.url}blank`);
  const strange = await page.evaluate(async (texts) => {
    const [{ Ibid }, { AnswerView, renderAnswer, renderFlags }] = await Promise.all([
      import('./ibid/index.js' as string) as Promise<typeof import('../../../pkg/src/index.js')>,
      import('./ibid/render/index.js' as string) as Promise<typeof import('../../../pkg/src/render/index.js')>,
    ]);
    const ibid = await Ibid.load({ index: './site.ibid' });
    const place = document.querySelector('#place') as Element;
    const strange: string[] = [];
    const look = (what: string) => strange.push(...window.strangers(place).map((each) => `${what}: ${each}`));
    for (const text of texts) {
      const view = new AnswerView(place);
      const sources = new Map();
      const stream = async function* () {
        // Cut at odd places, as tokens are.
        for (let at = 0; at < text.length; at += 7) yield text.slice(at, at + 7);
        yield ' And metformin [1].';
      };
      let written = '';
      // The question is the payload too, if it is long enough to be one.
      const run = ibid.ask(`${text} metformin`, { llm: { name: 'attacker', stream }, policy: 'classic' });
      for await (const event of run) {
        if (event.type === 'sources') for (const source of event.sources) sources.set(source.number, source);
        if (event.type !== 'text') continue;
        written += event.delta;
        view.showPartial(written, sources);
        look(`a part of ${text}`);
      }
      const answer = await run;
      view.showComplete(answer);
      look(text);
      const list = document.createElement('ul');
      list.append(renderFlags(answer));
      place.replaceChildren(renderAnswer(answer, { onMark: () => {}, onCitation: () => {} }), list);
      place.querySelector('ul:last-child')?.replaceWith(...list.children);
      look(text);
    }
    ibid.free();
    return strange;
  }, TEXTS);
  expect(strange.filter((each) => !each.endsWith(': q'))).toEqual([]);
});

test('documents are added in the page as Markdown, HTML and text, and answered from', async ({ page, host }) => {
  await page.goto(`${host.url}blank`);
  const tags = DOCUMENTS.map(({ text }, at) => (text.includes('\u0000') ? '' : tag(at))).filter(Boolean);
  const given = { files: DOCUMENTS, tags };
  const { strange, documents } = await page.evaluate(async ({ files, tags }) => {
    const [{ Ibid }, { renderAnswer }] = await Promise.all([
      import('./ibid/index.js' as string) as Promise<typeof import('../../../pkg/src/index.js')>,
      import('./ibid/render/index.js' as string) as Promise<typeof import('../../../pkg/src/render/index.js')>,
    ]);
    const ibid = await Ibid.load({ index: './site.ibid' });
    const report = await ibid.add(
      files.flatMap(({ name, text }) => [
        { source: name, content: text },
        { source: `html-${name.replace('.md', '.html')}`, content: text.slice(text.indexOf('# ')) },
        { source: `text-${name.replace('.md', '.txt')}`, content: text },
      ]),
      // Chromium would report the worker's address to the policy against parsing.
      { worker: false },
    );
    const place = document.querySelector('#place') as Element;
    const strange: string[] = [];
    for (const word of tags) {
      const answer = await ibid.ask(`Where does the ${word} live?`);
      place.replaceChildren(renderAnswer(answer));
      strange.push(...window.strangers(place).map((each) => `${word}: ${each}`));
      if (!answer.sources.some(({ text }) => text.includes(word))) strange.push(`${word}: not found`);
    }
    ibid.free();
    return { strange, documents: report.documents.length };
  }, given);
  expect(strange).toEqual([]);
  expect(documents).toBeGreaterThanOrEqual(WHOLE * 2);
});

test.describe('in the demo', () => {
  const strange = (demo: Demo) =>
    demo.page.locator('ibid-search, ibid-ask').evaluateAll((elements) =>
      elements.flatMap(({ shadowRoot }) => {
        const parts = shadowRoot?.querySelectorAll('#results, [part="turns"]') ?? [];
        // Pages of the site are linked to, and nothing else.
        const links = 'a:not([href^="/docs/"], [href^="/handbook/"])';
        const kinds = `script, img, iframe, style, object, embed, form, link, meta, base, input, ${links}, [onerror], [style]`;
        return [...parts].flatMap((part) => [...part.querySelectorAll(kinds)].map(({ outerHTML }) => outerHTML));
      }),
    );

  for (const part of [0, 1, 2, 3]) {
    const named = `part ${part + 1}${part > 0 ? ' @all' : ''}`;
    const mine = batches.filter((_, at) => at % 4 === part);
    test(`what documents say is found, quoted and opened, ${named}`, async ({ page }) => {
      const index = indexOfFiles(DOCUMENTS);
      await page.route('**/site.ibid', (route) => route.fulfill({ body: index }));
      const demo = new Demo(page);
      await demo.open();
      for (const batch of mine) {
        const known = batch
          .map((payload) => CORPUS.indexOf(payload))
          .filter((at) => !DOCUMENTS[at]?.text.includes('\u0000'));
        for (const at of known) {
          await demo.search(`Where does the ${tag(at)} live?`);
          await expect(demo.results.filter({ hasText: tag(at) }).first()).toBeVisible();
          expect(await strange(demo)).toEqual([]);
        }
        await demo.ask(`Where does the ${tag(known[0] ?? 0)} live?`);
        await demo.answered('extractive');
        await demo.citations.first().click();
        await expect(demo.passage).toBeVisible();
        expect(await strange(demo)).toEqual([]);
        await demo.afresh.click();
      }
    });

    test(`what people ask and models write is shown, ${named}`, async ({ page, llm }) => {
      const demo = new Demo(page);
      await demo.open();
      await demo.useModel(llm);
      for (const batch of mine) {
        const text = whole(batch.map((payload) => payload.text).join('\n\n'));
        llm.script(
          replies.searches('metformin in renal impairment'),
          replies.thinks(text, `${text}\n\nMetformin [1].`),
        );
        await demo.ask(`Metformin? ${text}`);
        await demo.answered('model');
        expect(await strange(demo)).toEqual([]);
        await demo.afresh.click();
      }
    });
  }
});
