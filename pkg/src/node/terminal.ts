import { writeSync } from 'node:fs';
import { type ParseArgsConfig, parseArgs } from 'node:util';

/** A line on stderr, where everything goes that is no result. */
export function note(line: string): void {
  process.stderr.write(`${line}\n`);
}

/** A result on stdout. A reader that has gone away, such as `head`, ends the output but is no failure. */
export function print(text: string): void {
  let left = Buffer.from(text);
  try {
    // A pipe takes as much as it has room for.
    while (left.length > 0) left = left.subarray(writeSync(1, left));
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'EAGAIN') process.stdout.write(left);
    else if (code !== 'EPIPE') throw error;
  }
}

/** A result on stdout as JSON. */
export function printJson(value: unknown): void {
  print(`${JSON.stringify(value, null, 2)}\n`);
}

/** The arguments are not what the command takes. */
export class UsageError extends Error {
  /** The command with a space behind it, or nothing. */
  readonly command: string;

  constructor(message: string, command: string) {
    super(message);
    this.command = command;
  }
}

/** Takes a command's arguments apart; whatever does not fit is an {@link UsageError}. */
export function parsed<C extends ParseArgsConfig>(config: C, command: string): ReturnType<typeof parseArgs<C>> {
  try {
    return parseArgs(config);
  } catch (error) {
    if (error instanceof TypeError) throw new UsageError(error.message, command);
    throw error;
  }
}

/** The time from one line to the next, where lines stay, and where each takes the place of the one before. */
const IN_A_LOG_MS = 10_000;
const ON_A_TERMINAL_MS = 100;
/** Before this, a rate is a guess. */
const FIRST_RATE_MS = 1000;

/** A line that shows how far a step is: written over and over on a terminal, now and then in a log. */
export class Progress {
  readonly #isTerminal = process.stderr.isTTY === true;
  #step = '';
  #begun = 0;
  #last = 0;

  show(step: string, done: number, total: number, unit: string): void {
    const now = performance.now();
    if (step !== this.#step) {
      this.#step = step;
      this.#begun = now;
      this.#last = now;
    }
    if (now - this.#last < (this.#isTerminal ? ON_A_TERMINAL_MS : IN_A_LOG_MS)) return;
    this.#last = now;
    const line = `${step} ${progressText(done, total, unit, now - this.#begun)}`;
    process.stderr.write(this.#isTerminal ? `\r\x1b[2K${line}` : `${line}\n`);
  }

  /** Makes room for lines that are to stay. */
  clear(): void {
    if (this.#isTerminal) process.stderr.write('\r\x1b[2K');
  }
}

/** The work done, the work left and the rate, as the native command tells them. */
export function progressText(done: number, total: number, unit: string, ms: number): string {
  const count = `${grouped(done)} of ${grouped(total)} ${unit}`;
  if (done === 0 || ms < FIRST_RATE_MS) return count;
  const rate = (done * 1000) / ms;
  const shown = rate < 10 ? rate.toFixed(1) : grouped(Math.floor(rate));
  return `${count}, ${shown} a second, ${duration(Math.round(Math.max(0, total - done) / rate))} left`;
}

function grouped(count: number): string {
  return count.toLocaleString('en');
}

function duration(seconds: number): string {
  if (seconds < 60) return `${seconds} s`;
  if (seconds < 3600) return `${Math.floor(seconds / 60)} min ${seconds % 60} s`;
  return `${Math.floor(seconds / 3600)} h ${Math.floor((seconds % 3600) / 60)} min`;
}
