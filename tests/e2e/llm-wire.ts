import type { IncomingHttpHeaders, ServerResponse } from 'node:http';
import { setTimeout as pause } from 'node:timers/promises';

/** The parts of a Chat Completions request that tests look at. */
export interface ChatRequest {
  model: string;
  messages: ChatMessage[];
  tools?: ChatTool[];
  tool_choice?: unknown;
  stream?: boolean;
  stream_options?: { include_usage?: boolean };
  temperature?: number;
  max_tokens?: number;
  max_completion_tokens?: number;
}

export interface ChatMessage {
  role: 'system' | 'developer' | 'user' | 'assistant' | 'tool';
  content?: string | null;
  tool_calls?: ChatToolCall[];
  tool_call_id?: string;
}

export interface ChatToolCall {
  id: string;
  type: 'function';
  function: { name: string; arguments: string };
}

export interface ChatTool {
  type: 'function';
  function: { name: string; description?: string; parameters?: Record<string, unknown> };
}

/** A request as it came in. */
export interface Received {
  body: ChatRequest;
  headers: IncomingHttpHeaders;
  /** When it came in, in milliseconds. */
  at: number;
  /** Becomes true when the client leaves before the response has ended. */
  abandoned: boolean;
}

/** The time between two pieces of a stream; long enough that the kernel does not join them again. */
const BETWEEN_PIECES_MS = 3;

/** Cuts after the first byte of every character that has several, and in the middle of what is then still long. */
export function scatter(bytes: Uint8Array): Uint8Array[] {
  const cuts = new Set<number>();
  bytes.forEach((byte, at) => {
    if (byte >= 0xc0) cuts.add(at + 1);
  });
  if (cuts.size === 0 && bytes.length > 8) cuts.add(bytes.length >> 1);
  const places = [0, ...cuts, bytes.length];
  return places.slice(1).map((end, index) => bytes.subarray(places[index], end));
}

/** Writes one streamed response: small pieces, with time between them. */
export class Wire {
  readonly #response: ServerResponse;
  readonly #received: Received;
  readonly #id = `chatcmpl-${Math.random().toString(36).slice(2)}`;

  constructor(response: ServerResponse, received: Received) {
    this.#response = response;
    this.#received = received;
  }

  get received(): Received {
    return this.#received;
  }

  /** The status line and headers, sent at once. */
  head(status: number, headers: Record<string, string>): void {
    this.#response.writeHead(status, headers);
    this.#response.flushHeaders();
  }

  startEvents(): void {
    this.head(200, { 'content-type': 'text/event-stream; charset=utf-8', 'cache-control': 'no-cache' });
  }

  /** Raw text, scattered over several writes. Does nothing once the client has left. */
  async write(text: string): Promise<void> {
    for (const piece of scatter(new TextEncoder().encode(text))) {
      if (this.#received.abandoned || this.#response.destroyed) return;
      this.#response.write(piece);
      await pause(BETWEEN_PIECES_MS);
    }
  }

  async event(data: unknown): Promise<void> {
    await this.write(`data: ${JSON.stringify(data)}\n\n`);
  }

  /** One `chat.completion.chunk` with this delta. */
  async delta(delta: Record<string, unknown>, finishReason: string | null = null): Promise<void> {
    await this.event(this.#chunk([{ index: 0, delta, logprobs: null, finish_reason: finishReason }], null));
  }

  /** The usage chunk, which has no choices and comes only when it was asked for; then the end marker. */
  async finish(promptTokens = 321, completionTokens = 45): Promise<void> {
    if (this.#received.body.stream_options?.include_usage === true) {
      const usage = {
        prompt_tokens: promptTokens,
        completion_tokens: completionTokens,
        total_tokens: promptTokens + completionTokens,
      };
      await this.event(this.#chunk([], usage));
    }
    await this.write('data: [DONE]\n\n');
    this.end();
  }

  end(text = ''): void {
    if (!this.#response.destroyed) this.#response.end(text);
  }

  /** Breaks the connection without ending the response, as a crashed server or a lost network does. */
  drop(): void {
    this.#response.destroy();
  }

  #chunk(choices: unknown[], usage: unknown): Record<string, unknown> {
    const chunk = {
      id: this.#id,
      object: 'chat.completion.chunk',
      created: 1_760_000_000,
      model: this.#received.body.model,
      service_tier: 'default',
      system_fingerprint: 'fp_double',
      choices,
    };
    // Real servers name usage in every chunk once it was asked for, and not at all otherwise.
    return this.#received.body.stream_options?.include_usage === true ? { ...chunk, usage } : chunk;
  }
}
