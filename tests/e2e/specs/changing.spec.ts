import { expect, inBothBrowsers, type Visit } from '../index-host.js';

const TEA = '# White tea\n\nWhite tea is steeped at 70 degrees for four minutes.\n';

interface Changes {
  /** True if a worker may do it. */
  worker: boolean;
  content: string;
}

/** Adds a document to the site's index, finds it, and takes it out of an exported copy. */
function change(visit: Visit, changes: Changes) {
  return visit.evaluate(
    async ({ worker, content }: Changes) => {
      const { Ibid } = await import('/ibid/index.js' as string);
      const ibid = await Ibid.load({ index: './site.ibid' });
      const before = ibid.info;
      const phases = new Set<string>();
      const report = await ibid.add(
        [
          { source: 'white-tea.md', content },
          { source: 'white-tea.md', content: new Blob([content]) },
          { source: 'picture.md', content: new Uint8Array([0xff, 0xfe, 0]) },
        ],
        {
          ...(worker ? {} : { worker: false }),
          onProgress: ({ phase }: { phase: string }) => phases.add(phase),
        },
      );
      const query = 'how long does white tea steep';
      const [hit] = await ibid.search(query);
      const added = ibid.info;
      const exported: Uint8Array = await ibid.export();
      const copy = await Ibid.load({ index: exported });
      const [copied] = await copy.search(query);
      const removed = [await copy.remove(report.documents[0]), await copy.remove(report.documents[0])];
      const hash = await crypto.subtle.digest('SHA-256', exported as BufferSource);
      const left = await copy.search(query);
      const again = await copy.export();
      return {
        report,
        phases: [...phases],
        hit: hit.text,
        copied: copied.text,
        removed,
        left: left.map(({ documentId }: { documentId: string }) => documentId),
        documents: [before, added, copy.info, (await Ibid.load({ index: again })).info].map(
          ({ documents }) => documents,
        ),
        encoders: [before.encoder, added.encoder],
        calibration: before.calibration.near === added.calibration.near,
        hash: Array.from(new Uint8Array(hash)).join(),
      };
    },
    { ...changes },
  );
}

inBothBrowsers('adds documents in a worker, removes them, and exports the index', async (visit, { paths }) => {
  const made = await change(visit, { worker: true, content: TEA });
  expect(made.report.documents).toEqual(['white-tea']);
  expect(made.report).toMatchObject({ chunks: 1, embedded: 1, warnings: [] });
  expect(made.report.skipped.map(({ source, code }: { source: string; code: string }) => [source, code])).toEqual([
    // Names that clash are found once all is read.
    ['picture.md', 'invalid-document'],
    ['white-tea.md', 'document-skipped'],
  ]);
  expect(made.phases).toEqual(['chunk', 'embed']);
  expect(made.hit).toBe('White tea is steeped at 70 degrees for four minutes.');
  expect(made.copied).toBe(made.hit);
  expect(made.removed).toEqual([true, false]);
  expect(made.left).not.toContain('white-tea');
  const [documents = 0, ...after] = made.documents;
  expect(after).toEqual([documents + 1, documents, documents]);
  expect(made.encoders).toEqual(['transformer', 'table']);
  expect(made.calibration).toBe(true);
  expect(paths).toContain('/ibid/worker.js');

  const loads = paths.filter((path) => path === '/ibid/worker.js').length;
  const here = await change(visit, { worker: false, content: TEA });
  expect(here.hash, 'the same bytes without a worker').toBe(made.hash);
  expect(paths.filter((path) => path === '/ibid/worker.js')).toHaveLength(loads);
});

inBothBrowsers('gives up adding when told to, and goes without a worker where none starts', async (visit) => {
  const outcome = await visit.evaluate(async (content: string) => {
    const { Ibid } = await import('/ibid/index.js' as string);
    const ibid = await Ibid.load({ index: './site.ibid' });
    const documents = Array.from({ length: 200 }, (_, number) => ({
      source: `${number}.md`,
      content: `# Number ${number}\n\n${content.repeat(20)}`,
    }));
    const abort = new AbortController();
    const codes: string[] = [];
    const note = ({ code }: { code: string }) => void codes.push(code);
    await ibid.add(documents, { signal: abort.signal, onProgress: () => abort.abort() }).catch(note);
    await ibid.add(documents, { worker: false, signal: AbortSignal.timeout(1) }).catch(note);
    await ibid.add([{ source: 'a.md', content: 7 }]).catch(note);
    await ibid.add(documents.slice(0, 1), { chunking: { budget: -1 } }).catch(note);
    const before = ibid.info.documents;
    const broken = () => new Worker('./no-such-worker.js', { type: 'module' });
    const report = await ibid.add(documents.slice(0, 3), { worker: broken });
    const added = ibid.info.documents - before;
    const adding = ibid.add(documents).catch(note);
    ibid.free();
    await adding;
    return { codes, added, documents: report.documents };
  }, TEA);
  expect(outcome.codes).toEqual(['aborted', 'aborted', 'invalid-option', 'invalid-option', 'disposed']);
  expect(outcome.added).toBe(3);
  expect(outcome.documents).toEqual(['0', '1', '2']);
});
