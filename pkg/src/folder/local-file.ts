import { ofNode, type Part } from '../bytes.js';
import { IbidError } from '../error.js';
import { partsOf } from './remote-folder.js';

/**
 * Reads a file on Node's disk, or an index in a folder, by its path or `file:` address, neither of which Node fetches;
 * `undefined` in pages.
 */
export function readLocal(address: string, { code, name }: Part): Uint8Array<ArrayBuffer> | undefined {
  const [files, urls] = [ofNode('node:fs'), ofNode('node:url')];
  if (files === undefined || urls === undefined) return undefined;
  const place = /^file:/i.test(address) ? urls.fileURLToPath(address) : address;
  const inside = (file: string) => `${place}/${file}`;
  try {
    if (!files.statSync(place).isDirectory()) return files.readFileSync(place);
    const head = files.readFileSync(inside('head'));
    const parts = partsOf(head) ?? [];
    const bytes = new Uint8Array(parts.at(-1)?.end ?? head.length);
    bytes.set(head);
    for (const part of parts) {
      const read = files.readFileSync(inside(part.name));
      if (read.length === part.end - part.start) bytes.set(read, part.start);
      else throw new TypeError(`${part.name} has ${read.length} bytes instead of ${part.end - part.start}`);
    }
    return bytes;
  } catch (error) {
    const why = error instanceof Error ? error.message.replace(/^[A-Z]+: /, '') : String(error);
    throw new IbidError(code, `The ${name} at ${address} could not be read: ${why}.`, { cause: error });
  }
}
