import assert from 'node:assert/strict';
import { test } from 'node:test';
import { packBuild } from './pack-job.js';

const TEA = '# Tea\n\nGreen tea steeps at 80 degrees.\n';

test('the memory of documents that are added stays the caller’s', async () => {
  // Node's `Buffer`, which Deno and Bun have too: small ones share their memory, others have their own.
  const shared = Buffer.from(TEA);
  const whole = Buffer.alloc(100, TEA);
  const array = new TextEncoder().encode(TEA);
  const documents = [shared, whole, array, array.buffer, new Blob([TEA]), TEA].map((content, at) => ({
    source: `${at}.md`,
    content,
  }));
  const table = Buffer.alloc(100, 1);
  for (const round of ['first', 'second']) {
    const { job, transfer } = await packBuild(documents, { table }, new AbortController().signal);
    const { documents: sent, options } = structuredClone(job, { transfer });
    assert.deepEqual(
      sent.map(({ content }) =>
        Buffer.from(content as Uint8Array)
          .toString()
          .slice(0, TEA.length),
      ),
      documents.map(() => TEA),
      round,
    );
    assert.deepEqual(options.table, new Uint8Array(100).fill(1), round);
    assert.equal(Buffer.from(array).toString(), shared.toString(), round);
    assert.deepEqual([whole.length, table.length], [100, 100], round);
  }
});
