import assert from 'node:assert/strict';
import type { RequestListener } from 'node:http';
import { test } from 'node:test';
import { Ibid } from './ibid.js';
import { type Manners, RangeServer } from './range-server.js';
import {
  assertBytes,
  BYTES,
  gate,
  ScriptedModule,
  scriptedIbid,
  scriptedIndex,
  until,
  withServer,
} from './test-support.js';
import type { LoadOptions, LoadProgress } from './types.js';
import { WasmModule } from './wasm-module.js';

const HEAD = 16_384;
const NEEDED = 200_000;
const LENGTH = 500_000;
const FILE = scriptedIndex(LENGTH, NEEDED);
const NEWER = scriptedIndex(LENGTH + 1000, NEEDED + 500, 2);

interface Scene {
  server: RangeServer;
  script: ScriptedModule;
  address: string;
  open(options?: Partial<LoadOptions>): Promise<Ibid>;
}

async function scene(manners: Partial<Manners>, act: (scene: Scene) => Promise<void>, file = FILE): Promise<void> {
  const server = new RangeServer(file, manners);
  const script = new ScriptedModule();
  await withServer(server.listener, async (base) => {
    const address = `${base}/site.ibid`;
    const open = async (options?: Partial<LoadOptions>) =>
      (await scriptedIbid(script, { index: address, ...options })).ibid;
    await act({ server, script, address, open });
  });
}

test('fetches what is needed in two requests, and text when a search asks for it', async () => {
  await scene({}, async ({ server, script, open }) => {
    const seen: LoadProgress[] = [];
    const ibid = await open({ onProgress: (progress) => progress.part === 'index' && seen.push(progress) });
    assert.deepEqual(server.ranges, ['bytes=0-16383', `bytes=${HEAD}-${NEEDED - 1}`]);
    assert.deepEqual(
      server.asked.map(({ condition }) => condition),
      [undefined, '"one"'],
    );
    assert.equal(server.sent, NEEDED);
    assert.deepEqual(script.pieces[0]?.offsets, [0]);
    assertBytes(script.pieces[0]?.pieces[0], FILE.subarray(0, NEEDED));
    assert.deepEqual(seen.at(-1), { part: 'index', loaded: NEEDED, total: NEEDED });
    assert.ok(seen.every(({ total }) => total === NEEDED));

    await ibid.search('300000-301000 400000-400500');
    assert.equal(server.sent, NEEDED + 1500);
    assertBytes(script.reads[0]?.[0], FILE.subarray(300_000, 301_000));
    assertBytes(script.reads[0]?.[1], FILE.subarray(400_000, 400_500));
  });
});

test('what is needed first is here before the module is', async () => {
  // The section table says where the clusters begin, which come last.
  const file = Buffer.from(FILE);
  file.write('code', 96, 'latin1');
  file.writeBigUInt64LE(BigInt(NEEDED), 104);
  const server = new RangeServer(file, {});
  const script = new ScriptedModule();
  await withServer(server.listener, async (base) => {
    const late = new WasmModule(async () => {
      while (server.sent < NEEDED) await new Promise((resolve) => setTimeout(resolve, 1));
      return script;
    });
    await Ibid.loadWith(late, { ...BYTES, index: `${base}/site.ibid` });
    assert.deepEqual(server.ranges, ['bytes=0-16383', `bytes=${HEAD}-${NEEDED - 1}`]);
    assertBytes(script.pieces[0]?.pieces[0], file.subarray(0, NEEDED));
  });
});

test('a small index comes with the first request', async () => {
  const small = scriptedIndex(5000, 4000);
  await scene(
    {},
    async ({ server, script, open }) => {
      await open();
      assert.deepEqual(server.ranges, ['bytes=0-16383']);
      assertBytes(script.pieces[0]?.pieces[0], small);
    },
    small,
  );
});

test('an index of a few pages comes whole with the second request', async () => {
  const few = scriptedIndex(50_000, 20_000);
  await scene(
    {},
    async ({ server, script, open }) => {
      await open();
      assert.deepEqual(server.ranges, ['bytes=0-16383', 'bytes=16384-49999']);
      assertBytes(script.pieces[0]?.pieces[0], few);
    },
    few,
  );
});

test('searches at the same time fetch nothing twice', async () => {
  await scene({}, async ({ server, script, open }) => {
    const ibid = await open();
    await Promise.all([
      ibid.search('300000-310000'),
      ibid.search('300000-310000'),
      ibid.search('305000-320000'),
      ibid.search('290000-330000'),
    ]);
    assert.equal(server.sent, NEEDED + 40_000);
    assertBytes(script.reads.find((read) => read?.[0]?.length === 40_000)?.[0], FILE.subarray(290_000, 330_000));
  });
});

test('what has come is not fetched again while the rest of its round is on the way', async () => {
  const slow = gate();
  const before = ({ range }: { range: string | undefined }) => (range?.startsWith('bytes=4') ? slow.opened : undefined);
  await scene({ before }, async ({ server, open }) => {
    const ibid = await open();
    const first = ibid.search('300000-301000 400000-401000');
    await until(() => server.sent === NEEDED + 1000);
    await new Promise((resolve) => setTimeout(resolve, 20));
    await ibid.search('300000-301000');
    assert.equal(server.sent, NEEDED + 1000);
    slow.open();
    await first;
    assert.equal(server.sent, NEEDED + 2000);
  });
});

const WHOLE: [string, Partial<Manners>, number][] = [
  ['ignores ranges', { ranges: false }, 1],
  ['ignores ranges and compresses', { ranges: false, gzip: 'all' }, 1],
  ['compresses parts', { gzip: 'all' }, 2],
  ['has no validator', { etag: null }, 2],
  ['has only a weak entity tag', { etag: 'W/"one"' }, 2],
  ['has changed the file just now', { etag: null, lastModified: new Date().toUTCString() }, 2],
  [
    'sends other bytes than those asked for',
    { part: ({ body }) => ({ body, contentRange: `bytes 1-16384/${LENGTH}` }) },
    2,
  ],
  ['does not tell the length', { part: ({ body }) => ({ body, contentRange: 'bytes 0-16383/*' }) }, 2],
  ['sends fewer bytes than it says', { part: (part) => ({ ...part, body: part.body.subarray(5) }) }, 2],
];
for (const [name, manners, requests] of WHOLE) {
  test(`from a server that ${name}, the file is fetched whole`, async () => {
    await scene(manners, async ({ server, script, open }) => {
      const ibid = await open();
      assert.equal(server.asked.length, requests);
      assert.equal(server.asked.at(-1)?.condition, undefined);
      assertBytes(script.opened[0]?.[0], FILE);
      await ibid.search('nothing more');
      assert.equal(server.asked.length, requests);
    });
  });
}

test('a server that fails in the middle of the needed part is given up for a whole download', async () => {
  let first = true;
  const part: Manners['part'] = (part) => {
    const keep = first;
    first = false;
    return keep ? part : { ...part, contentRange: part.contentRange.replace(/\d+-/, '7-') };
  };
  await scene({ part }, async ({ server, script, open }) => {
    await open();
    assert.equal(server.ranges.at(-1), undefined);
    assertBytes(script.opened[0]?.[0], FILE);
  });
});

test('range: false asks for the whole file', async () => {
  await scene({}, async ({ server, script, open }) => {
    await open({ range: false });
    assert.deepEqual(server.ranges, [undefined]);
    assertBytes(script.opened[0]?.[0], FILE);
  });
});

test('a date that is old enough replaces a missing or weak entity tag', async () => {
  const lastModified = new Date(Date.now() - 3_600_000).toUTCString();
  for (const etag of [null, 'W/"one"']) {
    await scene({ etag, lastModified }, async ({ server, open }) => {
      await open();
      assert.deepEqual(
        server.asked.map(({ condition }) => condition),
        [undefined, lastModified],
      );
      assert.equal(server.sent, NEEDED);
    });
  }
});

test('a file that changes while it is loaded is loaded anew', async () => {
  await scene({}, async ({ server, script, open }) => {
    server.manners.before = () => {
      if (server.asked.length === 2) server.deploy(NEWER);
    };
    await open();
    assertBytes(script.pieces[0]?.pieces[0], NEWER.subarray(0, NEEDED + 500));
  });
});

test('a file that never stays the same is fetched whole', async () => {
  await scene({}, async ({ server, script, open }) => {
    server.manners.before = ({ range }) =>
      server.deploy(range === undefined ? NEWER : FILE, `"${server.asked.length}"`);
    await open();
    assertBytes(script.opened[0]?.[0], NEWER);
    assert.equal(server.asked.length, 7);
  });
});

for (const ifRange of [true, false]) {
  test(`a redeploy between two searches is noticed, and changes are made again (If-Range ${ifRange})`, async () => {
    await scene({ ifRange }, async ({ server, script, open }) => {
      const ibid = await open();
      assert.equal(await ibid.remove('old'), true);
      server.deploy(NEWER);
      await Promise.all([ibid.search('300000-301000'), ibid.search('310000-311000')]);
      // Both search the new version once more, when it has been changed too.
      assert.deepEqual(script.reads.slice(0, 2), [null, null]);
      assert.equal(script.pieces.length, 2);
      assertBytes(script.pieces[1]?.pieces[0], NEWER.subarray(0, NEEDED + 500));
      assert.deepEqual(script.changes, ['old', 'old']);
      assert.equal(ibid.info.documents, 5);
      await ibid.search('300000-301000');
      assertBytes(script.reads.at(-1)?.[0], NEWER.subarray(300_000, 301_000));
    });
  });
}

test('a server that has the file in one length and answers with another has changed it', async () => {
  await scene({}, async ({ server, script, open }) => {
    const ibid = await open();
    server.manners.part = (part) => ({ ...part, contentRange: part.contentRange.replace(/\d+$/, '999999') });
    server.file = NEWER;
    await ibid.search('300000-301000');
    assert.deepEqual(script.reads, [null]);
  });
});

test('a failing server is an error that may pass, and the next search tries again', async () => {
  await scene({}, async ({ server, script, open }) => {
    const ibid = await open();
    server.manners.status = 503;
    await assert.rejects(ibid.search('300000-301000'), { code: 'index-load', retryable: true, message: /HTTP 503/ });
    server.manners.status = undefined;
    await ibid.search('300000-301000');
    assertBytes(script.reads[0]?.[0], FILE.subarray(300_000, 301_000));
  });
});

test('loading and searching can be aborted while the server is slow, and free ends both', async () => {
  await scene({ hang: true }, async ({ open }) => {
    const abort = new AbortController();
    const loading = open({ signal: abort.signal });
    setTimeout(() => abort.abort(), 20);
    await assert.rejects(loading, { code: 'aborted' });
    await assert.rejects(open({ signal: AbortSignal.timeout(20) }), { code: 'aborted', message: /timed out/ });
  });
  await scene({}, async ({ server, script, open }) => {
    const ibid = await open();
    server.manners.hang = true;
    const abort = new AbortController();
    const given = ibid.search('300000-301000', { signal: abort.signal });
    const other = ibid.search('300000-301000');
    abort.abort();
    await assert.rejects(given, { code: 'aborted' });
    setTimeout(() => ibid.free(), 20);
    await assert.rejects(other, { code: 'disposed' });
    await new Promise((resolve) => setTimeout(resolve, 20));
    assert.equal(script.freed, 1);
  });
});

test('a missing file is an error as ever', async () => {
  await withServer(
    (_, response) => response.writeHead(404).end(),
    async (base) => {
      const loading = scriptedIbid(undefined, { index: `${base}/x` });
      await assert.rejects(loading, { code: 'index-load', message: /HTTP 404/ });
    },
  );
});

test('an empty file is told as one', async () => {
  await scene(
    {},
    async ({ server, script, open }) => {
      await open();
      assert.deepEqual(
        server.asked.map(({ status }) => status),
        [416, 200],
      );
      assert.equal(script.opened[0]?.[0]?.length, 0);
    },
    Buffer.alloc(0),
  );
});

/** An index and a query table on one server, each counted on its own. */
async function tableScene(
  manners: Partial<Manners>,
  act: (scene: { table: RangeServer; script: ScriptedModule; open: Scene['open'] }) => Promise<void>,
): Promise<void> {
  const table = new RangeServer(TABLE, manners);
  const index = new RangeServer(FILE);
  const script = new ScriptedModule();
  const listener: RequestListener = (request, response) =>
    (request.url === '/table' ? table : index).listener(request, response);
  await withServer(listener, async (base) => {
    const open = async (options?: Partial<LoadOptions>) =>
      (await scriptedIbid(script, { index: `${base}/site.ibid`, model: `${base}/table`, ...options })).ibid;
    await act({ table, script, open });
  });
}

const TABLE_HEAD = 50_000;
const TABLE = scriptedIndex(600_000, TABLE_HEAD - 100);

test('the beginning of the query table is enough to open it, and rows come when a search asks for them', async () => {
  await tableScene({}, async ({ table, script, open }) => {
    const seen: LoadProgress[] = [];
    const ibid = await open({ onProgress: (progress) => progress.part === 'model' && seen.push(progress) });
    assert.deepEqual(table.ranges, [`bytes=0-${TABLE_HEAD - 1}`]);
    assert.deepEqual(seen.at(-1), { part: 'model', loaded: TABLE_HEAD, total: TABLE_HEAD });
    await ibid.search('model 300000-302312');
    assert.deepEqual(table.ranges.slice(1), ['bytes=300000-302311']);
    assert.equal(table.asked.at(-1)?.condition, '"one"');
    assertBytes(script.reads[0]?.[0], TABLE.subarray(300_000, 302_312));
  });
});

test('a query table with a longer head is asked for the rest of it', async () => {
  await tableScene({}, async ({ table, open }) => {
    table.file = scriptedIndex(600_000, TABLE_HEAD + 5000);
    await open();
    assert.deepEqual(table.ranges, [`bytes=0-${TABLE_HEAD - 1}`, `bytes=${TABLE_HEAD}-${TABLE_HEAD + 4999}`]);
  });
});

test('a redeployed query table takes the place of the one that was opened', async () => {
  await tableScene({}, async ({ table, script, open }) => {
    const ibid = await open();
    const newer = scriptedIndex(700_000, TABLE_HEAD - 100, 3);
    table.deploy(newer);
    await ibid.search('model 300000-302312');
    assert.deepEqual(script.reads, [null]);
    assertBytes(script.tables[0], newer.subarray(0, TABLE_HEAD));
    await ibid.search('model 300000-302312');
    assertBytes(script.reads[1]?.[0], newer.subarray(300_000, 302_312));
  });
});

test('from a server without ranges the query table comes whole, next to an index in parts', async () => {
  await tableScene({ ranges: false }, async ({ table, script, open }) => {
    const ibid = await open({ prefetch: 'now' });
    assert.equal(table.asked.length, 1);
    assertBytes(script.pieces[0]?.pieces[0], FILE.subarray(0, NEEDED));
    await assert.rejects(ibid.search('model 1-2'), { code: 'internal' });
    await ibid.search('300000-301000');
  });
});

test('what a search can do without is fetched after another one, at once, or never', async () => {
  const later: ScriptedModule['later'] = [
    ['index', 210_000, 220_000],
    ['model', 400_000, 410_000],
  ];
  await tableScene({}, async ({ table, script, open }) => {
    script.later = later;
    const ibid = await open();
    const wait = () => new Promise((resolve) => setTimeout(resolve, 300));
    await wait();
    assert.equal(script.prefetched, 0);
    await ibid.search('x');
    await ibid.search('x');
    await ibid.search('xy', { mode: 'lexical' });
    await wait();
    assert.equal(script.prefetched, 0);
    await ibid.search('y');
    assert.equal(script.prefetched, 0);
    await wait();
    assert.equal(script.prefetched, 1);
    assert.equal(table.ranges.at(-1), 'bytes=400000-409999');
    await ibid.search('x');
    await wait();
    assert.equal(script.prefetched, 1);

    await open({ prefetch: 'now' });
    await wait();
    assert.equal(script.prefetched, 2);
    const never = await open({ prefetch: 'never' });
    await never.search('x');
    await wait();
    assert.equal(script.prefetched, 2);
    await never.prefetch();
    assert.equal(script.prefetched, 3);
  });
});

test('a prefetch that fails is nobody’s error, and one that was asked for is', async () => {
  await tableScene({}, async ({ table, script, open }) => {
    script.later = [['model', 400_000, 410_000]];
    const ibid = await open({ prefetch: 'now' });
    table.manners.status = 503;
    await assert.rejects(ibid.prefetch(), { code: 'model-load', retryable: true, message: /query table .*HTTP 503/ });
    table.manners.status = undefined;
    table.manners.hang = true;
    const abort = new AbortController();
    const given = ibid.prefetch({ signal: abort.signal });
    abort.abort();
    await assert.rejects(given, { code: 'aborted' });
    setTimeout(() => ibid.free(), 20);
    await assert.rejects(ibid.prefetch(), { code: 'disposed' });
  });
});
