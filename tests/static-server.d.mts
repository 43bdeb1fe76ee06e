import type { RequestListener, Server } from 'node:http';

export interface Listening {
  server: Server;
  /** The address without a path, and with that of the root. */
  origin: string;
  url: string;
  close(): void;
}

export function siteServer(folder: string): Server;
export function listen(served: string | RequestListener): Promise<Listening>;
