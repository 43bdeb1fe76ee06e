#!/usr/bin/env node
import { start } from './program.mjs';

try {
  const { child, ended } = start(process.argv.slice(2), 'inherit');
  // The program says what a signal ends.
  for (const name of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(name, () => child.kill(name));
  const { status, signal } = await ended;
  process.exitCode = status ?? 1;
  if (signal !== null) {
    process.removeAllListeners(signal);
    process.kill(process.pid, signal);
  }
} catch ({ message, code, hint }) {
  process.stderr.write(`error: ${message} [${code}]\n  hint: ${hint}\n`);
  process.exitCode = 1;
}
