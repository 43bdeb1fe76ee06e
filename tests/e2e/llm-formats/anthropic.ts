import type { IncomingHttpHeaders } from 'node:http';
import { TOOL_NAME } from '../llm-rules.js';
import { argumentPieces, type Call, type Finish, type Format, type Outlet, randomId, USAGE } from './format.js';
import { isObject, type Json, objects, unknownKey } from './json.js';
import { assistant, type ChatMessage, type ChatRequest, toolCall } from './request.js';

const KNOWN =
  'cache_control container context_management inference_geo max_tokens mcp_servers messages metadata model output_config service_tier stop_sequences stream system temperature thinking tool_choice tools top_k top_p'.split(
    ' ',
  );
const TYPES: Record<number, string> = {
  400: 'invalid_request_error',
  401: 'authentication_error',
  403: 'permission_error',
  404: 'not_found_error',
  429: 'rate_limit_error',
  529: 'overloaded_error',
};
const STOPS = { stop: 'end_turn', length: 'max_tokens', tool_calls: 'tool_use', content_filter: 'refusal' };

/** Anthropic's Messages. */
export const anthropic: Format = {
  name: 'anthropic',
  base: '/v1',
  contentType: 'text/event-stream; charset=utf-8',
  allowedHeaders: 'anthropic-dangerous-direct-browser-access, anthropic-version, content-type, x-api-key',
  cutOff: 'event: content_block_delta\ndata: {"type":"content_bl',
  serves: (url) => url === '/v1/messages',
  unauthorized: (headers, key) => {
    if (headers.origin !== undefined && headers['anthropic-dangerous-direct-browser-access'] !== 'true') {
      const message =
        "CORS requests must set 'anthropic-dangerous-direct-browser-access' header, and such requests reveal the key.";
      return { status: 401, message };
    }
    if (headers['x-api-key'] === undefined) return { status: 401, message: 'x-api-key header is required' };
    return headers['x-api-key'] === key ? null : { status: 401, message: 'invalid x-api-key' };
  },
  model: (_url, body) => String(body.model),
  unknownModel: (model) => ({ status: 404, message: `model: ${model}` }),
  refusal,
  read,
  error: ({ status, message }) => ({
    type: 'error',
    error: { type: TYPES[status] ?? 'api_error', message },
    request_id: randomId('req_'),
  }),
  stream: (wire) => new MessagesStream(wire),
};

function refusal(headers: IncomingHttpHeaders, body: Json): string | null {
  if (headers['anthropic-version'] !== '2023-06-01') return 'anthropic-version: header is required';
  const unknown = unknownKey(body, KNOWN);
  if (unknown !== undefined) return `${unknown}: Extra inputs are not permitted`;
  const { max_tokens: limit, thinking, tools, tool_choice: choice, temperature } = body;
  if (typeof limit !== 'number' || limit < 1) return 'max_tokens: Field required';
  if (body.stream !== true) return 'this double answers only streaming requests';
  if (choice !== undefined && tools === undefined) return 'tool_choice may only be specified while providing tools.';
  if (typeof temperature === 'number' && (temperature < 0 || temperature > 1)) return 'temperature: range: 0..1';
  if (isObject(thinking) && thinking.type === 'enabled') {
    const budget = Number(thinking.budget_tokens);
    if (!(budget >= 1024)) return 'thinking.enabled.budget_tokens: Input should be greater than or equal to 1024';
    if (budget >= limit) return '`max_tokens` must be greater than `thinking.budget_tokens`.';
    if (temperature !== undefined && temperature !== 1) return '`temperature` may only be set to 1 when thinking';
    if (isObject(choice) && ['any', 'tool'].includes(String(choice.type))) {
      return 'Thinking may not be enabled when tool_choice forces tool use.';
    }
  }
  if (isObject(choice) && !['auto', 'any', 'none', 'tool'].includes(String(choice.type))) {
    return 'tool_choice: Input tag does not match any of the expected tags';
  }
  for (const [index, tool] of objects(tools).entries()) {
    const place = `tools.${index}.custom`;
    const extra = unknownKey(tool, ['name', 'description', 'input_schema', 'cache_control', 'strict', 'type']);
    if (extra !== undefined) return `${place}.${extra}: Extra inputs are not permitted`;
    if (!TOOL_NAME.test(String(tool.name))) return `${place}.name: String should match pattern`;
    if (!isObject(tool.input_schema) || tool.input_schema.type !== 'object') {
      return `${place}.input_schema.type: Input should be 'object'`;
    }
  }
  if (objects(body.system).some(({ text }) => String(text).trim() === '')) {
    return 'system: text content blocks must be non-empty';
  }
  if ((JSON.stringify(body).match(/"cache_control":/g)?.length ?? 0) > 4) {
    return 'A maximum of 4 blocks with cache_control may be provided.';
  }
  return conversationRefusal(objects(body.messages));
}

/** All results of a turn's calls come first in the message right after it. */
function conversationRefusal(messages: Json[]): string | null {
  if (messages.length === 0) return 'messages: at least one message is required';
  if (messages[0]?.role !== 'user') return 'messages: first message must use the "user" role';
  let open = new Set<string>();
  for (const [index, message] of messages.entries()) {
    const place = `messages.${index}`;
    const blocks = blocksOf(message);
    if (message.role !== 'user' && message.role !== 'assistant') return `${place}.role: Input should be 'user'`;
    if (blocks.length === 0) return `${place}: all messages must have non-empty content`;
    const results = blocks.filter(({ type }) => type === 'tool_result');
    const ids = results.map(({ tool_use_id: id }) => String(id));
    const unexpected = ids.find((id) => !open.has(id));
    if (unexpected !== undefined) return `${place}: unexpected \`tool_use_id\` found in \`tool_result\`: ${unexpected}`;
    const missing = [...open].filter((id) => !ids.includes(id));
    if (missing.length > 0) {
      return `${place}: \`tool_use\` ids were found without \`tool_result\` blocks immediately after: ${missing.join(', ')}`;
    }
    if (results.some((result) => blocks.indexOf(result) >= results.length)) {
      return `${place}: \`tool_result\` blocks must come first in the content`;
    }
    for (const block of blocks) {
      if (block.type === 'text' && String(block.text).trim() === '') {
        return `${place}: text content blocks must be non-empty`;
      }
      if (block.type === 'tool_use' && (!isObject(block.input) || !/^[\w-]+$/.test(String(block.id)))) {
        return `${place}: a tool_use block needs an id and an object as its input`;
      }
      if (block.type === 'thinking' && typeof block.signature !== 'string') return `${place}.signature: Field required`;
    }
    const calls = blocks.filter(({ type }) => type === 'tool_use');
    if (calls.length > 0 && message.role !== 'assistant') return `${place}: \`tool_use\` blocks are the assistant's`;
    open = new Set(calls.map(({ id }) => String(id)));
    if (open.size < calls.length) return `${place}: \`tool_use\` ids must be unique`;
  }
  if (open.size > 0) return '`tool_use` ids were found without `tool_result` blocks immediately after';
  return messages.at(-1)?.role === 'user' ? null : 'this model does not take the beginning of its own answer';
}

function blocksOf({ content }: Json): Json[] {
  return typeof content === 'string' ? [{ type: 'text', text: content }] : objects(content);
}

function read(body: Json): ChatRequest {
  const text = (blocks: Json[]) => blocks.flatMap((block) => (block.type === 'text' ? [block.text] : [])).join('\n');
  const messages: ChatMessage[] = [];
  if (body.system !== undefined) messages.push({ role: 'system', content: text(blocksOf({ content: body.system })) });
  for (const message of objects(body.messages)) {
    const blocks = blocksOf(message);
    for (const { type, tool_use_id: id, content } of blocks) {
      if (type === 'tool_result') {
        messages.push({ role: 'tool', tool_call_id: String(id), content: text(blocksOf({ content })) });
      }
    }
    const calls = blocks.filter(({ type }) => type === 'tool_use');
    const content = text(blocks);
    if (message.role === 'assistant') {
      const called = calls.map(({ id, name, input }) => toolCall(id, name, input));
      messages.push(assistant(content, called));
    } else if (content !== '') messages.push({ role: 'user', content });
  }
  return {
    model: String(body.model),
    messages,
    ...(body.tools !== undefined && {
      tools: objects(body.tools).map(({ name, description, input_schema: parameters }) => ({
        type: 'function',
        function: { name: String(name), description: String(description), parameters: parameters as Json },
      })),
    }),
    ...(body.tool_choice !== undefined && { tool_choice: body.tool_choice }),
  };
}

class MessagesStream {
  readonly #wire: Outlet;
  #blocks = 0;
  #open: 'text' | 'thinking' | 'tool_use' | undefined;
  #begun = false;

  constructor(wire: Outlet) {
    this.#wire = wire;
  }

  async text(text: string): Promise<void> {
    await this.#block('text', { type: 'text', text: '' });
    await this.#delta({ type: 'text_delta', text });
  }

  async reasoning(thinking: string): Promise<void> {
    await this.#block('thinking', { type: 'thinking', thinking: '', signature: '' });
    await this.#delta({ type: 'thinking_delta', thinking });
  }

  async call({ id, name, args }: Call): Promise<void> {
    await this.#close();
    await this.#block('tool_use', { type: 'tool_use', id, name, input: {} });
    // The first piece is always empty.
    for (const partial_json of ['', ...argumentPieces(args)]) {
      await this.#delta({ type: 'input_json_delta', partial_json });
    }
  }

  async end(finish: Finish, { output } = USAGE): Promise<void> {
    await this.#begin();
    await this.#close();
    const delta = { stop_reason: STOPS[finish], stop_sequence: null };
    await this.#event('message_delta', { delta, usage: { output_tokens: output } });
    await this.#event('message_stop', {});
    this.#wire.end();
  }

  async fail(status: number, message: string): Promise<void> {
    await this.#event('error', { error: { type: TYPES[status] ?? 'overloaded_error', message } });
    this.#wire.end();
  }

  async #begin(): Promise<void> {
    if (this.#begun) return;
    this.#begun = true;
    const usage = {
      input_tokens: USAGE.input,
      cache_creation_input_tokens: 0,
      cache_read_input_tokens: 0,
      output_tokens: 1,
      service_tier: 'standard',
    };
    const { model } = this.#wire.received.body;
    const start = { type: 'message', role: 'assistant', model, content: [], stop_reason: null, stop_sequence: null };
    await this.#event('message_start', { message: { id: randomId('msg_'), ...start, usage } });
  }

  async #block(type: 'text' | 'thinking' | 'tool_use', block: Json): Promise<void> {
    await this.#begin();
    if (this.#open === type) return;
    await this.#close();
    this.#open = type;
    await this.#event('content_block_start', { index: this.#blocks, content_block: block });
    if (this.#blocks === 0) await this.#event('ping', {});
  }

  async #close(): Promise<void> {
    if (this.#open === undefined) return;
    if (this.#open === 'thinking')
      await this.#delta({ type: 'signature_delta', signature: 'c2lnbmVkIGJ5IGEgZG91Ymxl' });
    await this.#event('content_block_stop', { index: this.#blocks });
    this.#blocks += 1;
    this.#open = undefined;
  }

  async #delta(delta: Json): Promise<void> {
    await this.#event('content_block_delta', { index: this.#blocks, delta });
  }

  async #event(type: string, data: Json): Promise<void> {
    await this.#wire.write(`event: ${type}\ndata: ${JSON.stringify({ type, ...data })}\n\n`);
  }
}
