import { expect, inBothBrowsers, type Visit } from '../index-host.js';

/** What is asked for of a table first. */
const TABLE_HEAD = 'bytes=0-49999';

const QUERY = 'How much metformin a day with an eGFR of 35?';

interface Ask {
  options?: object;
  query?: string;
  /** Leaves the index open, for {@link searchAgain}. */
  keep?: boolean;
}

/** Opens the host's index in the page and searches it. */
function search(visit: Visit, ask: Ask = {}) {
  return visit.evaluate(
    async ({ options, query, keep }: Ask) => {
      const { Ibid } = await import('/ibid/index.js' as string);
      const progress: { part: string; loaded: number; total: number }[] = [];
      const onProgress = (step: { part: string; loaded: number; total: number }) => progress.push(step);
      const ibid = await Ibid.load({ index: './site.ibid', onProgress, ...options });
      const hits = query === undefined ? [] : await ibid.search(query);
      if (keep) Object.assign(globalThis, { ibid });
      return {
        titles: hits.map(({ title }: { title: string }) => title) as string[],
        text: (hits[0]?.text ?? '') as string,
        bytes: ibid.info.bytes as number,
        last: progress.filter(({ part }) => part === 'index').at(-1),
      };
    },
    { ...ask },
  );
}

/** Calls a method of the index that was left open; gives what went wrong, if something did. */
function call(visit: Visit, method: 'prefetch' | 'export') {
  return visit.evaluate(async (method: 'prefetch' | 'export') => {
    const { ibid } = globalThis as unknown as { ibid: Record<typeof method, () => Promise<unknown>> };
    try {
      await ibid[method]();
      return null;
    } catch (error) {
      return (error as { code: string }).code;
    }
  }, method);
}

/** Searches the index that was left open. */
function searchAgain(visit: Visit, query: string) {
  return visit.evaluate(async (query: string) => {
    const { ibid } = globalThis as unknown as { ibid: { search(query: string): Promise<{ text: string }[]> } };
    return (await ibid.search(query)).map(({ text }) => text);
  }, query);
}

/** An index of one document, made in the page. */
async function builtInPage(visit: Visit, content: string): Promise<Buffer> {
  const bytes = await visit.evaluate(async (content: string) => {
    const { buildIndex } = await import('/ibid/build/builder.js' as string);
    const { index } = await buildIndex([{ source: 'other.md', content }]);
    return Array.from(index as Uint8Array);
  }, content);
  return Buffer.from(bytes);
}

inBothBrowsers(
  'a first search takes three rounds of requests after code, a later one fetches only what is new',
  async (visit) => {
    const rounds = await visit.evaluate(async (query: string) => {
      const { Ibid } = await import('/ibid/index.js' as string);
      const fetchIt = globalThis.fetch.bind(globalThis);
      let asked: { path: string; round: number }[] = [];
      let ended = 0;
      // A request belongs to the round after the last one that had ended when it was sent, however fast the server is.
      globalThis.fetch = async (...args: Parameters<typeof fetch>) => {
        const { pathname } = new URL(args[0] instanceof Request ? args[0].url : args[0], location.href);
        const round = ended + 1;
        asked.push({ path: pathname.split('/').pop() ?? '', round });
        const response = await fetchIt(...args);
        await new Promise((resolve) => setTimeout(resolve, 100));
        ended = Math.max(ended, round);
        return response;
      };
      const ibid = await Ibid.load({ index: './site.ibid', prefetch: 'never' });
      await ibid.search(query);
      const first = asked;
      const searched = async (text: string) => {
        [asked, ended] = [[], 0];
        await ibid.search(text);
        return asked;
      };
      return { first, same: await searched(query), extended: await searched(`${query} And what at 25?`) };
    }, QUERY);
    const last = (of: { path: string; round: number }[], path: RegExp) =>
      Math.max(0, ...of.filter((request) => path.test(request.path)).map(({ round }) => round));
    // Next to the code come the beginnings of index and table; then rows and words, then clusters, then passages.
    const code = last(rounds.first, /wasm$/);
    expect(code).toBe(1);
    expect(last(rounds.first, /./) - code).toBeLessThanOrEqual(3);
    expect(rounds.same).toEqual([]);
    expect(last(rounds.extended, /./)).toBeLessThanOrEqual(3);
    expect(rounds.extended.length).toBeLessThan(rounds.first.length);
  },
);

inBothBrowsers('fetches what a search needs, then the text of its hits', async (visit, { index }) => {
  const { bytes, last } = await search(visit, { keep: true, options: { prefetch: 'never' } });
  const length = index.file.length;
  expect(bytes).toBe(length);
  expect(index.ranges[0]).toBe('bytes=0-16383');
  expect(index.asked.length).toBeLessThanOrEqual(2);
  const needed = index.sent;
  expect(last).toEqual({ part: 'index', loaded: needed, total: needed });
  expect(needed).toBeLessThan(length / 2);
  const texts = await searchAgain(visit, QUERY);
  expect(texts[0]).toContain('Up to 1000 mg daily');
  const after = index.asked.length;
  expect(after).toBeGreaterThan(1);
  expect(index.sent).toBeLessThanOrEqual(length);
  expect(await searchAgain(visit, QUERY)).toEqual(texts);
  expect(index.asked.length, 'the same text again').toBe(after);
});

inBothBrowsers('a redeploy is noticed by the next search that needs text', async (visit, { index }) => {
  const newer = await builtInPage(visit, '# Metformin\n\nThe maximum dose of metformin is on the new label.\n');
  await search(visit, { keep: true });
  index.deploy(newer);
  expect(await searchAgain(visit, QUERY)).toEqual(['The maximum dose of metformin is on the new label.']);
});

inBothBrowsers('another origin gives as much as it allows', async (visit, { elsewhere, index, table }) => {
  // Without the headers nothing tells one version from another, so the file is fetched whole; the browser's cache has a
  // say in how.
  for (const expose of ['', 'ETag, Content-Range']) {
    for (const file of [index, table]) file.manners.cors = { expose };
    const before = index.asked.length;
    const { text } = await search(visit, {
      options: { index: `${elsewhere}?${before}`, prefetch: 'never' },
      query: QUERY,
    });
    expect(text).toContain('Up to 1000 mg daily');
    const [first, second] = index.asked.slice(before);
    expect(first?.range).toBe('bytes=0-16383');
    if (expose === '') continue;
    expect(second?.range).toMatch(/^bytes=[1-9]\d+-/);
  }
});

for (const persist of ['cache', 'opfs']) {
  inBothBrowsers(`a second visit asks only whether the file has changed (${persist})`, async (visit, host) => {
    const { index } = host;
    const first = await search(visit, { options: { persist }, query: QUERY });
    const requests = index.asked.length;
    const sent = index.sent;
    // What is kept is written when nobody waits for it any more.
    await expect(async () => {
      await visit.goto(host.url);
      const before = index.sent;
      expect(await search(visit, { options: { persist }, query: QUERY })).toEqual(first);
      expect(index.sent).toBe(before);
    }).toPass();
    expect(index.asked.at(-1)).toMatchObject({ status: 304, sent: 0 });
    expect(requests).toBeGreaterThan(1);
    expect(sent).toBeGreaterThan(0);

    const newer = await builtInPage(visit, '# Metformin\n\nThe maximum dose of metformin is on the new label.\n');
    index.deploy(newer);
    await visit.goto(host.url);
    const { text } = await search(visit, { options: { persist }, query: QUERY });
    expect(text).toBe('The maximum dose of metformin is on the new label.');
  });
}

inBothBrowsers(
  'a first search needs little of index and query table, and the rest comes later',
  async (visit, host) => {
    const { index, table } = host;
    await search(visit, { keep: true, options: { prefetch: 'never' } });
    expect(table.ranges).toEqual([TABLE_HEAD]);
    const texts = await searchAgain(visit, QUERY);
    expect(texts[0]).toContain('Up to 1000 mg daily');
    const rows = table.asked.slice(1);
    expect(rows.length).toBeGreaterThan(0);
    expect(rows.length).toBeLessThan(12);
    expect(rows.every(({ condition }) => condition === '"table"')).toBe(true);
    expect(table.sent).toBeLessThan(200_000);
    await searchAgain(visit, QUERY);
    expect(table.asked.length, 'the same rows again').toBe(1 + rows.length);

    expect(await call(visit, 'prefetch')).toBeNull();
    expect(table.sent).toBeGreaterThan(table.file.length - 40_000);
    expect(table.sent).toBeLessThan(table.file.length + 40_000);
    const requests = index.asked.length + table.asked.length;
    expect(await call(visit, 'prefetch')).toBeNull();
    expect(index.asked.length + table.asked.length, 'nothing is left').toBe(requests);
    expect((await searchAgain(visit, QUERY))[0]).toBe(texts[0]);
  },
);

inBothBrowsers('when everything is there, no search needs the network', async (visit, { index, table }) => {
  await search(visit, { keep: true, query: QUERY, options: { range: false } });
  index.manners.status = 503;
  table.manners.status = 503;
  for (const query of [
    'renal impairment',
    'side effects of insulin',
    'how are citations checked?',
    'zoonotic quokkas',
  ]) {
    await searchAgain(visit, query);
  }
});

inBothBrowsers('a search that is given up asks for nothing more, and what came is kept', async (visit) => {
  await search(visit, { keep: true, options: { prefetch: 'never' } });
  const { code, first, all } = await visit.evaluate(async (query: string) => {
    const { ibid } = globalThis as unknown as { ibid: { search(query: string, options?: object): Promise<unknown> } };
    const fetchIt = globalThis.fetch.bind(globalThis);
    const controller = new AbortController();
    const all: string[] = [];
    globalThis.fetch = (...args: Parameters<typeof fetch>) => {
      all.push(`${args[0]} ${new Headers(args[1]?.headers).get('range')}`);
      // Once all requests of the first round are under way.
      setTimeout(() => controller.abort());
      return fetchIt(...args);
    };
    const ended = ibid.search(query, { signal: controller.signal });
    const code = await ended.catch((error: { code: string }) => error.code);
    await new Promise((resolve) => setTimeout(resolve, 500));
    const first = all.length;
    await ibid.search(query);
    globalThis.fetch = fetchIt;
    return { code, first, all };
  }, QUERY);
  expect([code, first > 0, all.length > first]).toEqual(['aborted', true, true]);
  expect(new Set(all).size, all.join('\n')).toBe(all.length);
});

inBothBrowsers('the rest comes once one searches for something else', async (visit, { index, table }) => {
  await search(visit, { keep: true });
  const needed = index.sent;
  await searchAgain(visit, QUERY);
  await expect(async () => {
    const words = await searchAgain(visit, 'renal impairment');
    const asked = index.asked.length;
    // Texts apart, nothing of the index is asked for any more.
    expect(await searchAgain(visit, 'renal impairment')).toEqual(words);
    expect(index.asked.length).toBe(asked);
    expect(index.sent).toBeGreaterThan(needed + 50_000);
  }).toPass();
  expect(index.sent).toBeLessThanOrEqual(index.file.length);
  expect(table.sent, 'the table is fetched row by row').toBeLessThan(400_000);
});

inBothBrowsers(
  'rows of another table than the head, from a host that hides it, are refused',
  async (visit, { table }) => {
    await search(visit, { keep: true, options: { prefetch: 'never' } });
    const other = Buffer.from(table.file);
    for (let at = 151_552; at < other.length; at += 700) other.writeUInt8((other.readUInt8(at) + 1) & 0xff, at);
    table.file = other;
    const failed = await visit.evaluate(async (query: string) => {
      const { ibid } = globalThis as unknown as { ibid: { search(query: string): Promise<unknown> } };
      return await ibid.search(query).then(
        () => null,
        (error: { code: string }) => error.code,
      );
    }, QUERY);
    expect(failed).toBe('model-invalid');
  },
);
