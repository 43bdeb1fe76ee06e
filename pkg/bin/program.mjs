/** Finds and starts the native program, which a package for each platform brings. `ibid/site` is this module. */
import { spawn } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { arch, platform } from 'node:process';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';

const place = (path) => fileURLToPath(new URL(path, import.meta.url));
const failure = (message, hint, code = 'io') => Object.assign(new Error(message), { code, hint });

/** Returns true on Linux with musl: Node.js itself says which library it is linked with. */
function isMusl() {
  if (platform !== 'linux') return false;
  process.report.excludeNetwork = true;
  return process.report.getReport().header.glibcVersionRuntime === undefined;
}

/** Returns the path of the program. Says what to do if there is none. */
function program() {
  const name = `@ibid/cli-${platform}-${arch}${isMusl() ? '-musl' : ''}`;
  const file = platform === 'win32' ? 'ibid.exe' : 'ibid';
  try {
    return createRequire(import.meta.url).resolve(`${name}/bin/${file}`);
  } catch {
    const built = place(`../../target/release/${file}`);
    if (existsSync(built)) return built;
  }
  const { optionalDependencies } = JSON.parse(readFileSync(place('../package.json'), 'utf8'));
  if (name in optionalDependencies) {
    const hint = '`npm install --include=optional` brings it.';
    throw failure(`The package \`${name}\` is missing, which has the program.`, hint);
  }
  throw failure(
    `No package has the program for ${platform} ${arch}.`,
    '`cargo install --path crates/cli` compiles it in a checkout.',
  );
}

/** Starts the program, which finds the files of pages in this package. Returns it, and how it ends. */
export function start(args, stdio) {
  const path = program();
  const child = spawn(path, args, { stdio, env: { IBID_WEB: place('../dist'), ...process.env } });
  const ended = new Promise((resolve, reject) => {
    child.on('close', (status, signal) => resolve({ status, signal }));
    child.on('error', ({ message }) =>
      reject(failure(`\`${path}\` cannot be started: ${message}.`, 'Install `ibid` again, on this machine.')),
    );
  });
  return { child, ended };
}

/** Runs `ibid site` on the folder of a built site. Fails with the program's message. */
export async function addSearch(folder, options = {}) {
  const { answers = false, facets, place, attributes = {}, baseUrl, cache = true } = options;
  const given = Object.entries({ facets, place, 'base-url': baseUrl }).filter(([, value]) => value !== undefined);
  const args = [
    ...given.map(([name, value]) => `--${name}=${value}`),
    ...Object.entries(attributes).map(([name, value]) => `--set=${name}=${value}`),
    ...(answers ? ['--answers'] : []),
    ...(cache ? [] : ['--no-cache']),
  ];
  try {
    const { child, ended } = start(['site', ...args, '--', folder], ['ignore', 'ignore', 'pipe']);
    const [told, { status }] = await Promise.all([toldBy(child), ended]);
    if (status !== 0) throw failureIn(told, status);
  } catch ({ code, message, hint }) {
    const { IbidError } = await import('../dist/index.js');
    throw new IbidError(code, message, { hint });
  }
}

/** Shows what the program tells as it comes, but for its error, which is returned. */
async function toldBy(child) {
  const error = [];
  for await (const line of createInterface({ input: child.stderr })) {
    if (error.length > 0 || line.startsWith('error: ')) error.push(line);
    else process.stderr.write(`${line}\n`);
  }
  return error.join('\n');
}

/** Takes an error apart that the program has told: its message, code and hint. */
function failureIn(told, status) {
  const found = /^error: (.*?)(?: \[([a-z-]+)\](?:\n *hint: (.*))?)?$/s.exec(told);
  const [, message = `The program ended with status ${status}.`, code, hint] = found ?? [];
  return failure(message, hint, code ?? (status === 2 ? 'invalid-option' : 'internal'));
}
