import type { IncomingMessage, ServerResponse } from 'node:http';
import { setTimeout as pause } from 'node:timers/promises';
import type { AskOptions, Ibid } from '../../../pkg/src/index.js';
import { type Listening, listen } from '../../static-server.mjs';
import { QUESTION } from '../asking.js';
import { expect, inBothBrowsers, type Visit } from '../index-host.js';

// What the fetch of both browsers does with a model's server, in one table: the outcome of the run, how often the
// server was asked, and whether the last connection was closed on it.

const ALLOWED = { 'access-control-allow-origin': '*', 'access-control-allow-headers': 'authorization, content-type' };
const STREAM = { ...ALLOWED, 'content-type': 'text/event-stream' };

type Body = { temperature?: number; tools?: unknown[] };
type Behave = (response: ServerResponse, body: Body, times: number) => Promise<void> | void;

/** A model's server of one behaviour, which counts. */
class ModelServer {
  readonly bodies: Body[] = [];
  /** True if the client left before the end of its last request. */
  left = false;
  readonly #behave: Behave;
  #listening: Listening | undefined;

  constructor(behave: Behave) {
    this.#behave = behave;
  }

  async start(): Promise<string> {
    this.#listening = await listen((request, response) => void this.#answer(request, response));
    return this.#listening.origin;
  }

  close(): void {
    this.#listening?.close();
  }

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    if (request.method !== 'POST') {
      response.writeHead(204, ALLOWED).end();
      return;
    }
    const pieces: Buffer[] = [];
    for await (const piece of request) pieces.push(piece as Buffer);
    // A page that was not reached finds out why by requests that say nothing.
    if (pieces.length > 0) this.bodies.push(JSON.parse(Buffer.concat(pieces).toString()));
    this.left = false;
    response.on('close', () => {
      this.left = !response.writableFinished;
    });
    await this.#behave(response, this.bodies.at(-1) ?? {}, this.bodies.length);
  }
}

const event = (value: unknown) => `data: ${JSON.stringify(value)}\n\n`;
const piece = (content: string) => event({ choices: [{ index: 0, delta: { content } }] });
const END = `${event({ choices: [{ index: 0, delta: {}, finish_reason: 'stop' }] })}data: [DONE]\n\n`;

function answers(response: ServerResponse): void {
  response.writeHead(200, STREAM).end(piece('Ask a colleague.') + END);
}

/** A stream that begins so, and then has nothing but signs of life. */
async function lives(response: ServerResponse, begin: string): Promise<void> {
  response.writeHead(200, STREAM).write(begin);
  while (!response.destroyed) {
    response.write(': still here\n\ndata: {"type":"ping"}\n\n');
    await pause(50);
  }
}

const refuses = (response: ServerResponse, status: number, message: string, param?: string) =>
  void response
    .writeHead(status, { ...ALLOWED, 'content-type': 'application/json' })
    .end(JSON.stringify({ error: { message, param } }));

interface Row {
  name: string;
  behave: Behave;
  llm?: object;
  options?: AskOptions;
  /** When the page gives up, in milliseconds from the first request. */
  abortAfter?: number;
  outcome: { code?: string; message?: string; text?: string; policy?: string; stoppedBy?: string };
  requests: number;
  left?: boolean;
}

const SAID = { text: 'Ask a colleague.' };

const ROWS: Row[] = [
  { name: 'an answer', behave: answers, outcome: SAID, requests: 1, left: false },
  {
    name: 'a slow first word',
    behave: async (response) => {
      await pause(1200);
      answers(response);
    },
    llm: { timeouts: { idleMs: 400 } },
    outcome: SAID,
    requests: 1,
  },
  {
    name: 'signs of life before the first word',
    behave: (response) => lives(response, ''),
    llm: { timeouts: { firstChunkMs: 700 } },
    outcome: { code: 'timeout', message: 'did not begin its reply' },
    requests: 1,
    left: true,
  },
  {
    name: 'signs of life after it',
    behave: (response) => lives(response, piece('Ask')),
    llm: { timeouts: { idleMs: 700 } },
    outcome: { code: 'timeout', message: 'fell silent' },
    requests: 1,
    left: true,
  },
  {
    name: 'a failure that passes',
    behave: (response, _, times) => (times === 1 ? refuses(response, 503, 'busy') : answers(response)),
    outcome: SAID,
    requests: 2,
  },
  {
    name: 'a connection that breaks before the first word',
    behave: (response, _, times) => {
      if (times > 1) return answers(response);
      response.writeHead(200, STREAM).write(': hello\n\n', () => response.destroy());
    },
    outcome: SAID,
    requests: 2,
  },
  {
    name: 'a connection that breaks after it',
    behave: async (response) => {
      response.writeHead(200, STREAM).write(piece('Ask'));
      await pause(200);
      response.destroy();
    },
    outcome: { code: 'network' },
    requests: 1,
  },
  {
    name: 'another format',
    behave: (response) => void response.writeHead(200, STREAM).end(event({ type: 'message_start', message: {} })),
    outcome: { code: 'provider-protocol', message: 'has the format of Messages' },
    requests: 1,
  },
  {
    name: 'an end without an answer',
    behave: (response) => void response.writeHead(200, STREAM).end('data: [DONE]\n\n'),
    outcome: { code: 'provider-protocol', message: 'without an answer' },
    requests: 1,
  },
  {
    name: 'a parameter that is refused',
    behave: (response, body) =>
      body.temperature === undefined
        ? answers(response)
        : refuses(response, 400, 'Unsupported value: temperature does not support 0.3.', 'temperature'),
    outcome: SAID,
    requests: 2,
  },
  {
    name: 'a model without tools',
    behave: (response, body) =>
      body.tools === undefined ? answers(response) : refuses(response, 400, 'm does not support tools'),
    options: { policy: 'tools' },
    outcome: { ...SAID, policy: 'classic' },
    requests: 2,
  },
  {
    name: 'giving up before the response',
    behave: () => {},
    abortAfter: 300,
    outcome: { code: 'aborted' },
    requests: 1,
    left: true,
  },
  {
    name: 'giving up during the response',
    behave: (response) => lives(response, piece('Ask')),
    abortAfter: 300,
    outcome: { code: 'aborted' },
    requests: 1,
    left: true,
  },
  {
    name: 'time that runs out',
    behave: () => {},
    options: { timeout: 3000 },
    outcome: { stoppedBy: 'timeout' },
    requests: 1,
    left: true,
  },
];

/** Asks in the page, and tells the outcome. */
function ask(visit: Visit, origin: string, row: Pick<Row, 'llm' | 'options' | 'abortAfter'>): Promise<Row['outcome']> {
  const { llm, options, abortAfter } = row;
  return visit.evaluate(
    async ({ question, given, abortAfter }) => {
      const library: { Ibid: typeof Ibid } = await import('/ibid/index.js' as string);
      const ibid = await library.Ibid.load({ index: '/site.ibid' });
      const controller = new AbortController();
      // With a host that has a say in each call, no second call follows an answer without a search.
      const run = ibid.ask(question, { ...given, prepareStep: () => ({}), signal: controller.signal });
      try {
        for await (const { type } of run) {
          if (type === 'turn' && abortAfter !== undefined) setTimeout(() => controller.abort(), abortAfter);
        }
        const { text, policy, stoppedBy } = await run;
        return { text, policy, ...(stoppedBy != null && { stoppedBy }) };
      } catch (error) {
        const { code, message } = error as { code: string; message: string };
        return { code, message };
      }
    },
    {
      question: QUESTION,
      given: {
        // Passages that were found before would be quoted.
        policy: 'tools',
        ...options,
        llm: { baseURL: `${origin}/v1`, model: 'm', apiKey: 'sk-0123456789', retryDelay: 50, ...llm },
      } as AskOptions & object,
      abortAfter,
    },
  );
}

// One page asks them all, one after another: its modules are there from the first row on.
inBothBrowsers('fetch: what servers do', async (visit) => {
  for (const { name, behave, outcome, requests, left, ...row } of ROWS) {
    const server = new ModelServer(behave);
    try {
      const found = await ask(visit, await server.start(), row);
      const { message, ...rest } = outcome;
      expect(found, name).toMatchObject(rest);
      if (message !== undefined) expect(found.message, name).toContain(message);
      await pause(100);
      expect(server.bodies.length, `requests: ${name}`).toBe(requests);
      if (left !== undefined) await expect.poll(() => server.left, name).toBe(left);
    } finally {
      server.close();
    }
  }
});

inBothBrowsers('fetch: a page that is left', async (visit) => {
  const server = new ModelServer((response) => lives(response, piece('Ask')));
  const origin = await server.start();
  await visit.evaluate(
    async ({ question, baseURL }) => {
      const library: { Ibid: typeof Ibid } = await import('/ibid/index.js' as string);
      const ibid = await library.Ibid.load({ index: '/site.ibid' });
      const run = ibid.ask(question, { policy: 'classic', llm: { baseURL, model: 'm' } });
      await new Promise<void>((resolve) => {
        void (async () => {
          for await (const { type } of run) if (type === 'text') resolve();
        })();
      });
      setTimeout(() => location.assign('/blank?left'), 300);
    },
    { question: QUESTION, baseURL: `${origin}/v1` },
  );
  await expect.poll(() => server.left).toBe(true);
  expect(server.bodies.length).toBe(1);
  server.close();
});
