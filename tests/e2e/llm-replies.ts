import { setTimeout as pause } from 'node:timers/promises';
import type { Call, Finish } from './llm-formats/format.js';
import type { ChatRequest } from './llm-formats/request.js';
import type { Wire } from './llm-wire.js';

/** What the double does with one request. */
export type Reply = (wire: Wire) => Promise<void>;

/** No reply lasts longer, so that a forgotten abort fails a test instead of hanging it. */
const LONGEST_MS = 30_000;

/** Words with the white space before them, roughly as a model's tokens come. */
function tokens(text: string): string[] {
  return text.match(/\s*\S+|\s+$/g) ?? [];
}

async function streamText(wire: Wire, text: string): Promise<void> {
  for (const token of tokens(text)) await wire.stream.text(token);
}

/** An answer in words. A function gets the request, so that it can use what the tool returned. */
export function answer(text: string | ((request: ChatRequest) => string), finish: Finish = 'stop'): Reply {
  return async (wire) => {
    wire.start();
    await streamText(wire, typeof text === 'string' ? text : text(wire.received.body));
    await wire.stream.end(finish);
  };
}

/** An answer in the very pieces that are given, each an event of its own. */
export function answerInPieces(pieces: string[] | ((request: ChatRequest) => string[])): Reply {
  return async (wire) => {
    wire.start();
    for (const piece of typeof pieces === 'function' ? pieces(wire.received.body) : pieces)
      await wire.stream.text(piece);
    await wire.stream.end('stop');
  };
}

/** An answer that the model has thought about aloud. */
export function thinks(thought: string, text: string): Reply {
  return async (wire) => {
    wire.start();
    for (const token of tokens(thought)) await wire.stream.reasoning(token);
    await streamText(wire, text);
    await wire.stream.end('stop');
  };
}

/** An answer in two parts; the second comes when the test says so. */
export function answerInTwo(first: string, goOn: Promise<void>, second: string): Reply {
  return async (wire) => {
    wire.start();
    await streamText(wire, first);
    await Promise.race([goOn, pause(LONGEST_MS)]);
    await streamText(wire, second);
    await wire.stream.end('stop');
  };
}

/** Tool calls in one message, side by side, whose arguments arrive in pieces. Words before them are a preamble. */
export function toolCalls(calls: Call[], preamble = '', thought = ''): Reply {
  return async (wire) => {
    wire.start();
    for (const token of tokens(thought)) await wire.stream.reasoning(token);
    await streamText(wire, preamble);
    for (const call of calls) await wire.stream.call(call);
    await wire.stream.end('tool_calls');
  };
}

/** One tool call. */
export function toolCall(name: string, args: Call['args'], id = 'call_one'): Reply {
  return toolCalls([{ name, args, id }]);
}

/** The search that every scripted conversation starts with. */
export function searches(query: string, id = 'call_search'): Reply {
  return toolCall('search_documents', { query, max_results: 5 }, id);
}

/** The text of the last tool result in the request. */
export function lastToolResult(request: ChatRequest): string {
  const message = request.messages.findLast(({ role }) => role === 'tool');
  if (typeof message?.content !== 'string') throw new Error('the request has no tool result');
  return message.content;
}

/** The numbers of the sources in a tool result, in its order: `<source id="3" ...>` gives 3. */
function sourceNumbers(toolResult: string): number[] {
  return [...toolResult.matchAll(/<source\b[^>]*?\s(?:id|n|number)="(\d+)"/g)].map((match) => Number(match[1]));
}

/** A source as the model reads it. */
interface ReadSource {
  number: number;
  document: string;
  section: string;
  text: string;
}

/** The sources in a tool result, in its order. */
export function readSources(toolResult: string): ReadSource[] {
  const pattern = /<source number="(\d+)" document="([^"]*)"(?: section="([^"]*)")?>\n([^<]*)\n<\/source>/g;
  return [...toolResult.matchAll(pattern)].map(([, number, document = '', section = '', text = '']) => {
    return { number: Number(number), document, section, text };
  });
}

/** An answer that cites the first sources of the last tool result, as a model does that has read them. */
export function answerFromSources(sentences: string[]): Reply {
  return answer((request) => {
    const numbers = sourceNumbers(lastToolResult(request));
    if (numbers.length < sentences.length) {
      throw new Error(`${sentences.length} sentences need as many sources; the tool result has ${numbers.length}`);
    }
    return sentences.map((sentence, index) => `${sentence} [${numbers[index]}]`).join('\n\n');
  });
}

/** Any status with any body. */
export function status(code: number, body: string, headers: Record<string, string> = {}): Reply {
  return async (wire) => {
    wire.head(code, { 'content-type': 'application/json', ...headers });
    wire.end(body);
  };
}

/** An error in the envelope of the format that the request was in. */
export function apiError(
  code: number,
  message: string,
  type?: string,
  name: string | null = null,
  headers: Record<string, string> = {},
): Reply {
  return async (wire) => {
    const complaint = { status: code, message, ...(type !== undefined && { type }), code: name };
    await status(code, JSON.stringify(wire.format.error(complaint)), headers)(wire);
  };
}

/** Headers that ask for this wait. A page can read them across origins only when the server exposes them. */
function retryAfter(seconds: number, exposed: boolean): Record<string, string> {
  return {
    'retry-after': String(seconds),
    ...(exposed ? { 'access-control-expose-headers': 'retry-after' } : {}),
  };
}

export const unauthorized = apiError(401, 'Incorrect API key provided.', 'invalid_request_error', 'invalid_api_key');

/** A failure of the server's own, which may be asked again at once. */
export const serverError = apiError(
  500,
  'The server had an error while processing your request.',
  'server_error',
  null,
  retryAfter(0, true),
);

/** Too many requests. */
export function rateLimited(retryAfterSeconds: number, exposed = true): Reply {
  return apiError(
    429,
    'Rate limit reached.',
    'requests',
    'rate_limit_exceeded',
    retryAfter(retryAfterSeconds, exposed),
  );
}

/** Refuses the key and repeats it whole, as some proxies do. */
export const echoesKey: Reply = async (wire) => {
  const { authorization } = wire.received.headers;
  await apiError(401, `No account has the key "${authorization}".`, 'authentication_error')(wire);
};

/** Begins an answer and breaks the connection in the middle of it. */
export function dropsAfter(text: string): Reply {
  return async (wire) => {
    wire.start();
    await streamText(wire, text);
    await wire.write(wire.format.cutOff);
    // What the client has not read by then is lost with the connection.
    await pause(200);
    wire.drop();
  };
}

/** Says that it streams events, and sends something that is none. */
export const invalidSse: Reply = async (wire) => {
  wire.start();
  await wire.write('data: {"choices":[{"index":0,"delta":{"content":"Pe\n\ndata: not json at all\n\n');
  wire.end();
};

/** An error event inside a stream that began well, as gateways send it. */
export const errorInStream: Reply = async (wire) => {
  wire.start();
  await wire.stream.fail(502, 'The upstream provider is overloaded.');
};

/** A login page or a captive portal: HTML with status 200. */
export const htmlPage: Reply = status(200, '<!doctype html><title>Sign in</title><h1>Please sign in</h1>', {
  'content-type': 'text/html; charset=utf-8',
});

/** Streams the same words again and again until the client leaves. */
export function endless(text: string, everyMs = 20): Reply {
  return async (wire) => {
    wire.start();
    const started = Date.now();
    while (!wire.received.abandoned && Date.now() - started < LONGEST_MS) {
      await wire.stream.text(text);
      await pause(everyMs);
    }
    wire.end();
  };
}

/** Answers the head and then nothing, until the client leaves. */
export const silence: Reply = async (wire) => {
  wire.start();
  const started = Date.now();
  while (!wire.received.abandoned && Date.now() - started < LONGEST_MS) await pause(10);
  wire.drop();
};
