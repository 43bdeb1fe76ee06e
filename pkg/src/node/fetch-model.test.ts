import assert from 'node:assert/strict';
import { createHash, randomBytes } from 'node:crypto';
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, afterEach, before, beforeEach, test } from 'node:test';
import { gzipSync } from 'node:zlib';
import { IbidError } from '../error.js';
import { FAMILIES, type Family } from './families.js';
import { fetchModel } from './fetch-model.js';

const MIRROR = 'IBID_MODEL_URL';
const model = randomBytes(300_000);
const family: Family = {
  ...FAMILIES.minilm,
  bytes: model.length,
  sha256: createHash('sha256').update(model).digest('hex'),
};
const path = '/mirror/ibid-model-en/-/ibid-model-en-1.0.0.tgz';
const asked: (string | undefined)[] = [];
let folder: string;
let served: Buffer;
/** The bytes of the next answer after which its connection breaks. */
let breaksAfter: number | undefined;
let ignoresRanges = false;

const server = createServer((request: IncomingMessage, response: ServerResponse) => {
  if (request.url !== path) {
    response.writeHead(404).end();
    return;
  }
  asked.push(request.headers.range);
  const start = ignoresRanges ? 0 : Number(/^bytes=(\d+)-$/.exec(request.headers.range ?? '')?.[1] ?? 0);
  if (start >= served.length) {
    response.writeHead(416, { 'content-range': `bytes */${served.length}` }).end();
    return;
  }
  const body = served.subarray(start);
  const head = { 'content-length': body.length };
  if (start === 0) response.writeHead(200, head);
  else response.writeHead(206, { ...head, 'content-range': `bytes ${start}-${served.length - 1}/${served.length}` });
  if (breaksAfter === undefined) {
    response.end(body);
  } else {
    response.write(body.subarray(0, breaksAfter), () => response.destroy());
    breaksAfter = undefined;
  }
});

/** A gzipped archive of files, as `npm pack` makes them. */
function packed(files: [string, Uint8Array][]): Buffer {
  const blocks = files.flatMap(([name, bytes]) => {
    const head = Buffer.alloc(512);
    head.write(name, 0);
    head.write(`${bytes.length.toString(8).padStart(11, '0')}\0`, 124);
    head.write('ustar\x0000', 257);
    return [head, bytes, Buffer.alloc((512 - (bytes.length % 512)) % 512)];
  });
  return gzipSync(Buffer.concat([...blocks, Buffer.alloc(1024)]));
}

before(async () => {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  process.env[MIRROR] = `http://127.0.0.1:${(server.address() as AddressInfo).port}/mirror/`;
});
after(() => {
  delete process.env[MIRROR];
  server.close();
});
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'ibid-model-'));
  served = packed([
    ['package/package.json', Buffer.from('{}')],
    [`package/${family.file}`, model],
  ]);
  asked.length = 0;
  breaksAfter = undefined;
  ignoresRanges = false;
});

afterEach(() => rm(folder, { recursive: true }));

const place = () => join(folder, 'data', family.file);
const fetched = () => fetchModel(family, place());

test('a model is fetched once, and stands alone in its folder', async () => {
  assert.equal(await fetched(), place());
  assert.deepEqual(await readFile(place()), model);
  assert.deepEqual(await readdir(join(folder, 'data')), [family.file]);
  await fetched();
  assert.deepEqual(asked, [undefined]);
});

test('a download continues what an ended process has received', async () => {
  breaksAfter = 100_000;
  await assert.rejects(fetched(), (error) => error instanceof IbidError && error.code === 'network' && error.retryable);
  const [left] = await readdir(join(folder, 'data'));
  const received = await readFile(join(folder, 'data', left ?? ''));
  assert.equal(received.length, 100_000);
  // No process has that number.
  await writeFile(join(folder, 'data', `${family.file}.part.4194999`), received);
  await rm(join(folder, 'data', left ?? ''));
  await fetched();
  assert.deepEqual(await readFile(place()), model);
  assert.deepEqual(asked, [undefined, 'bytes=100000-']);
  assert.deepEqual(await readdir(join(folder, 'data')), [family.file]);
});

test('a download is begun anew where its parts do not belong together, or the server has no ranges', async () => {
  for (const has of [true, false]) {
    ignoresRanges = !has;
    asked.length = 0;
    const other = join(folder, `again-${has}`);
    const part = join(other, `${family.file}.part.${process.pid}`);
    await fetchModel(family, join(other, 'warm'));
    await writeFile(part, randomBytes(5000));
    asked.length = 0;
    assert.deepEqual(await readFile(await fetchModel(family, join(other, family.file))), model);
    assert.deepEqual(asked, has ? ['bytes=5000-', undefined] : ['bytes=5000-']);
  }
});

test('what was not published is not taken, and nothing of it is kept', async () => {
  for (const wrong of [
    packed([[`package/${family.file}`, randomBytes(model.length)]]),
    packed([['package/other', model]]),
    gzipSync(model),
    Buffer.from('<html>Please log in</html>'),
    randomBytes(3_000_000),
  ]) {
    served = wrong;
    await assert.rejects(fetched(), (error) => error instanceof IbidError && error.code === 'network');
    const left = await readdir(join(folder, 'data'));
    assert.ok(!left.includes(family.file), `${left}`);
  }
});

test('a registry without the package, and an address that is none, are told', async () => {
  const url = process.env[MIRROR] ?? '';
  try {
    process.env[MIRROR] = url.replace('mirror', 'elsewhere');
    await assert.rejects(
      fetched(),
      /elsewhere\/ibid-model-en\/-\/ibid-model-en-1\.0\.0\.tgz` was answered with HTTP status 404/,
    );
    process.env[MIRROR] = 'http://127.0.0.1:9';
    await assert.rejects(fetched(), (error) => error instanceof IbidError && error.code === 'network');
    for (const wrong of ['registry.npmjs.org', 'file:///tmp', 'https://']) {
      process.env[MIRROR] = wrong;
      await assert.rejects(fetched(), (error) => error instanceof IbidError && error.code === 'invalid-option');
    }
  } finally {
    process.env[MIRROR] = url;
  }
});

test('the packages are those that are published', async () => {
  for (const { package: name, version, file } of Object.values(FAMILIES)) {
    const own = JSON.parse(await readFile(new URL(`../../models/${name}/package.json`, import.meta.url), 'utf8'));
    assert.deepEqual([own.name, own.version, own.files], [name, version, [file]]);
  }
});
