import { refusal } from '../llm-rules.js';
import { argumentPieces, bearer, type Call, type Finish, type Format, type Outlet, randomId, USAGE } from './format.js';
import type { ChatRequest } from './request.js';

/** As OpenAI words it: with both ends of the key, and as many stars as lie between them. */
function incorrectKey(key: string): string {
  const shown = key.length < 12 ? key : key.slice(0, 8) + '*'.repeat(key.length - 12) + key.slice(-4);
  return `Incorrect API key provided: ${shown}. You can find your API key in the settings of your account.`;
}

/** OpenAI's Chat Completions, and everything that speaks it. */
export const chat: Format = {
  name: 'chat',
  base: '/v1',
  contentType: 'text/event-stream; charset=utf-8',
  allowedHeaders: 'authorization, content-type',
  cutOff: 'data: {"id":"chatcmpl-cut","object":"chat.comp',
  serves: (url) => url === '/v1/chat/completions',
  unauthorized: (headers, key) =>
    bearer(headers) === key
      ? null
      : {
          status: 401,
          message: incorrectKey(bearer(headers)),
          type: 'invalid_request_error',
          code: 'invalid_api_key',
        },
  model: (_url, body) => String(body.model),
  unknownModel: (model) => ({
    status: 404,
    message: `The model \`${model}\` does not exist or you do not have access to it.`,
    type: 'invalid_request_error',
    code: 'model_not_found',
  }),
  refusal: (_headers, body) => refusal(body),
  read: (body) => {
    const request = body as unknown as ChatRequest;
    return {
      ...request,
      messages: request.messages.map((message) => ({ ...message, content: words(message.content) })),
    };
  },
  error: ({ message, type = 'invalid_request_error', code = null }) => ({
    error: { message, type, param: null, code },
  }),
  stream: (wire) => new ChatStream(wire),
};

/** The words of a message's content, which may be parts. */
function words(content: unknown): string | null {
  if (!Array.isArray(content)) return typeof content === 'string' ? content : null;
  return content.flatMap((part) => (part.type === 'text' ? [part.text] : [])).join('\n');
}

class ChatStream {
  readonly #wire: Outlet;
  readonly #id = randomId('chatcmpl-');
  #calls = 0;
  #begun = false;

  constructor(wire: Outlet) {
    this.#wire = wire;
  }

  async text(delta: string): Promise<void> {
    await this.#begin('');
    await this.#delta({ content: delta });
  }

  /** As DeepSeek and many others send it; OpenAI's own models do not show what they think here. */
  async reasoning(delta: string): Promise<void> {
    await this.#begin(null);
    await this.#delta({ reasoning_content: delta });
  }

  async call({ id, name, args }: Call): Promise<void> {
    await this.#begin(null);
    const index = this.#calls++;
    await this.#delta({ tool_calls: [{ index, id, type: 'function', function: { name, arguments: '' } }] });
    for (const piece of argumentPieces(args)) {
      await this.#delta({ tool_calls: [{ index, function: { arguments: piece } }] });
    }
  }

  /** Usage comes in a chunk of its own without choices, and only when it was asked for; then the end marker. */
  async end(finish: Finish, { input, output } = USAGE): Promise<void> {
    await this.#begin('');
    await this.#delta({}, finish);
    if (this.#wantsUsage) {
      await this.#event(
        this.#chunk([], { prompt_tokens: input, completion_tokens: output, total_tokens: input + output }),
      );
    }
    await this.#wire.write('data: [DONE]\n\n');
    this.#wire.end();
  }

  async fail(status: number, message: string): Promise<void> {
    await this.#event({ error: { message, type: 'server_error', code: status } });
    this.#wire.end();
  }

  async #begin(content: string | null): Promise<void> {
    if (this.#begun) return;
    this.#begun = true;
    await this.#delta({ role: 'assistant', content, refusal: null });
  }

  async #delta(delta: Record<string, unknown>, finishReason: string | null = null): Promise<void> {
    await this.#event(this.#chunk([{ index: 0, delta, logprobs: null, finish_reason: finishReason }], null));
  }

  get #wantsUsage(): boolean {
    return this.#wire.received.body.stream_options?.include_usage === true;
  }

  #chunk(choices: unknown[], usage: unknown): Record<string, unknown> {
    const chunk = {
      id: this.#id,
      object: 'chat.completion.chunk',
      created: 1_760_000_000,
      model: this.#wire.received.body.model,
      service_tier: 'default',
      system_fingerprint: 'fp_double',
      choices,
    };
    // Real servers name usage in every chunk once it was asked for, and not at all otherwise.
    return this.#wantsUsage ? { ...chunk, usage } : chunk;
  }

  async #event(data: unknown): Promise<void> {
    await this.#wire.write(`data: ${JSON.stringify(data)}\n\n`);
  }
}
