import { join } from 'node:path';
import { test as nodeTest } from 'node:test';
import { pathToFileURL } from 'node:url';
import { expect } from '@playwright/test';
import type * as Library from '../../../pkg/src/index.js';
import type { AskOptions, Ibid } from '../../../pkg/src/index.js';
import { type Outcome, outcome } from '../asking.js';
import { SITE, siteFile } from '../documents.js';
import { type LlmDouble, withDouble } from '../llm-double.js';

// Tests that need no browser: of the library as it was built, and of the model server that all tests of asking talk to.

/** A module of the built package. */
export async function built<T = typeof Library>(path = 'index.js'): Promise<T> {
  return await import(pathToFileURL(join(SITE, 'ibid', path)).href);
}

/** Opens an index, the demo's or another one. */
export async function open(
  index: Uint8Array = siteFile('site.ibid'),
  more: Partial<Library.LoadOptions> = {},
): Promise<Ibid> {
  const { Ibid } = await built();
  return await Ibid.load({ index, model: siteFile('ibid/query-table.bin'), ...more });
}

/** A test with a scripted model server of its own. */
export function serverTest(name: string, run: (given: { llm: LlmDouble }) => Promise<void>): void {
  nodeTest(name, () => withDouble((llm) => run({ llm })));
}

/** The same with the demo's index. */
export function test(name: string, run: (given: { ibid: Ibid; llm: LlmDouble }) => Promise<void>): void {
  serverTest(name, async ({ llm }) => {
    const ibid = await open();
    try {
      await run({ ibid, llm });
    } finally {
      ibid.free();
    }
  });
}

/** Asks, and follows the run to its end. */
export function ask(ibid: Ibid, question: string, options: AskOptions): Promise<Outcome> {
  return outcome(ibid.ask(question, options));
}

export { expect };
