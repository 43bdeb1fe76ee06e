import { test } from 'node:test';
import type * as Builder from '../../../pkg/src/build/builder.js';
import type { Embedder, IbidError } from '../../../pkg/src/index.js';
import { siteFile } from '../documents.js';
import { built, expect, open } from './harness.js';

const TEA = '# White tea\n\nWhite tea is steeped at 70 degrees for four minutes.\n';
const DOCUMENTS = ['zzz zzy', 'aaa aab', 'mmm mmn'].map((text, at) => ({
  source: `${at}.md`,
  content: `# ${text}\n\n${text}\n`,
}));
const wasm = siteFile('ibid/wasm/ibid_build_bg.wasm');
const { buildIndex } = await built<typeof Builder>('build/builder.js');

/** The number of times a text has each letter; `asked` hears of each call. */
function letters(asked: (task: string, texts: number) => void = () => {}): Embedder {
  return {
    name: 'letters',
    dimensions: 26,
    batchSize: 2,
    embed: async (texts, task) => {
      asked(task, texts.length);
      return texts.map((text) => {
        const counts = new Float32Array(26).fill(0.01);
        for (const letter of text.toLowerCase()) {
          const at = letter.charCodeAt(0) - 97;
          if (at >= 0 && at < 26) counts[at] = (counts[at] ?? 0) + 1;
        }
        return counts;
      });
    },
  };
}

test('an index of an embedder of one’s own is built, searched and added to', async () => {
  const asked: [task: string, texts: number][] = [];
  const embedder = letters((...call) => asked.push(call));
  const { index } = await buildIndex(DOCUMENTS, { embedder, wasm });
  expect(asked).toEqual([
    ['document', 2],
    ['document', 1],
  ]);
  const ibid = await open(index, { queryEncoder: embedder });
  const [hit] = await ibid.search('zzzz');
  expect(hit?.documentId).toBe('0');
  const { documents } = await ibid.add([{ source: 'white-tea.md', content: TEA }], { wasm });
  expect(documents).toEqual(['white-tea']);
  const [added] = await ibid.search(TEA);
  expect(added?.documentId).toBe('white-tea');
  expect(ibid.info).toMatchObject({ queryEncoder: 'embedder', model: 'letters' });
  expect(ibid.info.encoder).toBe('embedder');
  ibid.free();
});

test('an index of another embedder, and vectors that are none, are refused', async () => {
  const embedder = letters();
  const code = (work: Promise<unknown>) => work.then(String, ({ code }: IbidError) => code);
  const { index } = await buildIndex(DOCUMENTS, { embedder, wasm });
  const failed: IbidError = await open(index).then(String, (error) => error);
  expect(failed.code).toBe('model-mismatch');
  expect(failed.message).toMatch(/letters.*all-MiniLM-L6-v2/s);
  expect(await code(open(index, { queryEncoder: { ...embedder, dimensions: 27 } }))).toBe('model-mismatch');
  const other = await buildIndex(DOCUMENTS, { embedder: { ...embedder, name: 'other letters' }, wasm });
  expect(await code(open(other.index, { queryEncoder: embedder }))).toBe('model-mismatch');
  for (const component of [0, Number.NaN, 1e39]) {
    const bad = { ...embedder, embed: (texts: string[]) => texts.map(() => Array<number>(26).fill(component)) };
    expect(await code(buildIndex(DOCUMENTS, { embedder: bad, wasm })), String(component)).toBe('embedder-failed');
  }
});
