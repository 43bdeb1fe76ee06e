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

/** A line that is written over and over while something goes on, where a person is looking. */
export class Progress {
  readonly #shown = process.stderr.isTTY === true;
  #last = 0;

  show(line: string): void {
    const now = performance.now();
    if (!this.#shown || now - this.#last < 100) return;
    this.#last = now;
    process.stderr.write(`\r\x1b[2K${line}`);
  }

  /** Makes room for lines that are to stay. */
  clear(): void {
    if (this.#shown) process.stderr.write('\r\x1b[2K');
  }
}
