/** Serves folders to tests, benchmarks and tools as static hosts do: with ranges, by which an index is read in parts. */
import { createReadStream, existsSync, statSync } from 'node:fs';
import { createServer } from 'node:http';
import { extname, join } from 'node:path';

/** Streaming compilation of wasm and module scripts insist on their types. */
const TYPES = {
  '.css': 'text/css; charset=utf-8',
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.json': 'application/json; charset=utf-8',
  '.mjs': 'text/javascript; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.wasm': 'application/wasm',
};

/** Makes a server of a folder's files, as they are at that moment. */
export function siteServer(folder) {
  return createServer((request, response) => {
    const { pathname, search } = new URL(request.url, 'http://127.0.0.1');
    let file = join(folder, decodeURIComponent(pathname));
    if (existsSync(file) && statSync(file).isDirectory()) {
      if (!pathname.endsWith('/')) return response.writeHead(301, { location: `${pathname}/${search}` }).end();
      file = join(file, 'index.html');
    }
    if (existsSync(file)) send(request, response, file);
    else response.writeHead(404, { 'content-type': 'text/plain' }).end('There is no such file.');
  });
}

function send({ method, headers }, response, file) {
  const { size, mtimeMs } = statSync(file);
  const etag = `"${size}-${mtimeMs}"`;
  const type = TYPES[extname(file)] ?? 'application/octet-stream';
  const always = { 'cache-control': 'no-cache', 'accept-ranges': 'bytes', etag, 'content-type': type };
  if (headers['if-none-match'] === etag) return response.writeHead(304, always).end();
  const [, first, last] = /^bytes=(\d+)-(\d*)$/.exec(headers.range ?? '') ?? [];
  const isPart = first !== undefined && [etag, undefined].includes(headers['if-range']);
  const start = isPart ? Number(first) : 0;
  const end = isPart && last !== '' ? Math.min(Number(last) + 1, size) : size;
  if (isPart && start >= size) return response.writeHead(416, { 'content-range': `bytes */${size}` }).end();
  const range = isPart && { 'content-range': `bytes ${start}-${end - 1}/${size}` };
  response.writeHead(isPart ? 206 : 200, { ...always, ...range, 'content-length': end - start });
  if (method === 'HEAD' || size === 0) response.end();
  else createReadStream(file, { start, end: end - 1 }).pipe(response);
}

/** Serves a folder, or what a function answers, on a free port of this machine. */
export async function listen(served) {
  const server = typeof served === 'string' ? siteServer(served) : createServer(served);
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
  const origin = `http://127.0.0.1:${server.address().port}`;
  const close = () => {
    server.closeAllConnections();
    server.close();
  };
  return { server, origin, url: `${origin}/`, close };
}
