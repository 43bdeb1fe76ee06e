// What several tests share; it has no tests of its own.
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { AskWireOptions, Engine, EngineModule, IndexReader, SearchWireOptions, WasmInput } from './engine.js';
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

/** What an engine of {@link ScriptedModule} was opened with, or had replaced. */
export interface OpenedPieces {
  offsets: number[];
  pieces: Uint8Array[];
}

/** An index of the given length for {@link ScriptedModule}: its first four bytes say where the needed part ends. */
export function scriptedIndex(length: number, neededEnd: number, seed = 1): Buffer {
  const file = Buffer.alloc(length, 0);
  for (let at = 0; at < length; at += 1) file[at] = (at * 31 + seed * 7 + (at >> 8)) & 0xff;
  file.writeUInt32LE(neededEnd, 0);
  file.writeUInt32LE(seed, 4);
  return file;
}

/** A module whose engines record what they are given, read where a search tells them to, and answer by `ask`. */
export class ScriptedModule implements EngineModule {
  readonly inputs: WasmInput[] = [];
  /** The index and the table of each engine that was given whole files. */
  readonly opened: Uint8Array[][] = [];
  readonly pieces: OpenedPieces[] = [];
  readonly searches: [string, SearchWireOptions][] = [];
  /** What was attached and removed, in order. */
  readonly changes: (Uint8Array | string)[] = [];
  /** What reading gave, for each search that is written as ranges, such as `100-200 300-310`. */
  readonly reads: (Uint8Array[] | null)[] = [];
  freed = 0;
  /** Which pieces are damaged. */
  refuses: (pieces: Uint8Array[]) => boolean = () => false;

  constructor(readonly ask: Ask = async () => ANSWER) {}

  default = async (input?: { module_or_path: WasmInput }) => {
    if (input !== undefined) this.inputs.push(input.module_or_path);
  };

  headLength(): number {
    return 64;
  }

  neededRanges(head: Uint8Array): Float64Array {
    return Float64Array.of(64, new DataView(head.buffer, head.byteOffset).getUint32(0, true));
  }

  get Engine(): EngineModule['Engine'] {
    const script = this;
    return class ScriptedEngine implements Engine {
      reader: IndexReader | undefined;

      constructor(index: Uint8Array, table: Uint8Array) {
        // The core's way to throw: an ordinary error with further properties.
        if (index[0] === 0x3c) throw coreError('index-foreign', 'This is no index.', 'Check the address.');
        script.opened.push([index, table]);
      }
      static ofPieces(offsets: Float64Array, pieces: Uint8Array[], table: Uint8Array, reader: IndexReader): Engine {
        const engine = new ScriptedEngine(new Uint8Array(), table);
        script.opened.pop();
        engine.reader = reader;
        engine.replace(offsets, pieces);
        return engine;
      }
      info(): IndexInfo {
        return { documents: 3 + script.changes.length } as IndexInfo;
      }
      async search(query: string, options: SearchWireOptions): Promise<Hit[]> {
        script.searches.push([query, options]);
        if (query === '') throw coreError('query-empty', 'The query has no text.');
        const ranges = [...query.matchAll(/(\d+)-(\d+)/g)].flatMap(([, start, end]) => [Number(start), Number(end)]);
        if (ranges.length > 0) script.reads.push((await this.reader?.(Float64Array.from(ranges))) ?? null);
        return [];
      }
      ask(_: string, wire: AskWireOptions, emit: (event: AskEvent) => void, signal: AbortSignal): Promise<Answer> {
        return script.ask(wire, emit, signal);
      }
      replace(offsets: Float64Array, pieces: Uint8Array[]): void {
        if (script.refuses(pieces)) throw coreError('index-corrupt', 'This index is damaged.');
        script.pieces.push({ offsets: [...offsets], pieces });
      }
      attach(index: Uint8Array): void {
        script.changes.push(index);
      }
      remove(documentId: string): boolean {
        script.changes.push(documentId);
        return true;
      }
      async complete(): Promise<void> {}
      toBytes(): Uint8Array {
        return new Uint8Array([1, 2, 3]);
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
