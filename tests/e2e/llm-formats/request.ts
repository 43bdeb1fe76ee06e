import type { IncomingHttpHeaders } from 'node:http';

/** The parts of a request that tests look at, in the words of Chat Completions. */
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
  response_format?: { type: string; json_schema: { name: string; schema: Record<string, unknown>; strict?: boolean } };
}

export interface ChatMessage {
  role: 'system' | 'developer' | 'user' | 'assistant' | 'tool';
  content?: string | null;
  tool_calls?: ChatToolCall[];
  tool_call_id?: string;
}

interface ChatToolCall {
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
  /** What it says, whatever its format. */
  body: ChatRequest;
  /** Its JSON as it was sent. */
  raw: Record<string, unknown>;
  /** Its path, without the query. */
  path: string;
  headers: IncomingHttpHeaders;
  /** When it came in, in milliseconds. */
  at: number;
  /** Becomes true when the client leaves before the response has ended. */
  abandoned: boolean;
}

/** A call of a tool as Chat Completions writes it; what it is called with is an object. */
export function toolCall(id: unknown, name: unknown, args: unknown): ChatToolCall {
  return { id: String(id), type: 'function', function: { name: String(name), arguments: JSON.stringify(args) } };
}

/** A message of the model's. */
export function assistant(content: string, calls: ChatToolCall[]): ChatMessage {
  return { role: 'assistant', content, ...(calls.length > 0 && { tool_calls: calls }) };
}
