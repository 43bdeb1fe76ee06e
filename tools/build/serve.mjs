// A static server on the loopback address, with what the page relies on: `application/wasm`, which streaming
// compilation asks for, and Range requests, by which an index is read in parts.
//
// Run as `node serve.mjs FOLDER [PORT]` it prints the address last; the browser tests import `listen`.

import { createServer } from 'node:http';
import { pathToFileURL } from 'node:url';
import send from 'send';

const HOST = '127.0.0.1';

/** Answers from the folder's files as they are at that moment, so that a rebuilt site needs no restart. */
export function siteServer(folder) {
  return createServer((request, response) => {
    if (request.method !== 'GET' && request.method !== 'HEAD') {
      response.writeHead(405, { allow: 'GET, HEAD' }).end();
      return;
    }
    const path = (request.url ?? '/').split('?', 1)[0];
    send(request, path, { root: folder, cacheControl: false })
      .on('headers', (head, _, { size, mtimeMs }) => {
        head.setHeader('cache-control', 'no-cache');
        // Strong, as servers of static files send it; a weak one, the library's default, does not go with ranges.
        head.setHeader('etag', `"${size.toString(16)}-${mtimeMs.toString(16)}"`);
      })
      .on('error', (error) => response.writeHead(error.status ?? 500).end(`${error.message}\n`))
      .pipe(response);
  });
}

/** Listens on the port, or on the next free one when `tries` allows; 0 lets the system choose. */
export function listen(folder, port = 0, tries = 1) {
  return new Promise((resolve, reject) => {
    const server = siteServer(folder);
    server.once('error', (error) => {
      if (error.code === 'EADDRINUSE' && tries > 1) resolve(listen(folder, port + 1, tries - 1));
      else reject(error);
    });
    server.listen(port, HOST, () => {
      resolve({ server, url: `http://${HOST}:${server.address().port}/` });
    });
  });
}

async function main([folder, port = '8000']) {
  const { server, url } = await listen(folder, Number(port), 20);
  for (const signal of ['SIGINT', 'SIGTERM']) {
    process.on(signal, () => {
      server.closeAllConnections();
      server.close(() => process.exit(0));
    });
  }
  console.log(`Serving the demo; Ctrl-C ends it.\n${url}`);
}

if (process.argv[1] && import.meta.url === pathToFileURL(process.argv[1]).href) {
  await main(process.argv.slice(2));
}
