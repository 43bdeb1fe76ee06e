import type { IncomingHttpHeaders } from 'node:http';
import type { ChatRequest, Received } from './request.js';

/** A call of a tool. Arguments that are a string are sent as they are, so that broken JSON can be tried. */
export interface Call {
  name: string;
  args: Record<string, unknown> | string;
  id: string;
}

/** The reason why a model stopped, in the words of Chat Completions. */
export type Finish = 'stop' | 'length' | 'tool_calls' | 'content_filter';

/** What is wrong with a request, before it is worded by a format. */
export interface Complaint {
  status: number;
  message: string;
  /** OpenAI's words for the kind of error; the other formats have their own for the same statuses. */
  type?: string;
  code?: string | null;
}

/** One response, streamed. Only `end` and `fail` end it. */
export interface ModelStream {
  text(delta: string): Promise<void>;
  reasoning(delta: string): Promise<void>;
  call(call: Call): Promise<void>;
  /** The reason, the counts, and whatever marks the end. */
  end(finish: Finish, usage?: { input: number; output: number }): Promise<void>;
  /** An error of the server's in the middle of the stream. */
  fail(status: number, message: string): Promise<void>;
}

/** Where a response is written to, and the request that it answers. */
export interface Outlet {
  readonly received: Received;
  write(text: string): Promise<void>;
  end(): void;
}

/** The way one kind of server speaks. */
export interface Format {
  name: 'chat' | 'responses' | 'anthropic' | 'gemini' | 'ollama';
  /** Where the interface begins, as people type it; nothing for the server's root. */
  base: string;
  contentType: string;
  /** The request headers that it lets pages of other origins send. */
  allowedHeaders: string;
  /** Returns true if this is an address of the format's; `url` is the path with its query. */
  serves(url: string): boolean;
  /** What is wrong with the request's key, or with its lack. */
  unauthorized(headers: IncomingHttpHeaders, key: string): Complaint | null;
  /** The model that a request names. */
  model(url: string, body: Record<string, unknown>): string;
  unknownModel(model: string): Complaint;
  /** The reason why the real server would answer 400 to this body, or null when it would not. */
  refusal(headers: IncomingHttpHeaders, body: Record<string, unknown>, model: string): string | null;
  /** What a body that is not refused says. */
  read(body: Record<string, unknown>, model: string): ChatRequest;
  /** The body of an error's response. */
  error(complaint: Complaint): unknown;
  /** The beginning of a piece that is cut off in the middle. */
  cutOff: string;
  stream(outlet: Outlet): ModelStream;
}

export const USAGE = { input: 321, output: 45 };

/** An id as servers make them up. */
export function randomId(prefix: string): string {
  return `${prefix}${Math.random().toString(36).slice(2)}`;
}

/** The key of an `authorization` header. */
export function bearer(headers: IncomingHttpHeaders): string {
  return (headers.authorization ?? '').replace(/^Bearer /, '');
}

/** The arguments as text, in pieces as they come. */
export function argumentPieces(args: Call['args']): string[] {
  const text = typeof args === 'string' ? args : JSON.stringify(args);
  return text.match(/.{1,5}/gs) ?? [];
}

/** The arguments as an object, for formats that know them in no other way. */
export function argumentObject(args: Call['args']): Record<string, unknown> {
  if (typeof args === 'string') throw new Error('this format cannot send arguments that are no JSON');
  return args;
}
