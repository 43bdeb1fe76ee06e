import type { Engine } from './engine.js';
import type { RemoteParts } from './remote-parts.js';

/** An index file whose documents are added, or the id of a document that is removed. */
export type Change = Uint8Array | string;

/** Makes a change; tells whether it changed anything. */
export function applied(engine: Engine, change: Change): boolean {
  if (typeof change === 'string') return engine.remove(change);
  engine.attach(change);
  return true;
}

/** Reads the file of an index as it was opened; where another version takes its place meanwhile, that one. */
export async function openedFile(engine: Engine, remote: RemoteParts | undefined): Promise<Uint8Array> {
  for (;;) {
    const all = Float64Array.of(0, engine.info().bytes);
    const file = engine.file() ?? (await remote?.read(all))?.[0];
    if (file !== undefined) return file;
  }
}
