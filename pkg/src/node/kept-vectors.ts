import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { ForeignSpace, QueryEncoderEngine } from '../engine.js';
import { writeWhole } from './files.js';
import { note } from './terminal.js';

// The file is the native command's, whose `embedding/cache.rs` says what it is made of.
const MAGIC = 'ibidvec2';
const KEY = 16;
const CHECKSUM = 8;
/** A file below this size is left to grow. */
const SPARED = 64 * 2 ** 20;
/** A larger one loses its oldest vectors when it is more than this many times what a build used. */
const WORN = 3;
/** The time between two writes of new vectors while a build goes on. */
const SAVE_MS = 20_000;

/** The folder of kept vectors, in the folder that the command runs in. */
const FOLDER = '.ibid-cache';

/** The options of a command that say where vectors are kept. */
export interface CacheOptions {
  cache?: string | undefined;
  'no-cache': boolean;
}

/** Vectors of texts that were embedded as documents, kept in a file, so that the next build embeds new texts only. */
export class KeptVectors {
  readonly #records = new Map<string, Buffer>();
  readonly #used = new Set<string>();
  #isChanged = false;
  #saved = performance.now();
  #saving = Promise.resolve();

  private constructor(
    private readonly path: string,
    private readonly head: Buffer,
    private readonly length: number,
  ) {}

  /** Opens the vectors of a transformer, given by its packed file too, unless the options say that none are kept. */
  static async open(
    options: CacheOptions,
    packed: Uint8Array,
    encoder: QueryEncoderEngine,
  ): Promise<KeptVectors | undefined> {
    if (options['no-cache']) return undefined;
    const folder = options.cache ?? FOLDER;
    const space = encoder.space();
    const weights = createHash('sha256').update(packed);
    const name = `${space.name}@${half(weights.update(space.fingerprint ?? ''))}`;
    const path = join(folder, fileName(name, space.dimensions));
    try {
      // A folder that was there is somebody's own, and what is in it is not to be hidden from git.
      if (!existsSync(folder)) await writeWhole(join(folder, '.gitignore'), new TextEncoder().encode('*\n'));
      const kept = new KeptVectors(path, headOf(name, space), KEY + 4 * space.dimensions + CHECKSUM);
      if (existsSync(path)) kept.#read(await readFile(path));
      return kept;
    } catch (error) {
      if (options.cache !== undefined) throw error;
      note(`warning: vectors are not kept: ${(error as Error).message}`);
      return undefined;
    }
  }

  #read(file: Buffer): void {
    // Any other file is written anew, since nothing else has that name.
    if (!file.subarray(0, this.head.length).equals(this.head)) return;
    for (let at = this.head.length; at + this.length <= file.length; at += this.length) {
      this.#records.set(file.toString('latin1', at, at + KEY), file.subarray(at, at + this.length));
    }
  }

  /** The vector of a text; none when it was not kept or is damaged. */
  get(text: string): Float32Array | undefined {
    const key = keyOf(text);
    const record = this.#records.get(key);
    if (record === undefined || !checksum(record.subarray(0, -CHECKSUM)).equals(record.subarray(-CHECKSUM))) return;
    this.#used.add(key);
    return new Float32Array(Uint8Array.from(record.subarray(KEY, -CHECKSUM)).buffer);
  }

  /** Keeps the vectors of texts, which lie one behind the other. */
  add(texts: readonly string[], vectors: Float32Array): void {
    const dimensions = vectors.length / texts.length;
    texts.forEach((text, at) => {
      const key = keyOf(text);
      const { buffer, byteOffset, byteLength } = vectors.subarray(at * dimensions, (at + 1) * dimensions);
      const content = Buffer.concat([Buffer.from(key, 'latin1'), Buffer.from(buffer, byteOffset, byteLength)]);
      // One that is there was damaged; it goes to the end, where new ones are.
      this.#records.delete(key);
      this.#records.set(key, Buffer.concat([content, checksum(content)]));
      this.#used.add(key);
    });
    this.#isChanged = true;
    if (performance.now() - this.#saved > SAVE_MS) this.#save();
  }

  #save(): void {
    this.#saved = performance.now();
    this.#isChanged = false;
    const bytes = Buffer.concat([this.head, ...this.#records.values()]);
    this.#saving = this.#saving
      .then(() => writeWhole(this.path, bytes))
      .catch((error) => note(`warning: vectors are not kept: ${error.message}`));
  }

  /** Writes what is new, at the end of a build that has asked for the vectors of all its texts. */
  async finish(): Promise<void> {
    this.#tidy();
    if (this.#isChanged) this.#save();
    await this.#saving;
  }

  /** Drops the oldest vectors of a large file that were not used, and puts those that were behind the others. */
  #tidy(): void {
    const size = this.head.length + this.#records.size * this.length;
    const most = Math.max(SPARED, WORN * this.length * this.#used.size);
    if (this.#used.size === 0 || size <= most) return;
    const records = [...this.#records];
    const others = records.filter(([key]) => !this.#used.has(key));
    const room = Math.floor(((most / WORN) * (WORN - 1)) / this.length) - this.#used.size;
    const left = others.slice(Math.max(0, others.length - Math.max(0, room)));
    this.#records.clear();
    for (const [key, record] of [...left, ...records.filter(([key]) => this.#used.has(key))]) {
      this.#records.set(key, record);
    }
    this.#isChanged = true;
  }
}

function keyOf(text: string): string {
  return createHash('sha256').update('d').update(text).digest().toString('latin1', 0, KEY);
}

function checksum(content: Uint8Array): Buffer {
  return createHash('sha256').update(content).digest().subarray(0, CHECKSUM);
}

/** The first eight bytes of a hash. */
function half(hash: ReturnType<typeof createHash>): string {
  return hash.digest('hex').slice(0, 16);
}

function headOf(name: string, { dimensions }: ForeignSpace): Buffer {
  const numbers = Buffer.alloc(8);
  numbers.writeUInt32LE(dimensions, 0);
  numbers.writeUInt32LE(Buffer.byteLength(name), 4);
  return Buffer.concat([Buffer.from(MAGIC), numbers, Buffer.from(name)]);
}

/** The name of a model's file: readable, and by its hash never that of another model. */
function fileName(name: string, dimensions: number): string {
  const readable = (name.split('@')[0] ?? '').replace(/[^A-Za-z0-9._-]/gu, '-').slice(0, 80);
  return `${readable}-${dimensions}-${half(createHash('sha256').update(`${name}\n${dimensions}`))}.vectors`;
}
