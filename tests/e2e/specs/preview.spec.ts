import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { expect, test } from '@playwright/test';
import { expectAccessible } from '../axe.js';
import { COMMAND, ROOT } from '../documents.js';

const PAGES = {
  'a.html': '<h1>Cluster</h1><p>Kubernetes runs the nodes of Acme, and brings back what has stopped.',
  'b.html': '<h1>Rights</h1><p>An ACL says who may read. The copper price went up again.',
  'start/index.html': '<h1>Welcome</h1><p>Unpack the box, then plug it in and wait for the light.',
  'blog/index.html': '<h1>Copper news</h1><p>The copper price, the copper trade and copper in wires.',
};
const SETTINGS = `synonyms = [["k8s", "Kubernetes"]]
encoder = "table"
[pins]
"get started" = "/start/"
[questions]
"copper price" = "/blog/"
"who may read" = "/b.html"
[weights]
"/blog/**" = 0.5
`;

let folder: string;
let child: ChildProcess;
let address: string;

function run(...words: string[]): void {
  const env = { ...process.env, IBID_WEB: join(ROOT, 'pkg/dist') };
  execFileSync(COMMAND, words, { cwd: folder, stdio: 'ignore', env });
}

test.beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'ibid-preview-'));
  for (const [name, body] of Object.entries(PAGES)) {
    const path = join(folder, '_site', name);
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(
      path,
      `<!doctype html><html lang="en"><head><title>${name}</title></head><main>${body}</main></html>`,
    );
  }
  writeFileSync(join(folder, 'ibid.toml'), SETTINGS);
  writeFileSync(
    join(folder, 'events.jsonl'),
    '{"query": "Zyzzyva", "hits": 0}\n{"query": "zyzzyva"}\n{"query": "k8s"}\n',
  );
  run('site', '_site', '--no-cache');
  const options = ['--port', '0', '--events', 'events.jsonl'];
  child = spawn(COMMAND, ['preview', '_site', ...options], { cwd: folder, stdio: ['ignore', 'pipe', 'ignore'] });
  address = await new Promise((resolve) => child.stdout?.once('data', (line) => resolve(String(line).trim())));
});

test.afterAll(() => {
  child.kill('SIGINT');
  rmSync(folder, { recursive: true });
});

test('the page of `ibid preview` says why pages are found, and what a weight changes', async ({ page }) => {
  const problems: string[] = [];
  page.on('pageerror', ({ message }) => problems.push(message));
  await page.goto(`${address}__ibid/`);
  const [pages, questions] = [page.locator('#pages > li'), page.locator('#questions')];
  await expect(questions.locator('p')).toHaveText('1 of 2 first, MRR 0.75');
  // Those that found nothing, as visitors asked them.
  await expect(page.locator('#missed li')).toHaveText(['zyzzyva2']);
  const query = page.getByRole('searchbox');
  await query.fill('get started');
  await expect(pages.first()).toContainText('pinned');
  await query.fill('k8s');
  await expect(pages.first()).toContainText('synonym: Kubernetes');
  await questions.getByRole('button', { name: 'copper price' }).click();
  await expect(pages.first()).toContainText('Rights');
  await expect(pages.first().locator('mark')).toHaveText(['copper', 'price']);
  const news = pages.filter({ hasText: 'Copper news' });
  await expect(news).toContainText('weight 0.5');
  await expect(news).toContainText(/words: rank \d, 100 % of the query/);
  await expectAccessible(page, 'the reasons for the pages found');
  await news.getByRole('slider').fill('2');
  await expect(pages.first()).toContainText('Copper news');
  await expect(questions.locator('.row').first()).toContainText('2 → 1');
  const lines = await page.locator('#lines pre').textContent();
  expect(lines).toBe('[weights]\n"/blog/index.html" = 2');
  // A rebuild with the line finds what was tried.
  writeFileSync(join(folder, 'ibid.toml'), `${SETTINGS}"/blog/index.html" = 2\n`);
  run('site', '_site', '--no-cache');
  await page.reload();
  await expect(pages.first()).toContainText('Copper news');
  await expect(questions.locator('p')).toHaveText('2 of 2 first, MRR 1.00');
  // A page is kept for the query.
  await query.fill('plug it in');
  await pages.filter({ hasText: 'Welcome' }).getByRole('button', { name: 'Keep as question' }).click();
  await expect(page.locator('#lines pre')).toHaveText('[questions]\n"plug it in" = "/start/"');
  await expect(questions.locator('.row').last()).toContainText('plug it in');
  expect(problems).toEqual([]);
});

test('what is wrong in the settings is said', async ({ page }) => {
  const whole = readFileSync(join(folder, 'ibid.toml'));
  writeFileSync(join(folder, 'ibid.toml'), 'synonims = []\n');
  await page.goto(`${address}__ibid/?q=copper`);
  await expect(page.getByRole('alert')).toContainText('unknown field `synonims`');
  writeFileSync(join(folder, 'ibid.toml'), whole);
  await page.reload();
  await expect(page.getByRole('alert')).toBeHidden();
  await expect(page.locator('#pages > li').first()).toContainText('opper');
});
