import type { Server } from 'node:http';

export function siteServer(folder: string): Server;
export function listen(folder: string): Promise<{ server: Server; url: string }>;
