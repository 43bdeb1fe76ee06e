import { readFileSync } from 'node:fs';
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

test('files of which none can be read leave the sample as it is', async ({ demo, page }) => {
  await page.locator('#files').setInputFiles([file('photo.png', '\u0000\u0001')]);
  await expect(page.locator('#own-status')).toContainText('None of these files could be read. photo.png: ');
  await demo.search('child tugging at the ear');
  await expect(demo.results.first()).toHaveAttribute('aria-label', /^Acute otitis media/);
});
