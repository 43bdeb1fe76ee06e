import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect } from '@playwright/test';
import { anthropic } from './llm-formats/anthropic.js';
import { chat } from './llm-formats/chat.js';
import type { Complaint, Format } from './llm-formats/format.js';
import { gemini } from './llm-formats/gemini.js';
import { ollama } from './llm-formats/ollama.js';
import type { ChatRequest, Received } from './llm-formats/request.js';
import { responses } from './llm-formats/responses.js';
import type { Reply } from './llm-replies.js';
import { apiError } from './llm-replies.js';
import { Wire } from './llm-wire.js';

const FORMATS = { chat, responses, anthropic, gemini, ollama };

/**
 * A model server on the loopback address that speaks the formats of all providers as the real ones do, each at its own
 * address: preflights, keys, checks of the conversation's shape, streams in pieces that split characters. What it
 * answers is scripted; what it was asked is kept for the test to look at.
 */
export class LlmDouble {
  /** The key that it accepts. */
  readonly key = 'sk-double-01234-wxyz';
  /** The model that it knows by default. */
  readonly model = 'double-large';
  /** All that it knows. The last takes calls back only with the signatures that it gave them. */
  readonly models: readonly string[] = [this.model, 'gemini-3-double'];
  /** What the next preflights are answered with; `false` for a server that lets no other origin in. */
  allowsOrigins = true;
  /** The chat requests that passed the checks, in order. */
  readonly requests: Received[] = [];
  /** The requests that the real server would have refused for their shape, and those that nobody had scripted. */
  readonly complaints: string[] = [];
  /** The number of CORS preflights that came in. */
  preflights = 0;
  readonly #server: Server;
  #port = 0;
  readonly #script: Reply[] = [];

  private constructor() {
    this.#server = createServer((request, response) => {
      this.#answer(request, response).catch((error: unknown) => {
        this.complaints.push(`the script failed: ${error instanceof Error ? error.message : String(error)}`);
        response.destroy();
      });
    });
  }

  static async start(): Promise<LlmDouble> {
    const double = new LlmDouble();
    await double.open();
    return double;
  }

  /** Listens: on a free port the first time, and on the same one again after `close`. */
  async open(): Promise<void> {
    await new Promise<void>((resolve) => this.#server.listen(this.#port, '127.0.0.1', resolve));
    this.#port = (this.#server.address() as AddressInfo).port;
  }

  /** What a person types as the provider's address. */
  get baseUrl(): string {
    return this.baseUrlOf('chat');
  }

  /** The same for another format. */
  baseUrlOf(format: Format['name']): string {
    return `http://127.0.0.1:${this.#port}${FORMATS[format].base}`;
  }

  /** Adds replies, one for each chat request to come. */
  script(...replies: Reply[]): void {
    this.#script.push(...replies);
  }

  /** The body of the `index`th request that passed the checks, from 0. */
  body(index: number): ChatRequest {
    const request = this.requests[index];
    if (request === undefined) throw new Error(`there were only ${this.requests.length} requests`);
    return request.body;
  }

  /** The number of scripted replies that have not been asked for. */
  get unused(): number {
    return this.#script.length;
  }

  /** Ends at once, open streams included; the port answers no more. */
  async close(): Promise<void> {
    const closed = new Promise<void>((resolve) => this.#server.close(() => resolve()));
    this.#server.closeAllConnections();
    await closed;
  }

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    response.socket?.setNoDelay(true);
    const url = request.url ?? '';
    const format = Object.values(FORMATS).find((known) => known.serves(url));
    if (this.allowsOrigins) response.setHeader('access-control-allow-origin', '*');
    if (request.method === 'OPTIONS') {
      this.preflights += 1;
      response.writeHead(204, {
        'access-control-allow-methods': 'GET, OPTIONS, POST',
        'access-control-allow-headers': (format ?? chat).allowedHeaders,
        'access-control-max-age': '0',
      });
      response.end();
      return;
    }
    const text = await bodyOf(request);
    const received: Received = {
      body: {} as ChatRequest,
      raw: {},
      path: url.split('?', 1)[0] ?? '',
      headers: request.headers,
      at: performance.now(),
      abandoned: false,
    };
    const wire = new Wire(response, received, format ?? chat);
    // `close` without `finish` means that the client went away.
    response.on('close', () => {
      received.abandoned = !response.writableFinished;
    });
    if (request.method !== 'POST' || format === undefined) {
      this.complaints.push(`unknown address: ${request.method} ${url}`);
      await apiError(404, `Unknown request URL: ${request.method} ${url}.`, 'invalid_request_error')(wire);
      return;
    }
    const refused = this.#refused(format, url, request, text, received);
    if (refused !== null) {
      const { status, message, type, code } = refused;
      await apiError(status, message, type, code)(wire);
      return;
    }
    this.requests.push(received);
    const reply = this.#script.shift();
    if (reply === undefined) {
      this.complaints.push(`request ${this.requests.length} was not scripted`);
      await apiError(500, 'Nothing is scripted for this request.', 'server_error')(wire);
      return;
    }
    await reply(wire);
  }

  /** What is wrong with a request. Where nothing is, it is read. */
  #refused(format: Format, url: string, request: IncomingMessage, text: string, received: Received): Complaint | null {
    const { headers } = request;
    const unauthorized = format.unauthorized(headers, this.key);
    if (unauthorized !== null) return unauthorized;
    const contentType = headers['content-type'];
    try {
      received.raw = JSON.parse(text);
    } catch {
      return this.#bad('the body is not JSON');
    }
    if (!contentType?.startsWith('application/json')) return this.#bad(`unsupported content-type: ${contentType}`);
    const model = format.model(url, received.raw);
    const problem = format.refusal(headers, received.raw, model);
    if (problem !== null) return this.#bad(problem);
    received.body = format.read(received.raw, model);
    return this.models.includes(model) ? null : format.unknownModel(model);
  }

  #bad(message: string): Complaint {
    this.complaints.push(message);
    return { status: 400, message, type: 'invalid_request_error' };
  }
}

/** Starts a double for one test. Complaints and replies nobody asked for fail the test at its end. */
export async function withDouble(use: (llm: LlmDouble) => Promise<void>): Promise<void> {
  const llm = await LlmDouble.start();
  try {
    await use(llm);
  } finally {
    await llm.close();
  }
  expect(llm.complaints, 'what the model server complained of').toEqual([]);
  expect(llm.unused, 'scripted replies that were never asked for').toBe(0);
}

async function bodyOf(request: IncomingMessage): Promise<string> {
  const pieces: Buffer[] = [];
  for await (const piece of request) pieces.push(piece as Buffer);
  return Buffer.concat(pieces).toString('utf8');
}
