import { spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { expect, serverTest as test } from '../e2e/harness.js';
import { report, SERVER } from './model.js';

const root = fileURLToPath(new URL('../..', import.meta.url));
const command = process.env.IBID_COMMAND ?? `${root}target/release/ibid`;

interface Run {
  code: number | null;
  stdout: string;
  stderr: string;
  /** The number of times standard output had something new. */
  pieces: number;
  firstMs: number;
  ms: number;
}

/** Runs the command as a person does, at a terminal. */
async function ibid(...args: string[]): Promise<Run> {
  const started = performance.now();
  const line = [command, ...args].map((word) => `'${word}'`).join(' ');
  const child = spawn('script', ['--quiet', '--return', '--command', line, '/dev/null'], {
    cwd: root,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const run = { stdout: '', stderr: '', pieces: 0, firstMs: 0 };
  child.stdout.on('data', (chunk: Buffer) => {
    if (run.pieces === 0) run.firstMs = performance.now() - started;
    run.pieces += 1;
    run.stdout += chunk.toString();
  });
  child.stderr.on('data', (chunk: Buffer) => {
    run.stderr += chunk.toString();
  });
  const code = await new Promise<number | null>((resolve) => child.on('close', resolve));
  return { ...run, code, ms: performance.now() - started };
}

const QUESTION = 'How much metformin may someone take whose eGFR is 35?';
const ASK = [
  'ask',
  'target/site.ibid',
  QUESTION,
  '--base-url',
  `${SERVER}/v1`,
  '--model',
  'smollm2',
  '--policy',
  'classic',
];

test('the command streams what the model writes', async () => {
  const run = await ibid(...ASK);
  expect(run.code, run.stderr).toBe(0);
  expect(run.pieces).toBeGreaterThan(1);
  report(
    `native: first text after ${Math.round(run.firstMs)} ms, ${run.pieces} pieces, ${Math.round(run.ms)} ms in all`,
  );
});
