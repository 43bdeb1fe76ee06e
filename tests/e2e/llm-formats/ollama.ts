import { argumentObject, type Call, type Finish, type Format, type Outlet, USAGE } from './format.js';
import { isObject, type Json, objects } from './json.js';
import { assistant, type ChatMessage, type ChatRequest, type ChatTool, toolCall } from './request.js';

/** Ollama's own chat: a line of JSON for each piece. It knows no keys. */
export const ollama: Format = {
  name: 'ollama',
  base: '',
  contentType: 'application/x-ndjson',
  allowedHeaders: 'authorization, content-type',
  cutOff: '{"model":"double-large","created_at":"2026-01-01T00:00:00Z","mess',
  serves: (url) => url === '/api/chat',
  unauthorized: () => null,
  model: (_url, body) => String(body.model),
  unknownModel: (model) => ({ status: 404, message: `model '${model}' not found` }),
  refusal: (_headers, body) => refusal(body),
  read,
  error: ({ message }) => ({ error: message }),
  stream: (wire) => new OllamaStream(wire),
};

function refusal(body: Json): string | null {
  if (typeof body.model !== 'string' || body.model === '') return 'model is required';
  if (body.stream === false) return 'this double answers only streaming requests';
  for (const name of ['temperature', 'max_tokens', 'num_predict', 'tool_choice', 'response_format']) {
    // The real server reads past these without a word, so that what was meant by them does not happen.
    if (name in body) return `${name} has no effect here`;
  }
  if (objects(body.tools).some((tool) => tool.type !== 'function' || !isObject(tool.function))) {
    return 'json: cannot unmarshal into Go struct field ChatRequest.tools';
  }
  const messages = objects(body.messages);
  if (messages.length === 0) return 'messages must not be empty';
  let open = 0;
  for (const [index, { role, content, tool_calls: calls, tool_name: tool }] of messages.entries()) {
    if (!['system', 'user', 'assistant', 'tool'].includes(String(role))) return `invalid role: ${role}`;
    if (typeof content !== 'string') return `json: cannot unmarshal messages[${index}].content into type string`;
    for (const call of objects(calls)) {
      if (!isObject(call.function) || !isObject(call.function.arguments)) {
        return 'json: cannot unmarshal string into Go struct field ChatRequest.messages.tool_calls.function.arguments';
      }
    }
    if (role === 'tool') {
      if (open === 0) return `messages[${index}]: a tool's result without a call before it`;
      if (typeof tool !== 'string') return `messages[${index}]: a tool's result needs its tool's name`;
      open -= 1;
    } else if (open > 0) return `messages[${index}]: ${open} tool calls without a result`;
    else open = objects(calls).length;
  }
  return null;
}

function read(body: Json): ChatRequest {
  const messages: ChatMessage[] = [];
  let ids: string[] = [];
  for (const [at, message] of objects(body.messages).entries()) {
    const { role, content } = message as { role: ChatMessage['role']; content: string };
    if (role === 'tool') {
      const next = ids.shift();
      messages.push({ role, tool_call_id: String(message.tool_call_id ?? next), content });
      continue;
    }
    const calls = objects(message.tool_calls).map(({ id, function: called }, index) => {
      const { name, arguments: args } = called as Json;
      return toolCall(id ?? `place_${at}_${index}`, name, args);
    });
    ids = calls.map(({ id }) => id);
    messages.push(role === 'assistant' ? assistant(content, calls) : { role, content });
  }
  return {
    model: String(body.model),
    messages,
    ...(body.tools !== undefined && { tools: objects(body.tools) as unknown as ChatTool[] }),
  };
}

class OllamaStream {
  readonly #wire: Outlet;

  constructor(wire: Outlet) {
    this.#wire = wire;
  }

  async text(content: string): Promise<void> {
    await this.#line({ message: { role: 'assistant', content }, done: false });
  }

  async reasoning(thinking: string): Promise<void> {
    await this.#line({ message: { role: 'assistant', content: '', thinking }, done: false });
  }

  /** A call comes whole, and before what says that the message is done. */
  async call({ id, name, args }: Call): Promise<void> {
    const call = { id, function: { index: 0, name, arguments: argumentObject(args) } };
    await this.#line({ message: { role: 'assistant', content: '', tool_calls: [call] }, done: false });
  }

  async end(finish: Finish, { input, output } = USAGE): Promise<void> {
    await this.#line({
      message: { role: 'assistant', content: '' },
      done: true,
      // It calls tools with "stop", too.
      done_reason: finish === 'length' ? 'length' : 'stop',
      total_duration: 5_191_566_416,
      load_duration: 2_154_458,
      prompt_eval_count: input,
      prompt_eval_duration: 383_809_000,
      eval_count: output,
      eval_duration: 4_799_921_000,
    });
    this.#wire.end();
  }

  async fail(_status: number, message: string): Promise<void> {
    await this.#wire.write(`${JSON.stringify({ error: message })}\n`);
    this.#wire.end();
  }

  async #line(data: Json): Promise<void> {
    const { model } = this.#wire.received.body;
    await this.#wire.write(`${JSON.stringify({ model, created_at: '2026-01-01T00:00:00.000000Z', ...data })}\n`);
  }
}
