import type { Page, Route } from '@playwright/test';
import { indexOfFiles } from '../documents.js';
import { expect, test } from '../harness.js';

const REST = '/ibid/wasm/ibid_rest.wasm';
const TABLES = /\/ibid\/(query|multilingual)-table\.bin$/;

const GERMAN = {
  'tee.md':
    '# Tee\n\nGrüner Tee zieht zwei Minuten bei achtzig Grad, schwarzer Tee vier Minuten in kochendem Wasser.\n',
  'rad.md': '# Fahrrad\n\nDie Kette eines Fahrrads wird jeden Monat geölt, und der Reifendruck jede Woche geprüft.\n',
  'garten.md': '# Garten\n\nTomaten werden morgens gegossen, und zwar an den Wurzeln und nicht über die Blätter.\n',
  'brot.md': '# Brot\n\nDer Teig ruht eine Nacht lang im Kühlschrank, bevor er eine Stunde im Ofen gebacken wird.\n',
};

const RUSSIAN = {
  'чай.md': '# Чай\n\nЗелёный чай заваривают две минуты при восьмидесяти градусах, а чёрный четыре минуты кипятком.\n',
  'хлеб.md': '# Хлеб\n\nТесто отдыхает ночь в холодильнике, прежде чем хлеб час печётся в горячей духовке.\n',
};

/** Serves an index of documents as a host that knows Range. */
async function serve(page: Page, documents: Record<string, string>): Promise<void> {
  const index = indexOfFiles(Object.entries(documents).map(([name, text]) => ({ name, text })));
  await page.route('**/site.ibid', async (route: Route) => {
    const [, start, end] = /^bytes=(\d+)-(\d+)$/.exec((await route.request().headerValue('range')) ?? '') ?? [];
    if (start === undefined || end === undefined) return await route.fulfill({ body: index });
    const body = index.subarray(Number(start), Number(end) + 1);
    const range = `bytes ${start}-${Number(start) + body.length - 1}/${index.length}`;
    await route.fulfill({ status: 206, headers: { 'content-range': range, etag: '"site"' }, body });
  });
}

test('documents in German are searched by their own model, in German and in English', async ({
  closedDemo: demo,
  page,
  requests,
}) => {
  await serve(page, GERMAN);
  await demo.open();
  for (const [query, title] of [
    ['Wie lange muss grüner Tee ziehen?', 'Tee'],
    ['Wie oft öle ich die Kette?', 'Fahrrad'],
    ['When do I water the tomatoes?', 'Garten'],
    ['How long does the bread bake?', 'Brot'],
  ] as const) {
    await demo.search(query);
    await expect(demo.results.first(), query).toHaveAttribute('aria-label', new RegExp(`^${title}`));
  }
  const paths = requests.map(({ pathname }) => pathname);
  expect(paths).toContain('/ibid/multilingual-table.bin');
  expect(paths, 'the first part of the code knows what other languages need').not.toContain(REST);
});

test('documents in English are searched without a byte of the other languages', async ({ demo, requests }) => {
  await demo.search('How much metformin a day with an eGFR of 35?');
  await expect(demo.results).not.toHaveCount(0);
  const tables = requests.map(({ pathname }) => pathname).filter((path) => TABLES.test(path));
  expect(new Set(tables)).toEqual(new Set(['/ibid/query-table.bin']));
});

for (const { language, documents, query, title, head, besides } of [
  // The pieces of Latin letters come with the head, and rows of a few hundred bytes after it.
  {
    language: 'de',
    documents: GERMAN,
    query: 'Wie lange muss grüner Tee ziehen?',
    title: 'Tee',
    head: 90e3,
    besides: 8e3,
  },
  // Those of other letters come when a query has them.
  {
    language: 'ru',
    documents: RUSSIAN,
    query: 'Сколько заваривают зелёный чай?',
    title: 'Чай',
    head: 13e3,
    besides: 25e3,
  },
]) {
  test(`a page in \`${language}\` asks for the table of its language at once, and for its letters alone`, async ({
    closedDemo: demo,
    page,
    requests,
  }) => {
    await serve(page, documents);
    await page.addInitScript((language) => {
      new MutationObserver(() => document.documentElement.setAttribute('lang', language)).observe(document, {
        childList: true,
      });
    }, language);
    const lengths: number[] = [];
    page.on('request', (request) => {
      const [, start, end] = /^bytes=(\d+)-(\d+)$/.exec(request.headers().range ?? '') ?? [];
      if (TABLES.test(request.url())) lengths.push(Number(end) + 1 - Number(start));
    });
    await demo.open();
    await demo.search(query);
    await expect(demo.results.first()).toHaveAttribute('aria-label', new RegExp(`^${title}`));
    const tables = requests.map(({ pathname }) => pathname).filter((path) => TABLES.test(path));
    expect(new Set(tables)).toEqual(new Set(['/ibid/multilingual-table.bin']));
    expect(lengths[0]).toBeLessThan(head);
    expect(lengths.slice(1).reduce((sum, length) => sum + length, 0)).toBeLessThan(besides);
  });
}
