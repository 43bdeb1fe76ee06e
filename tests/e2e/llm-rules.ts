import { isObject } from './llm-formats/json.js';
import type { ChatMessage, ChatTool } from './llm-formats/request.js';

const ROLES = ['system', 'developer', 'user', 'assistant', 'tool'];
export const TOOL_NAME = /^[A-Za-z0-9_-]{1,64}$/;

/** The reason why the real server would answer 400 to this body of Chat Completions, or null when it would not. */
export function refusal(body: Record<string, unknown>): string | null {
  const { model, messages, tools, stream } = body;
  if (typeof model !== 'string' || model === '') return 'you must provide a model parameter';
  if (!Array.isArray(messages) || messages.length === 0) return 'messages must be a non-empty array';
  if (stream !== true) return 'this double answers only streaming requests';
  if (body.tool_choice !== undefined && tools === undefined) return 'tool_choice is only allowed with tools';
  if (tools !== undefined) {
    if (!Array.isArray(tools) || tools.length === 0) return 'tools must be a non-empty array';
    const problem = tools.map(toolRefusal).find((found) => found !== null);
    if (problem !== undefined) return problem;
  }
  return formatRefusal(body.response_format) ?? conversationRefusal(messages as ChatMessage[]);
}

function formatRefusal(format: unknown): string | null {
  if (format === undefined) return null;
  const { type, json_schema: form } = format as { type?: string; json_schema?: Record<string, unknown> };
  if (type !== 'json_schema') return null;
  if (!TOOL_NAME.test(String(form?.name))) return 'response_format.json_schema needs a name';
  if (form?.strict !== true) return null;
  const problem = notStrict(form.schema);
  return problem === null ? null : `Invalid schema for response_format '${form.name}': ${problem}`;
}

function toolRefusal(tool: ChatTool): string | null {
  if (tool?.type !== 'function') return 'a tool must have type function';
  if (!TOOL_NAME.test(tool.function?.name ?? '')) return 'a tool needs a name of 1 to 64 characters';
  const parameters = tool.function.parameters;
  if (parameters !== undefined && parameters.type !== 'object') return 'tool parameters must be an object schema';
  return null;
}

/** Every tool call has to be answered, in the messages right after it, and nothing else may be answered. */
function conversationRefusal(messages: ChatMessage[]): string | null {
  let open = new Set<string>();
  for (const [index, message] of messages.entries()) {
    const place = `messages[${index}]`;
    if (!ROLES.includes(message?.role)) return `${place}: unknown role ${message?.role}`;
    if (message.role === 'tool') {
      if (typeof message.content !== 'string') return `${place}: a tool message needs content`;
      if (!open.delete(message.tool_call_id ?? '')) {
        return `${place}: a tool message must answer a preceding tool call; ${message.tool_call_id} is none`;
      }
      continue;
    }
    if (open.size > 0) return `${place}: tool calls without an answer: ${[...open].join(', ')}`;
    const calls = message.tool_calls ?? [];
    if (calls.some((call) => call.type !== 'function' || typeof call.function?.arguments !== 'string')) {
      return `${place}: a tool call needs type function and arguments as a string`;
    }
    if (calls.length > 0 && message.role !== 'assistant') return `${place}: only the assistant calls tools`;
    const problem = calls.length === 0 ? contentRefusal(message) : null;
    if (problem !== null) return `${place}: ${problem}`;
    open = new Set(calls.map(({ id }) => id));
    if (open.size < calls.length) return `${place}: two tool calls have the same id`;
  }
  return open.size > 0 ? `tool calls without an answer: ${[...open].join(', ')}` : null;
}

/** Words, or for a user parts that are words or images. */
function contentRefusal({ role, content }: Pick<ChatMessage, 'role'> & { content?: unknown }): string | null {
  if (typeof content === 'string') return null;
  if (role !== 'user' || !Array.isArray(content) || content.length === 0) return 'content must be a string';
  const fits = content.every(
    (part) =>
      (part?.type === 'text' && typeof part.text === 'string') ||
      (part?.type === 'image_url' && /^data:image\/(png|jpeg|webp|gif);base64,./.test(part.image_url?.url)),
  );
  return fits ? null : 'a part of the content is neither text nor an image';
}

/** What keeps a schema from being strict as OpenAI means it, or null. */
export function notStrict(schema: unknown, place = 'schema'): string | null {
  if (!isObject(schema)) return null;
  const { type, properties, required = [], items, additionalProperties } = schema;
  if (type === 'object' || properties !== undefined) {
    if (additionalProperties !== false) return `${place}: additionalProperties must be false`;
    for (const [name, inner] of Object.entries(isObject(properties) ? properties : {})) {
      if (!Array.isArray(required) || !required.includes(name)) return `${place}: ${name} must be required`;
      const problem = notStrict(inner, `${place}.${name}`);
      if (problem !== null) return problem;
    }
  }
  return notStrict(items, `${place}.items`);
}
