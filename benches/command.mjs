// The `ibid` command, data and work folders of all benchmarks; IBID names another command than the one built here.

import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

export const ROOT = new URL('../', import.meta.url).pathname;
/** Collections next to the checkout. */
export const DATA = join(ROOT, '../shared/data');
export const IBID = process.env.IBID ?? join(ROOT, 'target/release/ibid');

/** Runs the command; returns what it prints. */
export function ibid(...args) {
  return execFileSync(IBID, args, { encoding: 'utf8', maxBuffer: 2 ** 30, stdio: ['ignore', 'pipe', 'ignore'] });
}

/** Makes a folder that is removed when the process ends. */
export function workFolder() {
  const folder = mkdtempSync(join(tmpdir(), 'ibid-bench-'));
  process.once('exit', () => rmSync(folder, { recursive: true }));
  return folder;
}

/** Unpacks the archive of a tree of documentation into a folder. */
export function unpack(tree, folder) {
  execFileSync('tar', ['-xzf', join(DATA, `docs/${tree}.tar.gz`), '-C', folder]);
}

/** Reads a file that has an object a line. */
export function rows(path) {
  return readFileSync(path, 'utf8').trim().split('\n').map(JSON.parse);
}

/** Every other row, which may be looked at while settings are chosen, and the rest, of which only the shares count. */
export function halves(all) {
  return [
    ['looked at', all.filter((_, at) => at % 2 === 0)],
    ['not looked at', all.filter((_, at) => at % 2 === 1)],
  ];
}
