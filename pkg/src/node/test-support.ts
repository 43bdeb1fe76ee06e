// Helpers that the tests of the command share; it has no tests of its own.
import { type ChildProcessWithoutNullStreams, execFile, spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** The package as it is published and built: compiled tests stand two folders below its root. */
export const ROOT = fileURLToPath(new URL('../../', import.meta.url));
export const COMMAND = join(ROOT, 'bin/ibid.mjs');
export const NATIVE = join(ROOT, '../target/release/ibid');
const BUILT = existsSync(join(ROOT, 'dist/node/main.js')) && existsSync(join(ROOT, 'dist/wasm/ibid_build_bg.wasm'));
export const skip = BUILT ? false : 'the package is not built: run ./build.sh build';

interface Outcome {
  code: number;
  stdout: string;
  stderr: string;
}

/** Runs a program in a folder, without any model of the machine's or the registry's: nothing listens at the address. */
export function runIn(
  folder: string,
  program: string,
  args: string[],
  variables: Record<string, string> = {},
): Promise<Outcome> {
  const { PATH } = process.env;
  const env = {
    PATH,
    HOME: folder,
    XDG_DATA_HOME: join(folder, 'data'),
    IBID_MODEL_URL: 'http://127.0.0.1:9',
    ...variables,
  };
  return new Promise((resolve) => {
    execFile(program, args, { cwd: folder, env }, (error, stdout, stderr) => {
      resolve({ code: typeof error?.code === 'number' ? error.code : error === null ? 0 : -1, stdout, stderr });
    });
  });
}

/** Starts `ibid serve`, and waits for the address that it prints. */
export async function serving(
  folder: string,
  ...args: string[]
): Promise<{ url: string; child: ChildProcessWithoutNullStreams; end: () => Promise<number | null> }> {
  const child = spawn(process.execPath, [COMMAND, 'serve', ...args], { cwd: folder });
  const exit = new Promise<number | null>((resolve) => child.once('exit', resolve));
  let told = '';
  child.stderr.on('data', (text) => {
    told += text;
  });
  const url = await new Promise<string>((resolve, reject) => {
    child.stdout.once('data', (line) => resolve(String(line).trim()));
    child.once('exit', (code) => reject(new Error(`it ended with ${code}: ${told}`)));
  });
  const end = async () => {
    child.kill('SIGINT');
    return await exit;
  };
  return { url, child, end };
}
