import { setTimeout as pause } from 'node:timers/promises';
import type { ChatRequest, Wire } from './llm-wire.js';

/** What the double does with one request. */
export type Reply = (wire: Wire) => Promise<void>;

/** No reply lasts longer, so that a forgotten abort fails a test instead of hanging it. */
const LONGEST_MS = 30_000;

/** Words with the white space before them, roughly as a model's tokens come. */
function tokens(text: string): string[] {
  return text.match(/\s*\S+|\s+$/g) ?? [];
}

async function streamText(wire: Wire, text: string): Promise<void> {
  await wire.delta({ role: 'assistant', content: '', refusal: null });
  for (const token of tokens(text)) await wire.delta({ content: token });
}

/** An answer in words. A function gets the request, so that it can use what the tool returned. */
export function answer(text: string | ((request: ChatRequest) => string), finishReason = 'stop'): Reply {
  return async (wire) => {
    wire.startEvents();
    await streamText(wire, typeof text === 'string' ? text : text(wire.received.body));
    await wire.delta({}, finishReason);
    await wire.finish();
  };
}

/** A tool call whose arguments arrive in pieces. A string is sent as it is, so that broken JSON can be tried. */
export function toolCall(name: string, args: Record<string, unknown> | string, id = 'call_one'): Reply {
  return async (wire) => {
    const text = typeof args === 'string' ? args : JSON.stringify(args);
    wire.startEvents();
    const call = { index: 0, id, type: 'function', function: { name, arguments: '' } };
    await wire.delta({ role: 'assistant', content: null, tool_calls: [call], refusal: null });
    for (let at = 0; at < text.length; at += 5) {
      await wire.delta({ tool_calls: [{ index: 0, function: { arguments: text.slice(at, at + 5) } }] });
    }
    await wire.delta({}, 'tool_calls');
    await wire.finish();
  };
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
export function sourceNumbers(toolResult: string): number[] {
  return [...toolResult.matchAll(/<source\b[^>]*?\s(?:id|n|number)="(\d+)"/g)].map((match) => Number(match[1]));
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

/** An error in the envelope of the OpenAI API. */
export function apiError(code: number, message: string, type: string, name: string | null = null): Reply {
  return status(code, JSON.stringify({ error: { message, type, param: null, code: name } }));
}

export const unauthorized = apiError(401, 'Incorrect API key provided.', 'invalid_request_error', 'invalid_api_key');
export const unknownModel = apiError(
  404,
  'The model does not exist or you do not have access to it.',
  'invalid_request_error',
  'model_not_found',
);
export const serverError = apiError(500, 'The server had an error while processing your request.', 'server_error');

/** Too many requests. A page can read `retry-after` across origins only when the server exposes it. */
export function rateLimited(retryAfterSeconds: number, exposed = true): Reply {
  const body = {
    error: { message: 'Rate limit reached.', type: 'requests', param: null, code: 'rate_limit_exceeded' },
  };
  return status(429, JSON.stringify(body), {
    'retry-after': String(retryAfterSeconds),
    ...(exposed ? { 'access-control-expose-headers': 'retry-after' } : {}),
  });
}

/** Begins an answer and breaks the connection in the middle of it. */
export function dropsAfter(text: string): Reply {
  return async (wire) => {
    wire.startEvents();
    await streamText(wire, text);
    await wire.write('data: {"id":"chatcmpl-cut","object":"chat.comp');
    wire.drop();
  };
}

/** Says that it streams events, and sends something that is none. */
export const invalidSse: Reply = async (wire) => {
  wire.startEvents();
  await wire.write('data: {"choices":[{"index":0,"delta":{"content":"Pe\n\ndata: not json at all\n\n');
  wire.end();
};

/** An error event inside a stream that began well, as gateways send it. */
export const errorInStream: Reply = async (wire) => {
  wire.startEvents();
  await wire.event({ error: { message: 'The upstream provider is overloaded.', type: 'server_error', code: 502 } });
  wire.end();
};

/** A login page or a captive portal: HTML with status 200. */
export const htmlPage: Reply = status(200, '<!doctype html><title>Sign in</title><h1>Please sign in</h1>', {
  'content-type': 'text/html; charset=utf-8',
});

/** Streams the same words again and again until the client leaves. */
export function endless(text: string, everyMs = 20): Reply {
  return async (wire) => {
    wire.startEvents();
    await wire.delta({ role: 'assistant', content: '' });
    const started = Date.now();
    while (!wire.received.abandoned && Date.now() - started < LONGEST_MS) {
      await wire.delta({ content: text });
      await pause(everyMs);
    }
    wire.end();
  };
}

/** Answers the head and then nothing, until the client leaves. */
export const silence: Reply = async (wire) => {
  wire.startEvents();
  const started = Date.now();
  while (!wire.received.abandoned && Date.now() - started < LONGEST_MS) await pause(10);
  wire.drop();
};
