// A static host on loopback that counts what a page fetches: bytes by kind, requests, and rounds.
//
// Bytes are those that the server writes to its sockets, headers included; code is compressed by gzip, as static hosts
// do it. A request belongs to the round after the last one that had ended when it came, so that requests side by side
// are one round. With a delay, every answer waits that long, as behind a slow network.

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { gzipSync } from 'node:zlib';
import { listen, siteServer } from '../tests/static-server.mjs';

const TYPES = { js: 'text/javascript', wasm: 'application/wasm', css: 'text/css' };

/** Serves a folder. `kindOf` names the kind of an address; what it gives no name is not counted. */
export async function serveCounted(folder, kindOf, { delay = 0 } = {}) {
  const files = siteServer(folder);
  const zipped = new Map();
  let [counts, ended] = [new Map(), []];
  const count = (kind, bytes, round) => {
    const known = counts.get(kind) ?? { bytes: 0, requests: 0, rounds: new Set() };
    counts.set(kind, known);
    known.bytes += bytes;
    known.requests += 1;
    known.rounds.add(round);
  };
  const { origin, close } = await listen(async (request, response) => {
    const { socket } = request;
    const url = request.url.split('?', 1)[0];
    const kind = kindOf(url);
    const before = socket.bytesWritten;
    const round = 1 + Math.max(0, ...ended);
    // The counts that are kept when it comes, not those when it ends.
    const now = ended;
    response.on('close', () => {
      if (kind === undefined || now !== ended) return;
      count(kind, socket.bytesWritten - before, round);
      ended.push(round);
    });
    if (delay > 0) await wait(delay);
    // An isolated page can measure its memory, and has a finer clock.
    response.setHeader('cross-origin-opener-policy', 'same-origin');
    response.setHeader('cross-origin-embedder-policy', 'require-corp');
    const type = TYPES[url.split('.').pop()];
    if (type === undefined) return files.emit('request', request, response);
    if (!zipped.has(url)) zipped.set(url, gzipSync(readFileSync(join(folder, url)), { level: 9 }));
    response.setHeader('content-type', type);
    response.setHeader('content-encoding', 'gzip');
    response.end(zipped.get(url));
  });
  return {
    origin,
    close,
    /** Forgets what was counted. */
    begin() {
      [counts, ended] = [new Map(), []];
    },
    /** Returns the counts since then: by kind, and all together. */
    fetched() {
      const kinds = [...counts].map(([kind, { bytes, requests, rounds }]) => ({
        kind,
        bytes,
        requests,
        rounds: rounds.size,
      }));
      const sum = (name) => kinds.reduce((sum, kind) => sum + kind[name], 0);
      return { kinds, bytes: sum('bytes'), requests: sum('requests'), rounds: Math.max(0, ...ended) };
    },
  };
}

/** The kinds of what ibid fetches, of a site that has it in `ibid/` and the index at `site.ibid`. */
export function ibidKind(url) {
  if (/\.(js|wasm)$/.test(url)) return 'code';
  if (url.includes('/site.ibid')) return 'index';
  return url.endsWith('-table.bin') ? 'query table' : undefined;
}
