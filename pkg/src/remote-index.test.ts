import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Ibid } from './ibid.js';
import { type Manners, RangeServer } from './range-server.js';
import { ScriptedModule, scriptedIndex, withServer } from './test-support.js';
import type { LoadOptions, LoadProgress } from './types.js';
import { WasmModule } from './wasm-module.js';

const HEAD = 65_536;
const NEEDED = 200_000;
const LENGTH = 500_000;
const FILE = scriptedIndex(LENGTH, NEEDED);
const NEWER = scriptedIndex(LENGTH + 1000, NEEDED + 500, 2);
const BYTES = { model: new Uint8Array([2]), wasm: new Uint8Array([0, 0x61, 0x73, 0x6d]) };

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
    const open = (options?: Partial<LoadOptions>) =>
      Ibid.loadWith(new WasmModule(async () => script), { index: address, ...BYTES, ...options });
    await act({ server, script, address, open });
  });
}

function assertBytes(actual: Uint8Array | undefined, expected: Uint8Array): void {
  assert.ok(actual !== undefined && Buffer.compare(actual, expected) === 0, `${actual?.length} other bytes`);
}

test('fetches what is needed in two requests, and text when a search asks for it', async () => {
  await scene({}, async ({ server, script, open }) => {
    const seen: LoadProgress[] = [];
    const ibid = await open({ onProgress: (progress) => progress.part === 'index' && seen.push(progress) });
    assert.deepEqual(server.ranges, ['bytes=0-65535', `bytes=${HEAD}-${NEEDED - 1}`]);
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

test('a small index comes with the first request', async () => {
  const small = scriptedIndex(5000, 4000);
  await scene(
    {},
    async ({ server, script, open }) => {
      await open();
      assert.deepEqual(server.ranges, ['bytes=0-65535']);
      assertBytes(script.pieces[0]?.pieces[0], small);
    },
    small,
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

const WHOLE: [string, Partial<Manners>, number][] = [
  ['ignores ranges', { ranges: false }, 1],
  ['ignores ranges and compresses', { ranges: false, gzip: 'all' }, 1],
  ['compresses parts', { gzip: 'all' }, 2],
  ['has no validator', { etag: null }, 2],
  ['has only a weak entity tag', { etag: 'W/"one"' }, 2],
  ['has changed the file just now', { etag: null, lastModified: new Date().toUTCString() }, 2],
  [
    'sends other bytes than those asked for',
    { part: ({ body }) => ({ body, contentRange: `bytes 1-65536/${LENGTH}` }) },
    2,
  ],
  ['does not tell the length', { part: ({ body }) => ({ body, contentRange: 'bytes 0-65535/*' }) }, 2],
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

test('a date that is old enough stands in for a missing or weak entity tag', async () => {
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
      assert.equal(ibid.remove('old'), true);
      server.deploy(NEWER);
      await Promise.all([ibid.search('300000-301000'), ibid.search('310000-311000')]);
      assert.deepEqual(script.reads, [null, null]);
      assert.equal(script.pieces.length, 2);
      assertBytes(script.pieces[1]?.pieces[0], NEWER.subarray(0, NEEDED + 500));
      assert.deepEqual(script.changes, ['old', 'old']);
      assert.equal(ibid.info.documents, 5);
      await ibid.search('300000-301000');
      assertBytes(script.reads[2]?.[0], NEWER.subarray(300_000, 301_000));
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
      const loading = Ibid.loadWith(new WasmModule(async () => new ScriptedModule()), { index: `${base}/x`, ...BYTES });
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
