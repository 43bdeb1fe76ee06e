// A service worker: the network comes first, and where it fails, what the reader has kept of the site answers.

const CACHE = 'ibid-site';

self.addEventListener('install', () => self.skipWaiting());
self.addEventListener('activate', (event) => event.waitUntil(self.clients.claim()));
self.addEventListener('fetch', (event) => {
  const { request } = event;
  if (request.method !== 'GET' || new URL(request.url).origin !== location.origin) return;
  event.respondWith(fetch(request).catch((error) => kept(request, error)));
});

async function kept(request, error) {
  const cache = await caches.open(CACHE);
  const found = await cache.match(request.url, { ignoreSearch: true, ignoreVary: true });
  if (found === undefined) throw error;
  const range = /^bytes=(\d+)-(\d*)$/.exec(request.headers.get('Range') ?? '');
  return range === null ? found : part(found, Number(range[1]), range[2]);
}

/** The bytes that were asked for, as a server that knows ranges gives them (RFC 9110, section 14). */
async function part(whole, start, last) {
  const bytes = await whole.arrayBuffer();
  const headers = new Headers(whole.headers);
  if (start >= bytes.byteLength) {
    headers.set('Content-Range', `bytes */${bytes.byteLength}`);
    return new Response(null, { status: 416, headers });
  }
  const end = last === '' ? bytes.byteLength : Math.min(Number(last) + 1, bytes.byteLength);
  headers.set('Content-Range', `bytes ${start}-${end - 1}/${bytes.byteLength}`);
  headers.set('Content-Length', String(end - start));
  return new Response(bytes.slice(start, end), { status: 206, headers });
}
