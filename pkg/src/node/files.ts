import { rmSync } from 'node:fs';
import { mkdir, open, readdir, readFile, realpath, rename, stat, writeFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { IbidError } from '../error.js';

/** A failed call of the system's, in words. */
export function failed(what: string, path: string, error: unknown): IbidError {
  const { code, message } = error as NodeJS.ErrnoException;
  const why = REASONS.get(code ?? '') ?? message.replace(/^[A-Z]+: ([^,]*).*$/s, '$1');
  return new IbidError('io', `\`${path}\` cannot be ${what}: ${why}.`, { cause: error });
}

const REASONS = new Map([
  ['ENOENT', 'there is no such file or folder'],
  ['EACCES', 'permission denied'],
  ['EISDIR', 'it is a folder'],
  ['ENOTDIR', 'a part of its path is no folder'],
  ['ENOSPC', 'there is no space left on the disk'],
]);

export async function read(path: string): Promise<Uint8Array> {
  return await readFile(path).catch((error) => {
    throw failed('read', path, error);
  });
}

/**
 * Writes a file whole or not at all: next to its place first, then renamed into it, so that an index in use stays intact
 * when the disk is full or the command is interrupted. What is no file, such as `/dev/stdout`, is written to as it is.
 */
export async function writeWhole(path: string, bytes: Uint8Array): Promise<void> {
  try {
    const old = await stat(path).catch(() => undefined);
    if (old?.isDirectory()) throw Object.assign(new Error(), { code: 'EISDIR' });
    if (old !== undefined && !old.isFile()) {
      await writeFile(path, bytes);
      return;
    }
    const place = old === undefined ? path : await realpath(path);
    await mkdir(dirname(place), { recursive: true });
    await replace(place, bytes, old?.mode);
  } catch (error) {
    throw failed('written', path, error);
  }
}

/** The way files in the making end. The Rust command has an ending of its own, since it tells by locks which ones are abandoned. */
const IN_THE_MAKING = '.node.tmp';

async function replace(place: string, bytes: Uint8Array, mode: number | undefined): Promise<void> {
  await removeAbandoned(place);
  const beside = join(dirname(place), `${basename(place)}.${process.pid}${IN_THE_MAKING}`);
  const remove = () => rmSync(beside, { force: true });
  const onSignal = (signal: NodeJS.Signals) => {
    remove();
    // Without this listener the signal does what it always does.
    process.kill(process.pid, signal);
  };
  const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;
  // One that is there was left by a process that had the same number and was killed.
  remove();
  for (const signal of signals) process.once(signal, onSignal);
  try {
    // A new file only: what somebody else puts there meanwhile, a link say, is not written through.
    const file = await open(beside, 'wx', mode ?? 0o666);
    try {
      await file.writeFile(bytes);
      if (mode !== undefined) await file.chmod(mode & 0o7777);
      await file.sync();
    } finally {
      await file.close();
    }
    await rename(beside, place);
  } catch (error) {
    remove();
    throw error;
  } finally {
    for (const signal of signals) process.removeListener(signal, onSignal);
  }
}

/** Removes what killed processes have left of this file in the making. */
async function removeAbandoned(place: string): Promise<void> {
  const start = `${basename(place)}.`;
  for (const entry of await readdir(dirname(place), { withFileTypes: true })) {
    if (!entry.isFile() || !entry.name.startsWith(start) || !entry.name.endsWith(IN_THE_MAKING)) continue;
    const number = entry.name.slice(start.length, -IN_THE_MAKING.length);
    if (/^\d+$/.test(number) && !isLiving(Number(number))) rmSync(join(dirname(place), entry.name), { force: true });
  }
}

/** Tells if a process runs. */
export function isLiving(pid: number): boolean {
  try {
    // This sends nothing; it only finds out.
    return process.kill(pid, 0);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code !== 'ESRCH';
  }
}
