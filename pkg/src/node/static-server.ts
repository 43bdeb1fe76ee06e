import { constants } from 'node:fs';
import { open, stat } from 'node:fs/promises';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { extname, join } from 'node:path';
import { pipeline } from 'node:stream/promises';

const HOST = '127.0.0.1';

/** Returns the file of an address, whose path is decoded and has no hidden and no upward part; nothing where there is none. */
export type Place = (path: string) => string | undefined;

/** Content types by the ending of a file's name. Streaming compilation of wasm and module scripts insist on theirs. */
const TYPES: Record<string, string> = {
  '.avif': 'image/avif',
  '.css': 'text/css; charset=utf-8',
  '.gif': 'image/gif',
  '.htm': 'text/html; charset=utf-8',
  '.html': 'text/html; charset=utf-8',
  '.ico': 'image/x-icon',
  '.jpeg': 'image/jpeg',
  '.jpg': 'image/jpeg',
  '.js': 'text/javascript; charset=utf-8',
  '.json': 'application/json; charset=utf-8',
  '.map': 'application/json; charset=utf-8',
  '.md': 'text/markdown; charset=utf-8',
  '.mjs': 'text/javascript; charset=utf-8',
  '.mp4': 'video/mp4',
  '.pdf': 'application/pdf',
  '.png': 'image/png',
  '.svg': 'image/svg+xml',
  '.txt': 'text/plain; charset=utf-8',
  '.wasm': 'application/wasm',
  '.webm': 'video/webm',
  '.webmanifest': 'application/manifest+json',
  '.webp': 'image/webp',
  '.woff': 'font/woff',
  '.woff2': 'font/woff2',
  '.xml': 'application/xml; charset=utf-8',
};

/**
 * Serves files as they are at that moment, so that a rebuilt site needs no restart. `where` is a folder, or says where
 * each file is. Ranges and strong validators are there, by which an index is read in parts.
 */
export function siteServer(where: string | Place, headers: Record<string, string> = {}): Server {
  const place = typeof where === 'string' ? (path: string) => join(where, path) : where;
  return createServer((request, response) => {
    for (const [name, value] of Object.entries(headers)) response.setHeader(name, value);
    answer(request, response, place).catch((error: NodeJS.ErrnoException) => {
      // A body that has begun can only be broken off.
      if (response.headersSent) response.destroy();
      else refuse(response, STATUSES.get(error.code ?? '') ?? 500);
    });
  });
}

/** Listens on this machine alone: on the port, or on the next free one where `tries` allows; 0 lets the system choose. */
export function listen(
  where: string | Place,
  port = 0,
  tries = 1,
  headers?: Record<string, string>,
): Promise<{ server: Server; url: string }> {
  const server = siteServer(where, headers);
  return new Promise((resolve, reject) => {
    let left = tries;
    let next = port;
    server.on('error', (error: NodeJS.ErrnoException) => {
      left -= 1;
      next += 1;
      if (error.code === 'EADDRINUSE' && left > 0 && next < 65536) server.listen(next, HOST);
      else reject(error);
    });
    server.once('listening', () => {
      resolve({ server, url: `http://${HOST}:${(server.address() as AddressInfo).port}/` });
    });
    server.listen(next, HOST);
  });
}

const STATUSES = new Map([
  ['ENOENT', 404],
  ['ENOTDIR', 404],
  ['ENAMETOOLONG', 404],
  ['EACCES', 403],
]);

const REASONS = new Map([
  [403, 'This file may not be read.'],
  [404, 'There is no such file here.'],
  [405, 'Files can only be read.'],
]);

function refuse(response: ServerResponse, status: number): void {
  response.writeHead(status, { 'content-type': 'text/plain; charset=utf-8' });
  response.end(`${status}: ${REASONS.get(status) ?? 'The file cannot be read.'}\n`);
}

async function answer(request: IncomingMessage, response: ServerResponse, place: Place): Promise<void> {
  if (request.method !== 'GET' && request.method !== 'HEAD') {
    response.setHeader('allow', 'GET, HEAD');
    return refuse(response, 405);
  }
  const [address = '/', query] = (request.url ?? '/').split('?', 2);
  const path = pathOf(address);
  let name = path === undefined ? undefined : place(path);
  if (path === undefined || name === undefined) return refuse(response, 404);
  let there = await stat(name);
  if (there.isDirectory()) {
    // Addresses on the page of a folder are relative to it. More than one slash would lead to another host.
    if (!path.endsWith('/')) {
      const location = `${address.replace(/^\/+/, '/')}/${query === undefined ? '' : `?${query}`}`;
      response.writeHead(301, { location }).end();
      return;
    }
    name = join(name, 'index.html');
    there = await stat(name);
  }
  // Anything else, a pipe for instance, may never end.
  if (!there.isFile()) return refuse(response, 404);
  await send(request, response, name);
}

/** Returns the decoded path of an address, unless it leads upwards or to what is hidden. */
function pathOf(address: string): string | undefined {
  try {
    const path = decodeURIComponent(address);
    return path.startsWith('/') && !/\/\.|[\\\0]/.test(path) ? path : undefined;
  } catch {
    return undefined;
  }
}

async function send({ method, headers }: IncomingMessage, response: ServerResponse, name: string): Promise<void> {
  const file = await open(name, constants.O_RDONLY);
  try {
    // The open file tells them: meanwhile another one may have its name.
    const { size, mtime } = await file.stat();
    const etag = `"${size.toString(16)}-${mtime.getTime().toString(16)}"`;
    const changed = mtime.toUTCString();
    response.setHeader('cache-control', 'no-cache');
    response.setHeader('accept-ranges', 'bytes');
    response.setHeader('etag', etag);
    response.setHeader('last-modified', changed);
    const { range, 'if-range': condition, 'if-none-match': known, 'if-modified-since': since } = headers;
    const isKnown =
      known === undefined
        ? since !== undefined && Date.parse(since) >= Date.parse(changed)
        : known === '*' || known.split(/\s*,\s*/).some((tag) => tag.replace(/^W\//, '') === etag);
    if (isKnown) {
      response.writeHead(304).end();
      return;
    }
    response.setHeader('content-type', TYPES[extname(name).toLowerCase()] ?? 'application/octet-stream');
    const holds = condition === undefined || condition === etag || condition === changed;
    const part = holds ? rangeOf(range, size) : undefined;
    const { start, end } = part ?? { start: 0, end: size };
    if (part !== undefined && start >= end) {
      response.setHeader('content-range', `bytes */${size}`);
      return refuse(response, 416);
    }
    if (part !== undefined) {
      response.statusCode = 206;
      response.setHeader('content-range', `bytes ${start}-${end - 1}/${size}`);
    }
    response.setHeader('content-length', end - start);
    if (method === 'HEAD' || start === end) response.end();
    else await pipeline(file.createReadStream({ start, end: end - 1, autoClose: false }), response);
  } finally {
    await file.close();
  }
}

/** Returns the one range that is asked for, an empty one where the file is too short. Several at once have the whole file. */
function rangeOf(header: string | undefined, size: number): { start: number; end: number } | undefined {
  const [, first = '', last = ''] = /^bytes=(\d*)-(\d*)$/.exec(header ?? '') ?? [];
  if (first === '') {
    return last === '' ? undefined : { start: Math.max(0, size - Number(last)), end: size };
  }
  // An end before the start is no range at all.
  if (last !== '' && Number(last) < Number(first)) return undefined;
  return { start: Number(first), end: last === '' ? size : Math.min(Number(last) + 1, size) };
}
