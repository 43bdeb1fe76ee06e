import type { ServerResponse } from 'node:http';
import { setTimeout as pause } from 'node:timers/promises';
import type { Format, ModelStream, Outlet } from './llm-formats/format.js';
import type { Received } from './llm-formats/request.js';

/** The time between two pieces of a stream; long enough that the kernel does not join them again. */
const BETWEEN_PIECES_MS = 3;

/** Cuts after the first byte of every character that has several, and in the middle of what is then still long. */
function scatter(bytes: Uint8Array): Uint8Array[] {
  const cuts = new Set<number>();
  bytes.forEach((byte, at) => {
    if (byte >= 0xc0) cuts.add(at + 1);
  });
  if (cuts.size === 0 && bytes.length > 8) cuts.add(bytes.length >> 1);
  const places = [0, ...cuts, bytes.length];
  return places.slice(1).map((end, index) => bytes.subarray(places[index], end));
}

/** Writes one streamed response: small pieces, with time between them. */
export class Wire implements Outlet {
  readonly #response: ServerResponse;
  readonly received: Received;
  readonly format: Format;
  /** The response in the words of the format that the request was in. */
  readonly stream: ModelStream;

  constructor(response: ServerResponse, received: Received, format: Format) {
    this.#response = response;
    this.received = received;
    this.format = format;
    this.stream = format.stream(this);
  }

  /** The status line and headers, sent at once. */
  head(status: number, headers: Record<string, string>): void {
    this.#response.writeHead(status, headers);
    this.#response.flushHeaders();
  }

  /** The head of a stream that begins well. */
  start(): void {
    this.head(200, { 'content-type': this.format.contentType, 'cache-control': 'no-cache' });
  }

  /** Raw text, scattered over several writes. Does nothing once the client has left. */
  async write(text: string): Promise<void> {
    for (const piece of scatter(new TextEncoder().encode(text))) {
      if (this.received.abandoned || this.#response.destroyed) return;
      this.#response.write(piece);
      await pause(BETWEEN_PIECES_MS);
    }
  }

  end(text = ''): void {
    if (!this.#response.destroyed) this.#response.end(text);
  }

  /** Breaks the connection without ending the response, as a crashed server or a lost network does. */
  drop(): void {
    this.#response.destroy();
  }
}
