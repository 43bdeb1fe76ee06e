import assert from 'node:assert/strict';
import type { RequestListener } from 'node:http';
import { test } from 'node:test';
import type { Ibid } from '../ibid.js';
import { type Manners, RangeServer } from '../range-server.js';
import {
  assertBytes,
  folderOf,
  FOLDER_HEAD as HEAD,
  FOLDER_PART as PART,
  ScriptedModule,
  scriptedIbid,
  withServer,
} from '../test-support.js';
import { partsOf } from './remote-folder.js';

interface Scene {
  script: ScriptedModule;
  base: string;
  /** The requests, in order: a path with its range. */
  asked: string[];
  /** Deploys other files; those that are not among them are gone. */
  deploy(files: Map<string, Buffer>): void;
  open(path?: string): Promise<Ibid>;
}

/** A host with a folder at `/site.ibid`. What it does not have, it answers as `absent` says. */
async function scene(
  act: (scene: Scene) => Promise<void>,
  { manners = {}, absent = 404 }: { manners?: Partial<Manners>; absent?: 404 | 'page' } = {},
): Promise<void> {
  let files = folderOf(5, 1).files;
  const script = new ScriptedModule();
  const asked: string[] = [];
  const listener: RequestListener = (request, response) => {
    const name = /^\/site\.ibid\/([^/]+)$/.exec(request.url ?? '')?.[1];
    const file = files.get(name ?? '');
    asked.push(`${request.url} ${request.headers.range ?? ''}`.trim());
    if (file !== undefined) return new RangeServer(file, manners).listener(request, response);
    if (absent === 404) return response.writeHead(404).end('nothing');
    return response.writeHead(200, { 'Content-Type': 'text/html' }).end('<!doctype html><p>Welcome');
  };
  await withServer(listener, async (base) => {
    const open = async (path = '/site.ibid') => (await scriptedIbid(script, { index: `${base}${path}` })).ibid;
    const deploy = (deployed: Map<string, Buffer>) => {
      files = deployed;
    };
    await act({ script, base, asked, deploy, open });
  });
}

const { files: FILES, whole: WHOLE } = folderOf(5, 1);
const PARTS = [...FILES.keys()].slice(1);

test('the head comes with one request, and of parts what a search asks for', async () => {
  for (const path of ['/site.ibid/', '/site.ibid/head']) {
    await scene(async ({ script, asked, open }) => {
      const ibid = await open(path);
      assert.deepEqual(asked, ['/site.ibid/head']);
      assertBytes(script.pieces[0]?.pieces[0], WHOLE.subarray(0, HEAD));
      // One within a part, and one over the end of a part.
      await ibid.search('2000-2500 11000-11100');
      assertBytes(script.reads[0]?.[0], WHOLE.subarray(2000, 2500));
      assertBytes(script.reads[0]?.[1], WHOLE.subarray(11_000, 11_100));
      assert.deepEqual(asked.slice(1).sort(), [
        `/site.ibid/${PARTS[0]} bytes=976-1475`,
        `/site.ibid/${PARTS[0]} bytes=9976-9999`,
        `/site.ibid/${PARTS[1]} bytes=0-75`,
      ]);
    });
  }
});

test('an address without a slash is looked for as a file first', async () => {
  for (const absent of [404, 'page'] as const) {
    await scene(
      async ({ script, asked, open }) => {
        const ibid = await open();
        assert.deepEqual(asked, ['/site.ibid bytes=0-16383', '/site.ibid/head']);
        await ibid.search('30000-30010');
        assertBytes(script.reads[0]?.[0], WHOLE.subarray(30_000, 30_010));
      },
      { absent },
    );
  }
});

test('where there is neither, the error is of the address that was given', async () => {
  await scene(async ({ open, deploy, base }) => {
    deploy(new Map());
    await assert.rejects(open(), {
      code: 'index-load',
      message: new RegExp(`The index at ${base}/site.ibid could not`),
    });
  });
  const page = async ({ open, deploy }: Scene) => {
    deploy(new Map());
    await assert.rejects(open(), { code: 'index-foreign' });
  };
  await scene(page, { absent: 'page' });
});

test('a host without ranges sends each part once, as a whole', async () => {
  for (const manners of [{ ranges: false }, { gzip: 'all' as const }]) {
    await scene(
      async ({ script, asked, open }) => {
        const ibid = await open('/site.ibid/');
        await ibid.search('2000-2500 4000-4100 11000-11100');
        assertBytes(script.reads[0]?.[2], WHOLE.subarray(11_000, 11_100));
        await ibid.search('5000-5100');
        assertBytes(script.reads[1]?.[0], WHOLE.subarray(5000, 5100));
        await ibid.search('30000-30010');
        const whole = asked.filter((one) => !one.includes('bytes='));
        assert.equal(new Set(whole).size, whole.length);
        assert.ok(whole.includes(`/site.ibid/${PARTS[2]}`), asked.join('\n'));
      },
      { manners },
    );
  }
});

test('a folder that was deployed anew takes the place of the old one, and bytes are never mixed', async () => {
  await scene(async ({ script, asked, open, deploy }) => {
    const ibid = await open('/site.ibid/');
    const newer = folderOf(6, 2);
    deploy(newer.files);
    await ibid.search('2000-2500 30000-30010');
    assert.deepEqual(script.reads, [null]);
    assertBytes(script.pieces[1]?.pieces[0], newer.whole.subarray(0, HEAD));
    await ibid.search('2000-2500');
    assertBytes(script.reads[1]?.[0], newer.whole.subarray(2000, 2500));
    assert.ok(!asked.slice(-1)[0]?.includes(PARTS[0] as string));
  });
});

test('a page goes on with the old parts as long as they are there', async () => {
  await scene(async ({ script, open, deploy }) => {
    const ibid = await open('/site.ibid/');
    deploy(new Map([...FILES, ...folderOf(6, 2).files]));
    await ibid.search('2000-2500');
    assertBytes(script.reads[0]?.[0], WHOLE.subarray(2000, 2500));
  });
});

test('a part that is missing or has another length is told, and the index stays', async () => {
  const lacking = new Map(FILES);
  lacking.delete(PARTS[1] as string);
  for (const part of [undefined, Buffer.alloc(PART - 1), Buffer.alloc(5)]) {
    await scene(async ({ script, open, deploy }) => {
      const ibid = await open('/site.ibid/');
      deploy(part === undefined ? lacking : new Map([...FILES, [PARTS[1] as string, part]]));
      const told = { code: 'index-truncated', message: new RegExp(`site.ibid/head lacks its part ${PARTS[1]}`) };
      await assert.rejects(ibid.search('12000-12100'), told);
      await ibid.search('2000-2500');
      assertBytes(script.reads.at(-1)?.[0], WHOLE.subarray(2000, 2500));
    });
  }
});

test('a table of parts that contradicts its head is none', () => {
  const head = FILES.get('head') as Buffer;
  assert.equal(partsOf(head)?.length, 5);
  assert.equal(partsOf(head.subarray(0, 150)), undefined);
  assert.equal(partsOf(head.subarray(0, 63)), undefined);
  assert.equal(partsOf(WHOLE), undefined);
  for (const [at, value] of [
    [24, 0],
    [132, 1],
    [80, 0xffffffff],
    [76, 0xffffffff],
  ] as const) {
    const changed = Buffer.from(head);
    changed.writeUInt32LE(value, at);
    assert.equal(partsOf(changed), undefined, `${at}`);
  }
});
