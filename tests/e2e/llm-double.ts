import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Reply } from './llm-replies.js';
import { apiError } from './llm-replies.js';
import { refusal } from './llm-rules.js';
import { type ChatRequest, type Received, Wire } from './llm-wire.js';

/**
 * A model server on the loopback address that speaks OpenAI Chat Completions as the real one does: preflights, keys,
 * checks of the conversation's shape, server-sent events in pieces that split characters. What it answers is scripted;
 * what it was asked is kept for the test to look at.
 */
export class LlmDouble {
  /** The key that it accepts. */
  readonly key = 'sk-double-0123456789';
  /** The model that it knows. */
  readonly model = 'double-large';
  /** The chat requests that passed the checks, in order. */
  readonly requests: Received[] = [];
  /** The requests that the real server would have refused for their shape, and those that nobody had scripted. */
  readonly complaints: string[] = [];
  /** How many CORS preflights came in. */
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
    return `http://127.0.0.1:${this.#port}/v1`;
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

  /** How many scripted replies have not been asked for. */
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
    response.setHeader('access-control-allow-origin', '*');
    if (request.method === 'OPTIONS') {
      this.preflights += 1;
      response.writeHead(204, {
        'access-control-allow-methods': 'GET, OPTIONS, POST',
        'access-control-allow-headers': 'authorization, content-type',
        'access-control-max-age': '0',
      });
      response.end();
      return;
    }
    const text = await bodyOf(request);
    const received: Received = {
      body: {} as ChatRequest,
      headers: request.headers,
      at: performance.now(),
      abandoned: false,
    };
    const wire = new Wire(response, received);
    // `close` without `finish` means that the client went away.
    response.on('close', () => {
      received.abandoned = !response.writableFinished;
    });
    if (request.method !== 'POST' || request.url !== '/v1/chat/completions') {
      this.complaints.push(`unknown address: ${request.method} ${request.url}`);
      await apiError(404, `Unknown request URL: ${request.method} ${request.url}.`, 'invalid_request_error')(wire);
      return;
    }
    if (request.headers.authorization !== `Bearer ${this.key}`) {
      await apiError(
        401,
        incorrectKey(request.headers.authorization),
        'invalid_request_error',
        'invalid_api_key',
      )(wire);
      return;
    }
    const problem = refusal(request.headers['content-type'], text);
    if (problem !== null) {
      this.complaints.push(problem);
      await apiError(400, problem, 'invalid_request_error')(wire);
      return;
    }
    received.body = JSON.parse(text) as ChatRequest;
    if (received.body.model !== this.model) {
      const message = `The model \`${received.body.model}\` does not exist or you do not have access to it.`;
      await apiError(404, message, 'invalid_request_error', 'model_not_found')(wire);
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
}

/** As OpenAI words it: with both ends of the key, and as many stars as lie between them. */
function incorrectKey(authorization = ''): string {
  const key = authorization.replace(/^Bearer /, '');
  const shown = key.length < 12 ? key : key.slice(0, 8) + '*'.repeat(key.length - 12) + key.slice(-4);
  return `Incorrect API key provided: ${shown}. You can find your API key in the settings of your account.`;
}

async function bodyOf(request: IncomingMessage): Promise<string> {
  const pieces: Buffer[] = [];
  for await (const piece of request) pieces.push(piece as Buffer);
  return Buffer.concat(pieces).toString('utf8');
}
