import type { Server } from 'node:http';

export function siteServer(folder: string): Server;
export function listen(folder: string, port?: number, tries?: number): Promise<{ server: Server; url: string }>;
