// What several tests share; it has no tests of its own.
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Answer, AskEvent } from './ask/answer-types.js';
import type { AskHost, AskModule, AskWireOptions } from './ask/module.js';
import type { EmbedQuery, Engine, EngineModule, ForeignSpace, PartReader, WasmInput } from './engine.js';
import { Ibid } from './ibid.js';
import type { IndexInfo, LoadOptions } from './types.js';
import { WasmModule } from './wasm-module.js';

export const ANSWER: Answer = {
  text: 'Yes [1].',
  citations: [],
  tree: [],
  claims: [],
  sources: [],
  flags: [],
  mode: 'model',
  answerable: true,
  guard: { question: 'Why?', intent: 'other', notices: [], pii: {} },
  policy: 'tools',
  finishReason: 'stop',
  usage: null,
  turns: 1,
  searches: 0,
  trace: [],
  createdAt: '2026-03-31T12:00:00.000Z',
};

/** The functions of the module that are no run: each tells what it was given. */
const TRUST: Omit<AskModule, 'default' | 'ask'> = {
  complete: async () => {},
  partialTree: () => '[]',
  verify: async (answer) => JSON.stringify({ claims: [], flags: [{ message: JSON.parse(answer).text }] }),
  bibliography: (answer, format) => `${format} of ${JSON.parse(answer).text}`,
  provideEmergencyRules: () => {},
  providePiiRules: () => {},
  inspect: (text, options) => {
    if (text.includes('<script>')) throw coreError('question-blocked', 'There is markup in it.');
    return JSON.stringify({ question: text.trim(), options: JSON.parse(options) });
  },
  redact: (text, options) => JSON.stringify({ text, found: [], options: JSON.parse(options) }),
  auditLine: (previous, record) => {
    const hash = createHash('sha256').update(`${previous} ${record}`).digest('hex');
    return JSON.stringify({ record: JSON.parse(record), ...(previous && { previous }), hash });
  },
  auditCheck: (lines) => {
    const parsed = lines
      .split('\n')
      .filter(Boolean)
      .map((line) => JSON.parse(line));
    const broken = (at: number) => at > 0 && parsed[at].previous !== parsed[at - 1].hash;
    const problems = parsed.flatMap((_, at) =>
      broken(at) ? [{ line: at + 1, kind: 'broken', message: 'Broken.' }] : [],
    );
    return JSON.stringify({
      lines: parsed.length,
      first: parsed[0]?.hash,
      head: parsed.at(-1)?.hash,
      dropped: 0,
      problems,
      more: 0,
    });
  },
};

export const TURN: AskEvent = { type: 'turn', turn: 1, tools: true };
export const TEXT: AskEvent = { type: 'text', delta: 'Yes [1].', restart: true };
export const DONE: AskEvent = { type: 'answer', answer: ANSWER };

export type Ask = (
  wire: AskWireOptions,
  emit: (event: AskEvent) => void,
  signal: AbortSignal,
  host: AskHost,
  question: string,
) => Promise<Answer>;

/** The files that an engine of {@link ScriptedModule} was opened with, or had replaced. */
interface OpenedPieces {
  offsets: number[];
  pieces: Uint8Array[];
}

/**
 * Makes an index of the given length for {@link ScriptedModule}: its first four bytes say where the needed part ends.
 */
export function scriptedIndex(length: number, neededEnd: number, seed = 1): Buffer {
  const file = Buffer.alloc(length, 0);
  for (let at = 0; at < length; at += 1) file[at] = (at * 31 + seed * 7 + (at >> 8)) & 0xff;
  // In place of a section table, which says nothing.
  file.fill(0, 64, Math.min(length, 16_384));
  file.writeUInt32LE(neededEnd, 0);
  file.writeUInt32LE(seed, 4);
  return file;
}

/** The length of the head of {@link folderOf}, and of its parts. */
export const FOLDER_HEAD = 1024;
export const FOLDER_PART = 10_000;

/** Makes a folder's files by their names, and what they are joined. */
export function folderOf(count: number, seed: number): { files: Map<string, Buffer>; whole: Buffer } {
  const head = Buffer.alloc(FOLDER_HEAD, seed);
  // The scripted module takes this for the end of what is needed.
  head.writeUInt32LE(FOLDER_HEAD, 0);
  head.writeBigUInt64LE(BigInt(FOLDER_HEAD + count * FOLDER_PART), 16);
  head.writeUInt32LE(1, 24);
  head.writeBigUInt64LE(BigInt(seed), 32);
  head.write('part', 64, 'latin1');
  head.writeBigUInt64LE(128n, 72);
  head.writeBigUInt64LE(BigInt(4 + 12 * count), 80);
  const files = new Map([['head', head]]);
  const parts: Buffer[] = [];
  for (let at = 0; at < count; at += 1) {
    const name = BigInt(seed * 1000 + at);
    const part = Buffer.alloc(FOLDER_PART);
    for (let byte = 0; byte < FOLDER_PART; byte += 1) part[byte] = (byte * 31 + seed * 7 + at) & 0xff;
    head.writeUInt32LE(FOLDER_PART, 132 + 12 * at);
    head.writeBigUInt64LE(name, 136 + 12 * at);
    files.set(`${name.toString(16).padStart(16, '0')}.part`, part);
    parts.push(part);
  }
  return { files, whole: Buffer.concat([head, ...parts]) };
}

/** A module whose engines record what they are given, read where a search tells them to, and answer by `ask`. */
export class ScriptedModule implements EngineModule {
  readonly inputs: WasmInput[] = [];
  /** The index and the table of each engine that was given whole files. */
  readonly opened: [Uint8Array, Uint8Array | ForeignSpace][] = [];
  /** The encoder of queries, and its result for each search. */
  embed: EmbedQuery | undefined;
  readonly vectors: (Float32Array | null)[] = [];
  readonly pieces: OpenedPieces[] = [];
  readonly searches: Record<string, unknown>[] = [];
  /** The scores that candidates were given. */
  readonly scores: [number[], number[]][] = [];
  /** The changes, in order. */
  readonly changes: (Uint8Array | string)[] = [];
  /** The tables that were put in place of the first. */
  readonly tables: Uint8Array[] = [];
  /** A prefetch: a file and ranges. */
  later: ['index' | 'model', ...number[]][] = [];
  prefetched = 0;
  /** The size that its index says it has. */
  bytes = 1000;
  /** The fields of the index's metadata. */
  fields: IndexInfo['fields'] = [];
  /** The JSON of {@link Engine.facets}; by default its arguments. */
  facets: string | undefined;
  /** The result of reading, for each search that is written as ranges, such as `100-200 300-310`, of the table as `model 5-6`. */
  readonly reads: (Uint8Array[] | null)[] = [];
  freed = 0;
  /** The number of searches of runs. */
  finds = 0;
  /** The pieces that are damaged. */
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

  stemmerOf(): undefined {}

  stemBy(): void {}

  /** The module that answers questions by `ask`, with the searches that its text names on the way. */
  get asker(): AskModule {
    return {
      default: async () => {},
      ask: async (question, wire, host, emit, signal = new AbortController().signal) => {
        if (question.startsWith('Search'))
          this.searches.push({ query: await host.search(JSON.stringify({ text: question })) });
        const answer = await this.ask(wire, emit, signal, host, question);
        const record = wire.audit && { audit: JSON.stringify({ question }) };
        return { answer, conversation: `${wire.history ?? ''}${question};`, ...record };
      },
      ...TRUST,
    };
  }

  tableHeadLength(head: Uint8Array): number {
    return new DataView(head.buffer, head.byteOffset).getUint32(0, true);
  }

  get Engine(): EngineModule['Engine'] {
    const script = this;
    return class ScriptedEngine implements Engine {
      reader: PartReader | undefined;

      constructor(index: Uint8Array, table: Uint8Array | ForeignSpace) {
        // The core's way to throw: an ordinary error with further properties.
        if (index[0] === 0x3c) throw coreError('index-foreign', 'This is no index.', 'Check the address.');
        if (new TextDecoder().decode(index) === 'other model')
          throw coreError('model-mismatch', 'It is of another one.');
        script.opened.push([index, table]);
      }
      static ofPieces(
        offsets: Float64Array,
        pieces: Uint8Array[],
        wholeIndex: boolean,
        table: Uint8Array | ForeignSpace,
        _wholeTable: boolean,
        reader: PartReader,
      ): Engine {
        const engine = new ScriptedEngine(pieces[0] ?? new Uint8Array(), table);
        engine.reader = reader;
        if (wholeIndex) return engine;
        script.opened.pop();
        engine.replace(offsets, pieces);
        return engine;
      }
      wantedStemmer(): undefined {}
      info(): IndexInfo {
        return { documents: 3 + script.changes.length, fields: script.fields, bytes: script.bytes } as IndexInfo;
      }
      embedBy(embed?: EmbedQuery): void {
        script.embed = embed;
      }
      async search(wire: string, signal?: AbortSignal): Promise<string> {
        const { text: query, ...options } = JSON.parse(wire);
        script.searches.push({ query, ...options });
        if (query === '' && options.like === undefined) throw coreError('query-empty', 'The query has no text.');
        if (script.embed !== undefined) {
          // What crosses the core comes out as another error of the same code and message.
          const embedded = script.embed(query, signal).catch(({ code, message }) => {
            throw coreError(code, message);
          });
          script.vectors.push(await embedded);
        }
        const ranges = [...query.matchAll(/(\d+)-(\d+)/g)].flatMap(([, start, end]) => [Number(start), Number(end)]);
        const part = query.startsWith('model') ? 'model' : 'index';
        if (ranges.length > 0) script.reads.push((await this.reader?.(part, Float64Array.from(ranges))) ?? null);
        return JSON.stringify({ hits: [], facets: [] });
      }
      async candidates(wire: string): Promise<string> {
        script.searches.push(JSON.parse(wire));
        return JSON.stringify([
          [7, 'seven'],
          [2, 'two'],
        ]);
      }
      async searchScored(_: string, chunks: Uint32Array, scores: Float32Array): Promise<string> {
        script.scores.push([[...chunks], [...scores]]);
        return JSON.stringify({ hits: [], facets: [] });
      }
      async find(query: string): Promise<string> {
        script.finds += 1;
        return `hits of ${query}`;
      }
      async facets(fields: string, filter: string): Promise<string> {
        return script.facets ?? JSON.stringify([{ field: fields, filter }]);
      }
      suggest(prefix: string, limit: number): string {
        return JSON.stringify([{ text: `${prefix} and ${limit}`, chunks: 1 }]);
      }
      async nearest(vector: Float32Array, options: string): Promise<string> {
        return JSON.stringify([{ chunk: vector.length, cosine: JSON.parse(options).limit ?? 1 }]);
      }
      replace(offsets: Float64Array, pieces: Uint8Array[]): void {
        if (script.refuses(pieces)) throw coreError('index-corrupt', 'This index is damaged.');
        script.pieces.push({ offsets: [...offsets], pieces });
      }
      replaceTable(table: Uint8Array): void {
        script.tables.push(table);
      }
      async prefetch(): Promise<void> {
        for (const [part, ...ranges] of script.later) await this.reader?.(part, Float64Array.from(ranges));
        script.prefetched += 1;
      }
      async directory(): Promise<void> {}
      attach(index: Uint8Array): void {
        script.changes.push(index);
      }
      remove(documentId: string): boolean {
        script.changes.push(documentId);
        return true;
      }
      file(): Uint8Array {
        return new Uint8Array([1, 2, 3]);
      }
      free(): void {
        script.freed += 1;
      }
    };
  }
}

/** An index, a query table and a module for {@link ScriptedModule}, which looks into none of them. */
export const BYTES = {
  index: new Uint8Array([1]),
  model: new Uint8Array([2]),
  wasm: new Uint8Array([0, 0x61, 0x73, 0x6d]),
};

/** Loads an index over a scripted engine, or over one whose questions `ask` answers. */
export async function scriptedIbid(
  ask?: Ask | ScriptedModule,
  options: Partial<LoadOptions> = {},
): Promise<{ ibid: Ibid; script: ScriptedModule }> {
  const script = ask instanceof ScriptedModule ? ask : new ScriptedModule(ask);
  const asker = new WasmModule(async () => script.asker);
  const wasm = new WasmModule(async () => script);
  return { ibid: await Ibid.loadWith(wasm, { ...BYTES, askWasm: BYTES.wasm, ...options }, asker), script };
}

export function assertBytes(actual: Uint8Array | undefined, expected: Uint8Array): void {
  assert.ok(actual !== undefined && Buffer.compare(actual, expected) === 0, `${actual?.length} other bytes`);
}

/** Makes a promise with the function that fulfils it. */
export function gate<T = void>(): { opened: Promise<T>; open: (value: T) => void } {
  let open: (value: T) => void = () => {};
  const opened = new Promise<T>((resolve) => {
    open = resolve;
  });
  return { opened, open };
}

/** The Cache API as far as it is used, in memory; Node has none. */
export class FakeCaches {
  readonly all = new Map<string, Map<string, Uint8Array>>();
  full = false;

  async open(name: string) {
    const entries = this.all.get(name) ?? new Map<string, Uint8Array>();
    this.all.set(name, entries);
    return {
      keys: async () => [...entries.keys()].map((url) => ({ url })),
      match: async (url: string) => entries.get(url) && new Response(entries.get(url) as BodyInit),
      put: async (url: string, response: Response) => {
        if (this.full) throw new DOMException('No room.', 'QuotaExceededError');
        entries.set(url, new Uint8Array(await response.arrayBuffer()));
      },
    };
  }

  async delete(name: string): Promise<boolean> {
    return this.all.delete(name);
  }

  get entries(): Map<string, Uint8Array> {
    return [...this.all.values()][0] ?? new Map();
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

/**
 * Runs `body` against servers that redirect to another one, by each status that does so, and expects that other one never
 * to be asked.
 */
export async function withRedirects(body: (base: string, thief: string) => Promise<void>): Promise<void> {
  const stolen: string[] = [];
  const steals: RequestListener = ({ url }, response) => {
    stolen.push(String(url));
    response.end();
  };
  await withServer(steals, async (thief) => {
    for (const status of [301, 302, 303, 307, 308]) {
      const moves: RequestListener = (_, response) => {
        response.writeHead(status, { location: `${thief}/v1?token=secret` }).end();
      };
      await withServer(moves, async (base) => body(base, thief));
    }
  });
  assert.deepEqual(stolen, []);
}

export const turnOfTheLoop = () => new Promise<void>((resolve) => setImmediate(resolve));

/** Waits until something has happened, for a time that no working test comes near. */
export async function until(happened: () => boolean): Promise<void> {
  for (let turn = 0; turn < 10_000 && !happened(); turn += 1) await turnOfTheLoop();
  if (!happened()) throw new Error('It never happened.');
}
