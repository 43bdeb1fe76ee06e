// What several tests share; it has no tests of its own.
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { AskWireOptions, Engine, EngineModule, SearchWireOptions, WasmInput } from './engine.js';
import type { Answer, AskEvent, Hit, IndexInfo } from './types.js';

export const ANSWER: Answer = {
  text: 'Yes [1].',
  citations: [],
  sources: [],
  flags: [],
  mode: 'model',
  finishReason: 'stop',
  usage: null,
  turns: 1,
  searches: 0,
};

export const TURN: AskEvent = { type: 'turn', turn: 1, tools: true };
export const TEXT: AskEvent = { type: 'text', delta: 'Yes [1].' };
export const DONE: AskEvent = { type: 'answer', answer: ANSWER };

export type Ask = (wire: AskWireOptions, emit: (event: AskEvent) => void, signal: AbortSignal) => Promise<Answer>;

/** A module whose engines record what they are given and answer by `ask`. */
export class ScriptedModule implements EngineModule {
  readonly inputs: WasmInput[] = [];
  readonly opened: Uint8Array[][] = [];
  readonly searches: [string, SearchWireOptions][] = [];
  freed = 0;

  constructor(readonly ask: Ask = async () => ANSWER) {}

  default = async (input?: { module_or_path: WasmInput }) => {
    if (input !== undefined) this.inputs.push(input.module_or_path);
  };

  get Engine(): EngineModule['Engine'] {
    const script = this;
    return class implements Engine {
      constructor(index: Uint8Array, table: Uint8Array) {
        // The core's way to throw: an ordinary error with further properties.
        if (index[0] === 0x3c) throw coreError('index-foreign', 'This is no index.', 'Check the address.');
        script.opened.push([index, table]);
      }
      info(): IndexInfo {
        return { documents: 3 } as IndexInfo;
      }
      search(query: string, options: SearchWireOptions): Hit[] {
        script.searches.push([query, options]);
        if (query === '') throw coreError('query-empty', 'The query has no text.');
        return [];
      }
      ask(_: string, wire: AskWireOptions, emit: (event: AskEvent) => void, signal: AbortSignal): Promise<Answer> {
        return script.ask(wire, emit, signal);
      }
      free(): void {
        script.freed += 1;
      }
    };
  }
}

export function coreError(code: string, message: string, hint?: string, retryable = false): Error {
  return Object.assign(new Error(message), { code, hint, retryable });
}

/** Runs `body` against a server on loopback. */
export async function withServer(listener: RequestListener, body: (base: string) => Promise<void>): Promise<void> {
  const server = createServer(listener);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  try {
    await body(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
  } finally {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  }
}

export const turnOfTheLoop = () => new Promise<void>((resolve) => setImmediate(resolve));
