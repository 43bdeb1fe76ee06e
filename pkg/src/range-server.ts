// A file server for tests of reading in parts; it has no tests of its own.
import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import { gzipSync } from 'node:zlib';

/** The way a {@link RangeServer} answers; each field at its default is a server as it should be. */
export interface Manners {
  ranges: boolean;
  etag: string | null;
  lastModified: string | null;
  /** Compresses what is asked for without a range, or everything. */
  gzip: false | 'whole' | 'all';
  /** Called before a request is answered. */
  before: ((asked: Asked) => void | Promise<void>) | undefined;
  /** Changes the answer to a range. */
  part: ((part: Part) => Part) | undefined;
  /** Lets pages of other origins read the file, and the named headers of its answers. No header of theirs is allowed. */
  cors: { expose: string } | undefined;
  /** True if `If-Range` is heeded. */
  ifRange: boolean;
  /** Fails with this status. */
  status: number | undefined;
  /** Sends a part's head and nothing after it. */
  hang: boolean;
}

/** A request, as it is remembered. */
interface Asked {
  range: string | undefined;
  condition: string | undefined;
  status: number;
  /** The number of bytes of the body that were sent. */
  sent: number;
}

interface Part {
  contentRange: string;
  body: Buffer;
}

export class RangeServer {
  readonly asked: Asked[] = [];
  file: Buffer;
  readonly manners: Manners = {
    ranges: true,
    etag: '"one"',
    lastModified: null,
    gzip: false,
    before: undefined,
    part: undefined,
    cors: undefined,
    ifRange: true,
    status: undefined,
    hang: false,
  };

  constructor(file: Buffer, manners: Partial<Manners> = {}) {
    this.file = file;
    Object.assign(this.manners, manners);
  }

  get sent(): number {
    return this.asked.reduce((sum, { sent }) => sum + sent, 0);
  }

  get ranges(): (string | undefined)[] {
    return this.asked.map(({ range }) => range);
  }

  /** Another version of the file, as if it had been deployed just now. */
  deploy(file: Buffer, etag = '"two"'): void {
    this.file = file;
    this.manners.etag = etag;
  }

  readonly listener: RequestListener = async (request, response) => {
    const { headers } = request;
    const { cors } = this.manners;
    if (cors !== undefined) {
      response.setHeader('Access-Control-Allow-Origin', '*');
      response.setHeader('Access-Control-Expose-Headers', cors.expose);
    }
    if (request.method === 'OPTIONS') {
      response.end();
      return;
    }
    const condition = headers['if-range'] ?? headers['if-none-match'] ?? headers['if-modified-since'];
    const asked: Asked = { range: headers.range, condition: condition as string | undefined, status: 200, sent: 0 };
    this.asked.push(asked);
    await this.manners.before?.(asked);
    this.#answer(request, response, asked);
    asked.status = response.statusCode;
  };

  #answer({ headers }: IncomingMessage, response: ServerResponse, asked: Asked): void {
    const { etag, lastModified, ranges, gzip, status } = this.manners;
    if (status !== undefined) {
      response.writeHead(status).end();
      return;
    }
    if (etag !== null) response.setHeader('ETag', etag);
    if (lastModified !== null) response.setHeader('Last-Modified', lastModified);
    const validator = etag ?? lastModified;
    const known = headers['if-none-match'] ?? headers['if-modified-since'];
    if (known !== undefined && known === validator) {
      response.writeHead(304).end();
      return;
    }
    const send = (body: Buffer) => {
      const zipped = gzip === 'all' || (gzip === 'whole' && headers.range === undefined);
      const bytes = zipped ? gzipSync(body) : body;
      if (zipped) response.setHeader('Content-Encoding', 'gzip');
      asked.sent = bytes.length;
      response.setHeader('Content-Length', bytes.length);
      response.end(bytes);
    };
    const found = /^bytes=(\d+)-(\d+)$/.exec(headers.range ?? '');
    const holds =
      !this.manners.ifRange ||
      headers['if-range'] === undefined ||
      headers['if-range'] === etag ||
      headers['if-range'] === lastModified;
    if (!ranges || found === null || !holds) {
      send(this.file);
      return;
    }
    const [start, end] = [Number(found[1]), Math.min(Number(found[2]) + 1, this.file.length)];
    if (start >= end) {
      response.writeHead(416, { 'Content-Range': `bytes */${this.file.length}` }).end();
      return;
    }
    let part = { contentRange: `bytes ${start}-${end - 1}/${this.file.length}`, body: this.file.subarray(start, end) };
    part = this.manners.part?.(part) ?? part;
    response.statusCode = 206;
    response.setHeader('Content-Range', part.contentRange);
    if (this.manners.hang) response.flushHeaders();
    else send(part.body);
  }
}
