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

/** Serves an index of the German documents as a host that knows Range. */
async function serveGerman(page: Page): Promise<void> {
  const index = indexOfFiles(Object.entries(GERMAN).map(([name, text]) => ({ name, text })));
  await page.route('**/site.ibid', async (route: Route) => {
    const [, start, end] = /^bytes=(\d+)-(\d+)$/.exec((await route.request().headerValue('range')) ?? '') ?? [];
    if (start === undefined || end === undefined) return await route.fulfill({ body: index });
    const body = index.subarray(Number(start), Number(end) + 1);
    const range = `bytes ${start}-${Number(start) + body.length - 1}/${index.length}`;
    await route.fulfill({ status: 206, headers: { 'content-range': range, etag: '"german"' }, body });
  });
}

test('documents in German are searched by their own model, in German and in English', async ({
  closedDemo: demo,
  page,
  requests,
}) => {
  await serveGerman(page);
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

test('a page in German asks for the table of its language at once', async ({ closedDemo: demo, page, requests }) => {
  await serveGerman(page);
  await page.addInitScript(() => {
    new MutationObserver(() => document.documentElement.setAttribute('lang', 'de')).observe(document, {
      childList: true,
    });
  });
  await demo.open();
  await demo.search('Wie lange muss grüner Tee ziehen?');
  await expect(demo.results.first()).toHaveAttribute('aria-label', /^Tee/);
  const tables = requests.map(({ pathname }) => pathname).filter((path) => TABLES.test(path));
  expect(new Set(tables)).toEqual(new Set(['/ibid/multilingual-table.bin']));
});
