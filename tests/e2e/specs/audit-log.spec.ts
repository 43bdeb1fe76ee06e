import { join } from 'node:path';
import type { Page } from '@playwright/test';
import { build } from 'rolldown';
import type { openAuditLogWith } from '../../../pkg/src/audit/log.js';
import type { AuditLog } from '../../../pkg/src/index.js';
import { expect, test } from '../harness.js';

// The log in IndexedDB on its own: one chain from two tabs, the limit of its size, and what a browser may refuse. The hashes
// are made by a stand-in, which is enough to see that each line goes on from the one before.

declare global {
  interface Window {
    /** Opens a log whose lines are `{ record, previous, hash }`. */
    openLog(options: { name: string; maxBytes?: number; required?: boolean }): Promise<AuditLog>;
  }
}

/** The package has the log with the hashes of its wasm alone, so the log's source is bundled without them. */
const alone = build({
  input: join(import.meta.dirname, '../../../pkg/src/audit/log.ts'),
  external: /\/wasm(?:\/|\.js)/,
  write: false,
  logLevel: 'silent',
});

async function withLog(page: Page): Promise<void> {
  const body = (await alone).output[0].code;
  await page.route('**/audit-log-alone.js', (route) => route.fulfill({ contentType: 'text/javascript', body }));
  await page.goto('./');
  await page.evaluate(async () => {
    const log: { openAuditLogWith: typeof openAuditLogWith } = await import('./audit-log-alone.js' as string);
    const hashOf = (text: string) => {
      let hash = 7;
      for (const char of text) hash = (hash * 31 + (char.codePointAt(0) ?? 0)) % 4294967291;
      return hash.toString(16);
    };
    const auditLine = (previous: string | undefined, record: string) => {
      if (record === 'bad') throw Object.assign(new Error('This is no record.'), { code: 'invalid-option' });
      return JSON.stringify({ record: JSON.parse(record), previous, hash: hashOf(`${previous} ${record}`) });
    };
    const auditCheck = (lines: string, head?: string) => JSON.stringify({ lines: lines.split('\n').length - 1, head });
    const module = { get: async () => ({ auditLine, auditCheck, complete: async () => {} }) as never };
    window.openLog = (options) => log.openAuditLogWith(module, options);
  });
}

interface Line {
  record: Record<string, unknown>;
  previous?: string;
  hash: string;
}

const linesOf = (text: string): Line[] =>
  text
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line));

function expectChain(lines: Line[]): void {
  for (const [at, { previous }] of lines.entries()) if (at > 0) expect(previous).toBe(lines[at - 1]?.hash);
}

test('two tabs keep one chain, and it is there after a reload', async ({ page, context }) => {
  const other = await context.newPage();
  await Promise.all([withLog(page), withLog(other)]);
  const append = (tab: Page, name: string) =>
    tab.evaluate(async (name) => {
      const log = await window.openLog({ name: 'two-tabs' });
      await Promise.all(Array.from({ length: 40 }, (_, at) => log.append(JSON.stringify({ name, at }))));
    }, name);
  await Promise.all([append(page, 'a'), append(other, 'b')]);
  await other.close();
  await withLog(page);
  const { text, report } = await page.evaluate(async () => {
    const log = await window.openLog({ name: 'two-tabs' });
    return { text: await log.export(), report: await log.verify() };
  });
  const lines = linesOf(text);
  expect(lines).toHaveLength(80);
  expect(lines[0]?.previous).toBeUndefined();
  expectChain(lines);
  expect(new Set(lines.map(({ record }) => `${record.name}${record.at}`)).size).toBe(80);
  expect(report).toEqual({ lines: 80, head: lines.at(-1)?.hash });
});

test('the oldest lines go when there is no room, and a checkpoint stands for them', async ({ page }) => {
  await withLog(page);
  const { texts, empty } = await page.evaluate(async () => {
    const log = await window.openLog({ name: 'small', maxBytes: 3000 });
    const texts: string[] = [];
    for (let at = 0; at < 60; at += 1) {
      await log.append(JSON.stringify({ at, filler: 'ü'.repeat(50) }));
      texts.push(await log.export());
    }
    await log.append(JSON.stringify({ at: 60, filler: 'x'.repeat(9000) }));
    texts.push(await log.export());
    await log.clear();
    const empty = [await log.export(), await log.verify()];
    await log.append('{"at":0}');
    texts.push(await log.export());
    return { texts, empty };
  });
  for (const [at, text] of texts.slice(0, 60).entries()) {
    const [first, ...rest] = linesOf(text);
    const lines = first?.record.kind === 'checkpoint' ? rest : [first as Line, ...rest];
    const dropped = first?.record.kind === 'checkpoint' ? Number(first.record.dropped) : 0;
    expectChain(lines);
    expect(dropped + lines.length, 'lines that are there or accounted for').toBe(at + 1);
    expect(lines.at(-1)?.record.at).toBe(at);
    if (dropped > 0) expect(lines[0]?.previous, 'goes on from what was dropped').toBe(first?.previous);
    expect(Buffer.byteLength(text)).toBeLessThanOrEqual(3000 + Buffer.byteLength(JSON.stringify(first)) + 1);
  }
  expect(linesOf(texts[59] ?? '')[0]?.record).toMatchObject({ version: 1, kind: 'checkpoint' });
  const large = linesOf(texts[60] ?? '');
  expect(large.map(({ record }) => record.dropped ?? record.at)).toEqual([60, 60]);
  expect(empty).toEqual(['', { lines: 0, dropped: 0, problems: [], more: 0 }]);
  expect(linesOf(texts[61] ?? '')).toMatchObject([{ record: { at: 0 } }]);
});

test('what cannot be kept fails by its code, and leaves the log as it was', async ({ page }) => {
  await withLog(page);
  const seen = await page.evaluate(async () => {
    const code = (failing: Promise<unknown>) => failing.then(String, ({ code }: { code: string }) => code);
    const log = await window.openLog({ name: 'failing', required: false });
    await log.append('{"at":1}');
    const codes = [await code(log.append('bad')), await code(window.openLog({ name: 'x', maxBytes: 0 }))];
    const before = await log.export();
    // The browser deletes the database under it, and it begins anew.
    await new Promise<void>((resolve) => {
      indexedDB.deleteDatabase('failing').onsuccess = () => resolve();
    });
    await log.append('{"at":2}');
    const after = await log.export();
    log.close();
    codes.push(await code(log.append('{"at":3}')));
    Object.defineProperty(window, 'indexedDB', { value: undefined });
    codes.push(await code(window.openLog({ name: 'nowhere' })));
    return { codes, before, after, required: log.required };
  });
  expect(seen.codes).toEqual(['invalid-option', 'invalid-option', 'io', 'io']);
  expect(linesOf(seen.before).map(({ record }) => record)).toEqual([{ at: 1 }]);
  expect(linesOf(seen.after).map(({ record }) => record)).toEqual([{ at: 2 }]);
  expect(seen.required).toBe(false);
});
