import { indexOfFiles } from '../documents.js';
import { expect, test } from '../harness.js';

const TABLES = /\/ibid\/(query|multilingual)-table\.bin$/;

const GERMAN = {
  'tee.md':
    '# Tee\n\nGrüner Tee zieht zwei Minuten bei achtzig Grad, schwarzer Tee vier Minuten in kochendem Wasser.\n',
  'rad.md': '# Fahrrad\n\nDie Kette eines Fahrrads wird jeden Monat geölt, und der Reifendruck jede Woche geprüft.\n',
  'garten.md': '# Garten\n\nTomaten werden morgens gegossen, und zwar an den Wurzeln und nicht über die Blätter.\n',
  'brot.md': '# Brot\n\nDer Teig ruht eine Nacht lang im Kühlschrank, bevor er eine Stunde im Ofen gebacken wird.\n',
};

test('documents in German are searched by their own model, in German and in English', async ({
  closedDemo: demo,
  page,
  requests,
}) => {
  const index = indexOfFiles(Object.entries(GERMAN).map(([name, text]) => ({ name, text })));
  await page.route('**/site.ibid', (route) => route.fulfill({ body: index }));
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
  expect(requests.some(({ pathname }) => pathname.endsWith('/ibid/multilingual-table.bin'))).toBe(true);
});

test('documents in English are searched without a byte of the other languages', async ({ demo, requests }) => {
  await demo.search('How much metformin a day with an eGFR of 35?');
  await expect(demo.results).not.toHaveCount(0);
  const tables = requests.map(({ pathname }) => pathname).filter((path) => TABLES.test(path));
  expect(new Set(tables)).toEqual(new Set(['/ibid/query-table.bin']));
});

test('a page in German asks for the table of its language at once', async ({ closedDemo: demo, page, requests }) => {
  const index = indexOfFiles(Object.entries(GERMAN).map(([name, text]) => ({ name, text })));
  await page.route('**/site.ibid', (route) => route.fulfill({ body: index }));
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
