import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { crc32 } from 'node:zlib';
import { expect, test } from '../harness.js';

// The reader's own files in the demo.

const file = (name: string, text: string) => ({ name, mimeType: 'text/plain', buffer: Buffer.from(text) });
const TEA = '# Tea\n\n## Green tea\n\nGreen tea steeps at 80 degrees for two minutes.\n';
const BIKE = '<!doctype html><title>Bicycles</title><h1>Bicycles</h1><p>Oil the chain of a bicycle every month.</p>';

test('files are read, searched, asked and saved in the page, and sent nowhere', async ({ demo, page, requests }) => {
  const picker = page.locator('#files');
  const status = page.locator('#own-status');
  await picker.setInputFiles([file('tea.md', TEA), file('bike.html', BIKE), file('photo.png', '\u0000\u0001')]);
  await expect(status).toContainText(/^Documents: 2, passages: 2\. Search and ask them above\./);
  await expect(status).toContainText('Left out: photo.png.');
  await demo.search('how often is a chain oiled');
  await expect(demo.results.first()).toHaveAttribute('aria-label', /^Bicycles/);
  await demo.ask('How hot is the water for green tea?');
  await demo.answered('extractive');
  await expect(demo.answer).toContainText('80 degrees');
  const saved = page.waitForEvent('download');
  await page.getByRole('button', { name: 'Save the index' }).click();
  const download = await saved;
  expect(download.suggestedFilename()).toBe('site.ibid');
  const bytes = readFileSync(await download.path());
  expect(bytes.subarray(1, 5).toString()).toBe('ibid');
  expect(requests.every(({ hostname }) => hostname === '127.0.0.1')).toBe(true);

  await page.getByRole('button', { name: 'Back to the sample' }).click();
  await demo.search('child tugging at the ear');
  await expect(demo.results.first()).toHaveAttribute('aria-label', /^Acute otitis media/);
});

/** A PDF of pages with lines of Helvetica, an empty one a gap. */
function pdf(name: string, pages: string[][]) {
  const objects = [
    '<< /Type /Catalog /Pages 2 0 R >>',
    `<< /Type /Pages /Kids [${pages.map((_, at) => `${4 + 2 * at} 0 R`).join(' ')}] /Count ${pages.length} >>`,
    '<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>',
  ];
  for (const [at, lines] of pages.entries()) {
    const stream = `BT /F1 12 Tf 72 720 Td 14 TL ${lines.map((line) => `(${line}) Tj T*`).join(' ')} ET`;
    objects.push(
      `<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Resources << /Font << /F1 3 0 R >> >> /Contents ${5 + 2 * at} 0 R >>`,
      `<< /Length ${stream.length} >>\nstream\n${stream}\nendstream`,
    );
  }
  let text = '%PDF-1.4\n';
  const places = objects.map((object, at) => {
    const place = String(text.length).padStart(10, '0');
    text += `${at + 1} 0 obj\n${object}\nendobj\n`;
    return `${place} 00000 n \n`;
  });
  const size = objects.length + 1;
  const table = `xref\n0 ${size}\n0000000000 65535 f \n${places.join('')}`;
  text += `${table}trailer\n<< /Size ${size} /Root 1 0 R >>\nstartxref\n${text.length}\n%%EOF`;
  return { name, mimeType: 'application/pdf', buffer: Buffer.from(text, 'latin1') };
}

test("a hyphen at the end of a line of a PDF stays if it is the word's own", async ({ demo, page }) => {
  await demo.search('walls');
  const lines = [
    'The load-bearing wall holds a thermo-',
    'meter, a well known clock, a well-',
    'known bell, short-',
    'and long-term',
    'notes on load-',
    'bearing walls, and in-',
    'formation on X-',
    'ray rooms 10-',
    '12 of ISO-',
    '9001. The formation stays in one piece, as information does.',
  ];
  const { buffer } = pdf('', [lines]);
  const text = await page.evaluate(
    async (bytes) => {
      const { pdfText } = await import(new URL('pdf.js', document.baseURI).href);
      return pdfText({ source: 'Walls.pdf', content: new Blob([new Uint8Array(bytes)]) });
    },
    [...buffer],
  );
  expect(text.split('\n').slice(4).join(' ')).toBe(
    'The load-bearing wall holds a thermometer, a well known clock, a well-known bell, short- and long-term ' +
      'notes on load-bearing walls, and information on X-ray rooms 10-12 of ISO-9001. The formation stays in one piece, as information does.',
  );
});

test('a PDF is read page by page, and one that cannot be read stops no other', async ({ demo, page, requests }) => {
  const picker = page.locator('#files');
  const fever = ['Fever of small children falls with para-', 'cetamol, by weight.', '', '# 12 <b>is a number</b>'];
  await picker.setInputFiles([
    pdf('Fever.pdf', [fever, ['Honey soothes a cough.', 'It is not for babies.']]),
    pdf('scan.pdf', [[]]),
    file('broken.pdf', '%PDF-1.4 and then nothing'),
  ]);
  const status = page.locator('#own-status');
  await expect(status).toContainText(/^Documents: 1, /);
  await expect(status).toContainText('Left out: scan.pdf. It has no text: its pages are images.');
  await expect(status).toContainText('Left out: broken.pdf. Invalid PDF structure.');
  await demo.search('paracetamol');
  await expect(demo.results.first()).toHaveAttribute('aria-label', /^Fever/);
  await demo.ask('What soothes a cough?');
  await demo.answered('extractive');
  await expect(demo.answer).toContainText('Honey soothes a cough.');
  expect(requests.every(({ hostname }) => hostname === '127.0.0.1')).toBe(true);
});

/** A zip of files as they are, without compression. */
function zip(name: string, files: { name: string; buffer: Buffer }[]) {
  const numbers = (...pairs: [size: 2 | 4, value: number][]) =>
    Buffer.concat(
      pairs.map(([size, value]) => {
        const bytes = Buffer.alloc(size);
        bytes.writeUIntLE(value, 0, size);
        return bytes;
      }),
    );
  const parts: Buffer[] = [];
  const directory: Buffer[] = [];
  let at = 0;
  for (const { name, buffer } of files) {
    const size = buffer.length;
    const about = numbers(
      [2, 20],
      [2, 0],
      [2, 0],
      [4, 0],
      [4, crc32(buffer)],
      [4, size],
      [4, size],
      [2, name.length],
      [2, 0],
    );
    const local = Buffer.concat([numbers([4, 0x04034b50]), about, Buffer.from(name), buffer]);
    const rest = numbers([2, 0], [2, 0], [2, 0], [4, 0], [4, at]);
    directory.push(numbers([4, 0x02014b50], [2, 20]), about, rest, Buffer.from(name));
    parts.push(local);
    at += local.length;
  }
  const listed = Buffer.concat(directory);
  const count = files.length;
  const end = numbers([4, 0x06054b50], [4, 0], [2, count], [2, count], [4, listed.length], [4, at], [2, 0]);
  return { name, mimeType: 'application/zip', buffer: Buffer.concat([...parts, listed, end]) };
}

test('PDF files in a zip are read too, beside what else is in it or alone', async ({ demo, page }) => {
  const { buffer: honey } = pdf('', [['Honey soothes a cough.']]);
  const { buffer: fever } = pdf('', [['Paracetamol lowers a fever.']]);
  await page.locator('#files').setInputFiles([
    zip('notes.zip', [
      { name: 'tea.md', buffer: Buffer.from(TEA) },
      { name: 'cough/Honey.pdf', buffer: honey },
      { name: 'broken.pdf', buffer: Buffer.from('%PDF-1.4 and then nothing') },
      { name: '__MACOSX/cough/._Honey.pdf', buffer: Buffer.from('nothing') },
    ]),
    zip('alone.zip', [{ name: 'Fever.pdf', buffer: fever }]),
  ]);
  const status = page.locator('#own-status');
  await expect(status).toHaveText(
    'Documents: 3, passages: 3. Search and ask them above. Left out: notes.zip/broken.pdf. Invalid PDF structure.',
  );
  await demo.search('honey');
  await expect(demo.results.first()).toHaveAttribute('aria-label', /^Honey/);
  await demo.search('paracetamol');
  await expect(demo.results.first()).toHaveAttribute('aria-label', /^Fever/);
});

test('a folder and an index that was saved are taken too', async ({ demo, page }) => {
  const folder = mkdtempSync(join(tmpdir(), 'ibid-folder-'));
  mkdirSync(join(folder, 'garden'));
  writeFileSync(join(folder, 'garden', 'tea.md'), TEA);
  writeFileSync(join(folder, 'bike.html'), BIKE);
  const status = page.locator('#own-status');
  await page.locator('#folder').setInputFiles(folder);
  await expect(status).toContainText(/^Documents: 2, passages: 2\./);
  const saved = page.waitForEvent('download');
  await page.getByRole('button', { name: 'Save the index' }).click();
  const path = join(folder, 'site.ibid');
  await (await saved).saveAs(path);
  await demo.open();
  await page.locator('#files').setInputFiles(path);
  await expect(status).toContainText(/^Documents: 2, passages: 2\./);
  await demo.search('how often is a chain oiled');
  await expect(demo.results.first()).toHaveAttribute('aria-label', /^Bicycles/);
  rmSync(folder, { recursive: true });
});

test('a folder that is dropped is read to its depth, hidden files left out', async ({ demo, page }) => {
  // A browser makes entries of what a person drops; a script can only imitate them.
  await page.evaluate((tea) => {
    const leaf = (fullPath: string, text: string) => ({
      ...{ name: fullPath.split('/').pop(), fullPath, isDirectory: false },
      file: (done: (file: File) => void) => done(new File([text], 'x.md')),
    });
    const folder = (fullPath: string, children: object[]) => ({
      ...{ name: fullPath.split('/').pop(), fullPath, isDirectory: true },
      createReader: () => ({ readEntries: (done: (some: object[]) => void) => done(children.splice(0, 1)) }),
    });
    const inner = folder('/notes/deep', [leaf('/notes/deep/tea.md', tea)]);
    const entry = folder('/notes', [leaf('/notes/.secret.md', 'words'), inner, leaf('/notes/b.md', '# B\n\nwords')]);
    const event = new Event('drop', { cancelable: true });
    Object.assign(event, { dataTransfer: { items: [{ webkitGetAsEntry: () => entry }], files: [] } });
    document.getElementById('drop')?.dispatchEvent(event);
  }, TEA);
  await expect(page.locator('#own-status')).toContainText(/^Documents: 2, passages: 2\./);
  await demo.search('green tea');
  await expect(demo.results.first()).toHaveAttribute('aria-label', /^Tea/);
});

test('own files are searched and asked without a network', async ({ demo, page, context }) => {
  await page.locator('#files').setInputFiles([file('tea.md', TEA)]);
  await expect(page.locator('#own-status')).toContainText('Documents: 1');
  const isKept = async () => (await (await caches.open('ibid-site')).match('kept.json')) !== undefined;
  await expect.poll(() => page.evaluate(isKept)).toBe(true);
  await context.setOffline(true);
  await demo.search('green tea');
  await expect(demo.results.first()).toHaveAttribute('aria-label', /^Tea/);
  await demo.ask('How hot is the water for green tea?');
  await demo.answered('extractive');
  await expect(demo.answer).toContainText('80 degrees');
});

test('a site that was kept works without a network', async ({ demo, page, context }) => {
  await page.getByRole('button', { name: 'Keep this site' }).click();
  await expect(page.locator('#kept')).toHaveText('This site now works offline.');
  await context.setOffline(true);
  await page.reload();
  await demo.search('child tugging at the ear');
  await expect(demo.results.first()).toHaveAttribute('aria-label', /^Acute otitis media/);
  await demo.ask('How much adrenaline does an adult with anaphylaxis get?');
  await demo.answered('extractive');
  await demo.results.first().click();
  await expect(page.getByRole('heading', { level: 1 })).toContainText('Acute otitis media');
});

test('files of which none can be read leave the sample as it is', async ({ demo, page }) => {
  await page.locator('#files').setInputFiles([file('photo.png', '\u0000\u0001')]);
  await expect(page.locator('#own-status')).toContainText('None of these files could be read. photo.png: ');
  await demo.search('child tugging at the ear');
  await expect(demo.results.first()).toHaveAttribute('aria-label', /^Acute otitis media/);
});
