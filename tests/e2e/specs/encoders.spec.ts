import { expect, inBothBrowsers, test } from '../index-host.js';

const MODEL = '/models/minilm-distilled.ibidmodel';
const TABLE = '/ibid/query-table.bin';
const WORKER = '/ibid/worker.js';
const TEA = '# White tea\n\nWhite tea is steeped at 70 degrees for four minutes.\n';

test.describe('the transformer', () => {
  inBothBrowsers('embeds queries and added documents in one worker', async (visit, { paths }) => {
    const seen = await visit.evaluate(
      async ({ transformer, content }) => {
        const { Ibid } = await import('/ibid/index.js' as string);
        const parts = new Set<string>();
        const options = { index: './site.ibid', queryEncoder: 'transformer', transformer };
        const onProgress = ({ part }: { part: string }) => parts.add(part);
        const ibid = await Ibid.load({ ...options, onProgress });
        const query = 'how long does white tea steep';
        const [before] = await ibid.search(query);
        const report = await ibid.add([{ source: 'white-tea.md', content }]);
        const [hit] = await ibid.search(query);
        const answer = await ibid.ask('How long does white tea steep?');
        const { queryEncoder, encoder } = ibid.info;
        ibid.free();
        // The same numbers without a worker.
        const here = await Ibid.load({ ...options, transformer: { model: transformer, worker: false } });
        const [again] = await here.search(query);
        here.free();
        return {
          scores: [before.score, again.score],
          text: hit.text,
          answer: answer.sources[0]?.documentId,
          encoder,
          queryEncoder,
          documents: report.documents,
          parts: [...parts].sort(),
        };
      },
      { transformer: MODEL, content: TEA },
    );
    expect(seen).toMatchObject({
      queryEncoder: 'transformer',
      encoder: 'transformer',
      documents: ['white-tea'],
      answer: 'white-tea',
      text: 'White tea is steeped at 70 degrees for four minutes.',
      parts: ['index', 'transformer'],
    });
    expect(seen.scores[0]).toBe(seen.scores[1]);
    // Twice because of two loads; the table once, since documents that are added are cut by its tokens where so wished.
    expect(paths.filter((path) => path === MODEL)).toHaveLength(2);
    expect(paths.filter((path) => path === TABLE)).toHaveLength(1);
    expect(paths.filter((path) => path === WORKER)).toHaveLength(1);
  });

  inBothBrowsers('takes the place of the table when it has come', async (visit) => {
    const seen = await visit.evaluate(async (transformer: string) => {
      const { Ibid } = await import('/ibid/index.js' as string);
      const told: unknown[][] = [];
      let ready: () => void = () => {};
      const switched = new Promise<void>((resolve) => {
        ready = resolve;
      });
      const onQueryEncoder = (encoder: string, failure?: { code: string }) => {
        told.push([encoder, failure?.code ?? null]);
        ready();
      };
      const options = { index: './site.ibid', queryEncoder: 'auto', onQueryEncoder };
      const ibid = await Ibid.load({ ...options, transformer });
      const first = ibid.info.queryEncoder;
      const [byTable] = await ibid.search('metformin when the kidneys fail');
      await switched;
      const [byTransformer] = await ibid.search('metformin when the kidneys fail');
      const then = ibid.info.queryEncoder;
      ibid.free();

      const failed = new Promise<void>((resolve) => {
        ready = resolve;
      });
      const without = await Ibid.load({ ...options, transformer: './no-such-model' });
      await failed;
      const [hit] = await without.search('metformin when the kidneys fail');
      const { queryEncoder, queryEncoderFailure } = without.info;
      without.free();
      return {
        told,
        encoders: [first, then, queryEncoder],
        differ: byTable.score !== byTransformer.score,
        same: byTable.score === hit.score,
        failure: queryEncoderFailure?.code,
      };
    }, MODEL);
    expect(seen).toEqual({
      told: [
        ['transformer', null],
        ['table', 'model-load'],
      ],
      encoders: ['table', 'transformer', 'table'],
      differ: true,
      same: true,
      failure: 'model-load',
    });
  });

  inBothBrowsers('is kept from visit to visit where that is asked for', async (visit, { paths }) => {
    const load = () =>
      visit.evaluate(async (transformer: string) => {
        const { Ibid } = await import('/ibid/index.js' as string);
        const persist = 'cache';
        const ibid = await Ibid.load({ index: './site.ibid', queryEncoder: 'transformer', transformer, persist });
        const hits = await ibid.search('metformin');
        ibid.free();
        return hits.length;
      }, MODEL);
    expect(await load()).toBe(5);
    // It is put away after it has been handed over; the next visit may come before that is done.
    await expect(async () => {
      paths.length = 0;
      expect(await load()).toBe(5);
      expect(
        paths.filter((path) => path === MODEL),
        'whether it has changed',
      ).toHaveLength(1);
    }).toPass();
  });
});
