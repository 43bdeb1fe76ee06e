import { notStrict, TOOL_NAME } from '../llm-rules.js';
import { chat } from './chat.js';
import { argumentPieces, type Call, type Finish, type Format, type Outlet, randomId, USAGE } from './format.js';
import { isObject, type Json, objects, unknownKey } from './json.js';
import type { ChatMessage, ChatRequest, ChatTool } from './request.js';

const KNOWN =
  'background include input instructions max_output_tokens max_tool_calls metadata model parallel_tool_calls previous_response_id prompt prompt_cache_key reasoning safety_identifier service_tier store stream stream_options temperature text tool_choice tools top_logprobs top_p truncation user'.split(
    ' ',
  );

/** OpenAI's Responses, without anything kept on the server. */
export const responses: Format = {
  ...chat,
  name: 'responses',
  cutOff: 'event: response.output_text.delta\ndata: {"type":"response.outp',
  serves: (url) => url === '/v1/responses',
  refusal: (_headers, body) => refusal(body),
  read,
  stream: (wire) => new ResponsesStream(wire),
};

function refusal(body: Json): string | null {
  const { input, tools, text, tool_choice: choice } = body;
  if ('messages' in body) {
    return "Unsupported parameter: 'messages'. In the Responses API, this parameter has moved to 'input'.";
  }
  const unknown = unknownKey(body, KNOWN);
  if (unknown !== undefined) return `Unknown parameter: '${unknown}'.`;
  if (body.stream !== true) return 'this double answers only streaming requests';
  if (choice !== undefined && tools === undefined) return "'tool_choice' is only allowed with 'tools'";
  for (const [index, tool] of objects(tools).entries()) {
    if (tool.type !== 'function') return `Invalid value: '${tool.type}' for tools[${index}].type`;
    if (typeof tool.name !== 'string') return `Missing required parameter: 'tools[${index}].name'.`;
    if (!TOOL_NAME.test(tool.name)) return `Invalid 'tools[${index}].name'`;
    // A tool that does not say is strict.
    const problem = tool.strict === false ? null : notStrict(tool.parameters);
    if (problem !== null) return `Invalid schema for function '${tool.name}': ${problem}`;
  }
  const format = isObject(text) && isObject(text.format) ? text.format : {};
  if (format.type === 'json_schema') {
    if (!TOOL_NAME.test(String(format.name))) return "Missing required parameter: 'text.format.name'.";
    const problem = format.strict === true ? notStrict(format.schema) : null;
    if (problem !== null) return `Invalid schema for response_format '${format.name}': ${problem}`;
  }
  return inputRefusal(input);
}

function inputRefusal(input: unknown): string | null {
  if (!Array.isArray(input) || input.length === 0) return "Missing required parameter: 'input'.";
  const calls = new Set<string>();
  const outputs = new Set<string>();
  for (const [index, item] of input.entries()) {
    const next = objects(input)[index + 1]?.type;
    switch (isObject(item) ? (item.type ?? 'message') : undefined) {
      case 'message': {
        const { role, content } = item as Json;
        if (!['user', 'assistant', 'system', 'developer'].includes(String(role))) return `Invalid role: ${role}`;
        const kind = role === 'assistant' ? 'output_text' : 'input_text';
        const wrong = objects(content).find(({ type }) => type !== kind);
        if (wrong !== undefined) return `Invalid value: '${wrong.type}'. Supported values are: '${kind}'.`;
        if (typeof content !== 'string' && objects(content).length === 0) return `input[${index}] has no content`;
        break;
      }
      case 'reasoning': {
        if (!Array.isArray(item.summary)) return `Missing required parameter: 'input[${index}].summary'.`;
        if (next !== 'function_call' && next !== 'message') {
          return `Item '${item.id}' of type 'reasoning' was provided without its required following item.`;
        }
        if (typeof item.encrypted_content !== 'string') {
          return `Item with id '${item.id}' not found. Items are not persisted when \`store\` is set to false.`;
        }
        break;
      }
      case 'function_call':
        if (typeof item.arguments !== 'string') return `Invalid type for 'input[${index}].arguments'`;
        calls.add(String(item.call_id));
        break;
      case 'function_call_output':
        if (!calls.has(String(item.call_id))) {
          return `No tool call found for function call output with call_id ${item.call_id}.`;
        }
        if (typeof item.output !== 'string') return `Invalid type for 'input[${index}].output'`;
        outputs.add(String(item.call_id));
        break;
      default:
        return `Invalid value: input[${index}] has no known type`;
    }
  }
  const open = [...calls].find((id) => !outputs.has(id));
  return open === undefined ? null : `No tool output found for function call ${open}.`;
}

function read(body: Json): ChatRequest {
  const messages: ChatMessage[] = [];
  if (typeof body.instructions === 'string') messages.push({ role: 'system', content: body.instructions });
  for (const item of objects(body.input)) {
    if (item.type === 'function_call') {
      const call = {
        id: String(item.call_id),
        type: 'function' as const,
        function: { name: String(item.name), arguments: String(item.arguments) },
      };
      const last = messages.at(-1);
      if (last?.role === 'assistant') last.tool_calls = [...(last.tool_calls ?? []), call];
      else messages.push({ role: 'assistant', content: null, tool_calls: [call] });
    } else if (item.type === 'function_call_output') {
      messages.push({ role: 'tool', tool_call_id: String(item.call_id), content: String(item.output) });
    } else if (item.type !== 'reasoning') {
      const content = typeof item.content === 'string' ? item.content : objects(item.content).map(textOf).join('');
      messages.push({ role: item.role as ChatMessage['role'], content });
    }
  }
  const tools = objects(body.tools).map(({ type: _, ...tool }) => ({ type: 'function', function: tool }));
  return {
    model: String(body.model),
    messages,
    ...(body.tools !== undefined && { tools: tools as unknown as ChatTool[] }),
    ...(body.tool_choice !== undefined && { tool_choice: body.tool_choice }),
  };
}

function textOf({ text }: Json): string {
  return String(text);
}

class ResponsesStream {
  readonly #wire: Outlet;
  readonly #id = randomId('resp_');
  readonly #output: Json[] = [];
  #events = 0;
  #begun = false;
  /** The item that is being written. */
  #open: { item: Json; text: string } | undefined;

  constructor(wire: Outlet) {
    this.#wire = wire;
  }

  async text(delta: string): Promise<void> {
    const { item } = await this.#item('message', {
      id: randomId('msg_'),
      type: 'message',
      status: 'in_progress',
      content: [],
      role: 'assistant',
    });
    const place = { item_id: item.id, output_index: this.#output.length, content_index: 0 };
    if (this.#open?.text === '') {
      const part = { type: 'output_text', annotations: [], logprobs: [], text: '' };
      await this.#event('response.content_part.added', { ...place, part });
    }
    this.#append(delta);
    await this.#event('response.output_text.delta', { ...place, delta, logprobs: [], obfuscation: 'x' });
  }

  async reasoning(delta: string): Promise<void> {
    const { item } = await this.#item('reasoning', { id: randomId('rs_'), type: 'reasoning', summary: [] });
    const place = { item_id: item.id, output_index: this.#output.length, summary_index: 0 };
    if (this.#open?.text === '') {
      await this.#event('response.reasoning_summary_part.added', {
        ...place,
        part: { type: 'summary_text', text: '' },
      });
    }
    this.#append(delta);
    await this.#event('response.reasoning_summary_text.delta', { ...place, delta });
  }

  async call({ id, name, args }: Call): Promise<void> {
    await this.#close();
    const { item } = await this.#item('function_call', {
      id: randomId('fc_'),
      type: 'function_call',
      status: 'in_progress',
      arguments: '',
      call_id: id,
      name,
    });
    const place = { item_id: item.id, output_index: this.#output.length };
    for (const delta of argumentPieces(args)) {
      this.#append(delta);
      await this.#event('response.function_call_arguments.delta', { ...place, delta });
    }
    await this.#event('response.function_call_arguments.done', { ...place, arguments: this.#open?.text });
  }

  async end(finish: Finish, { input, output } = USAGE): Promise<void> {
    await this.#begin();
    await this.#close();
    const reasons = { length: 'max_output_tokens', content_filter: 'content_filter' };
    const reason = finish === 'length' || finish === 'content_filter' ? reasons[finish] : undefined;
    const status = reason === undefined ? 'completed' : 'incomplete';
    const usage = {
      input_tokens: input,
      input_tokens_details: { cached_tokens: 0 },
      output_tokens: output,
      output_tokens_details: { reasoning_tokens: 0 },
      total_tokens: input + output,
    };
    const details = reason === undefined ? null : { reason };
    const response = { ...this.#response(status), output: this.#output, incomplete_details: details, usage };
    await this.#event(`response.${status}`, { response });
    this.#wire.end();
  }

  async fail(_status: number, message: string): Promise<void> {
    await this.#begin();
    const response = { ...this.#response('failed'), error: { code: 'server_error', message } };
    await this.#event('response.failed', { response });
    this.#wire.end();
  }

  async #begin(): Promise<void> {
    if (this.#begun) return;
    this.#begun = true;
    await this.#event('response.created', { response: this.#response('in_progress') });
    await this.#event('response.in_progress', { response: this.#response('in_progress') });
  }

  /** The open item if it is of this type, or else a new one. */
  async #item(type: string, item: Json): Promise<{ item: Json }> {
    await this.#begin();
    if (this.#open?.item.type === type) return this.#open;
    await this.#close();
    this.#open = { item, text: '' };
    await this.#event('response.output_item.added', { output_index: this.#output.length, item });
    return this.#open;
  }

  #append(delta: string): void {
    if (this.#open !== undefined) this.#open.text += delta;
  }

  async #close(): Promise<void> {
    if (this.#open === undefined) return;
    const { item, text } = this.#open;
    const done: Json = { ...item };
    if (item.type === 'message') {
      const part = { type: 'output_text', annotations: [], logprobs: [], text };
      const place = { item_id: item.id, output_index: this.#output.length, content_index: 0 };
      await this.#event('response.output_text.done', { ...place, text, logprobs: [] });
      await this.#event('response.content_part.done', { ...place, part });
      Object.assign(done, { status: 'completed', content: [part] });
    } else if (item.type === 'function_call') {
      Object.assign(done, { status: 'completed', arguments: text });
    } else {
      const include = this.#wire.received.raw.include;
      const wanted = Array.isArray(include) && include.includes('reasoning.encrypted_content');
      Object.assign(done, {
        summary: [{ type: 'summary_text', text }],
        encrypted_content: wanted ? 'gAAAA-double' : null,
      });
    }
    await this.#event('response.output_item.done', { output_index: this.#output.length, item: done });
    this.#output.push(done);
    this.#open = undefined;
  }

  #response(status: string): Json {
    const { model } = this.#wire.received.body;
    return { id: this.#id, object: 'response', created_at: 1_760_000_000, status, model, output: [], usage: null };
  }

  async #event(type: string, data: Json): Promise<void> {
    const event = { type, sequence_number: this.#events++, ...data };
    await this.#wire.write(`event: ${type}\ndata: ${JSON.stringify(event)}\n\n`);
  }
}
