import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { COMMAND } from './documents.js';

/** Returns true if the command takes the lines of an exported log for whole. */
export function commandAccepts(log: string): boolean {
  const folder = mkdtempSync(join(tmpdir(), 'ibid-audit-'));
  try {
    const file = join(folder, 'log.jsonl');
    writeFileSync(file, log);
    execFileSync(COMMAND, ['audit', 'verify', file], { stdio: 'pipe' });
    return true;
  } catch {
    return false;
  } finally {
    rmSync(folder, { recursive: true });
  }
}
