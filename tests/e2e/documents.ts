import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import xxhash from 'xxhash-wasm';

/** The project's folder: this file lies in it, and so does what it is compiled to. */
export const ROOT = above(dirname(fileURLToPath(import.meta.url)), 'Cargo.lock');
/** The built site. */
export const SITE = join(ROOT, 'target/site');
/** The command. */
export const COMMAND = join(ROOT, 'target/release/ibid');

function above(folder: string, file: string): string {
  return existsSync(join(folder, file)) ? folder : above(dirname(folder), file);
}

/** A document of the demo, by the name that citations have: its path from the folder above the one that was given. */
export function sourceText(name: string): string {
  return readFileSync(join(ROOT, name.startsWith('handbook/') ? 'www' : '', name), 'utf8');
}

/** A file of the built site. */
export function siteFile(path: string): Buffer {
  return readFileSync(join(SITE, path));
}

/** The index of one document, made by the command as any site makes its own. */
export function indexOf(name: string, markdown: string): Buffer {
  return indexOfFiles([{ name, text: markdown }]);
}

/** The index of several documents, with the settings of an `ibid.toml`. */
export function indexOfFiles(files: readonly { name: string; text: string }[], settings = ''): Buffer {
  if (!existsSync(COMMAND)) throw new Error('target/release/ibid is not there: run ./build.sh build first');
  const folder = mkdtempSync(join(tmpdir(), 'ibid-documents-'));
  try {
    const config = join(folder, 'ibid.toml');
    writeFileSync(config, settings);
    for (const { name, text } of files) {
      mkdirSync(dirname(join(folder, name)), { recursive: true });
      writeFileSync(join(folder, name), text);
    }
    // From the project's folder, where the command finds the packed model.
    execFileSync(COMMAND, ['build', folder, '--config', config, '-o', join(folder, 'made.ibid')], {
      cwd: ROOT,
      stdio: 'pipe',
    });
    return readFileSync(join(folder, 'made.ibid'));
  } finally {
    rmSync(folder, { recursive: true });
  }
}

const HEADER_BYTES = 64;
const ENTRY_BYTES = 32;

/**
 * The same index as if another model had made it: a sound file, every checksum right, that names another space.
 * `docs/index-format.md` has the layout.
 */
export async function indexOfAnotherModel(index: Buffer): Promise<Buffer> {
  const { h64Raw } = await xxhash();
  const changed = Buffer.from(index);
  const entries = changed.readUInt32LE(24);
  const tableEnd = HEADER_BYTES + entries * ENTRY_BYTES;
  for (let entry = HEADER_BYTES; entry < tableEnd; entry += ENTRY_BYTES) {
    if (changed.toString('latin1', entry, entry + 4) !== 'mani') continue;
    const start = Number(changed.readBigUInt64LE(entry + 8));
    const manifest = changed.subarray(start, start + Number(changed.readBigUInt64LE(entry + 16)));
    const text = manifest.toString('utf8');
    const other = text.replace(/"fingerprint":"[0-9a-f]+"/, (found) => found.replace(/[0-9a-f](?="$)/, otherDigit));
    if (other === text || other.length !== text.length) throw new Error('the manifest has no fingerprint to change');
    manifest.write(other, 'utf8');
    changed.writeBigUInt64LE(h64Raw(manifest), entry + 24);
    changed.writeBigUInt64LE(h64Raw(Buffer.concat([changed.subarray(0, 32), changed.subarray(64, tableEnd)])), 32);
    return changed;
  }
  throw new Error('the index has no manifest');
}

function otherDigit(digit: string): string {
  return digit === '0' ? '1' : '0';
}
