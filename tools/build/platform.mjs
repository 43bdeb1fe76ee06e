// Makes the npm package that brings the program to one platform.
//
//   node platform.mjs FOLDER [TRIPLE PROGRAM]
//
// FOLDER is where the package is made, in a folder by its name. TRIPLE is the target that PROGRAM is compiled for, such as
// x86_64-unknown-linux-musl; without them it is the program that was built for this machine, with its C library. The ones
// for musl are static.

import { execFileSync } from 'node:child_process';
import { chmodSync, copyFileSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const ROOT = join(import.meta.dirname, '../..');
const CPUS = { x86_64: 'x64', aarch64: 'arm64' };
const SYSTEMS = { linux: 'linux', darwin: 'darwin', windows: 'win32' };

const hostTriple = () => /^host: (.*)$/m.exec(execFileSync('rustc', ['-vV'], { encoding: 'utf8' }))[1];
const [folder, triple = hostTriple(), given] = process.argv.slice(2);
const [architecture, , system, library] = triple.split('-');
const [cpu, os] = [CPUS[architecture], SYSTEMS[system]];
const name = `@ibid/cli-${os}-${cpu}${library === 'musl' ? '-musl' : ''}`;
const { version, license, repository, optionalDependencies } = JSON.parse(
  readFileSync(join(ROOT, 'pkg/package.json'), 'utf8'),
);
if (optionalDependencies[name] !== version) throw new Error(`pkg/package.json has no ${name} of version ${version}`);

const file = os === 'win32' ? 'ibid.exe' : 'ibid';
const made = join(folder, name);
rmSync(made, { recursive: true, force: true });
mkdirSync(join(made, 'bin'), { recursive: true });
copyFileSync(given ?? join(ROOT, 'target/release', file), join(made, 'bin', file));
chmodSync(join(made, 'bin', file), 0o755);
for (const text of ['LICENSE-MIT', 'LICENSE-APACHE', 'models/NOTICE']) {
  copyFileSync(join(ROOT, text), join(made, text.replace('models/', '')));
}
const description = `The program of ibid for ${os} ${cpu}${library === 'musl' ? ' with musl' : ''}.`;
const libc = os === 'linux' && { libc: [library === 'musl' ? 'musl' : 'glibc'] };
const about = {
  name,
  version,
  description,
  license,
  ...(repository && { repository }),
  type: 'commonjs',
  os: [os],
  cpu: [cpu],
  ...libc,
  files: ['bin', 'LICENSE-*', 'NOTICE'],
};
writeFileSync(join(made, 'package.json'), `${JSON.stringify(about, null, 2)}\n`);
writeFileSync(join(made, 'README.md'), `# ${name}\n\n${description} The package \`ibid\` installs and starts it.\n`);
console.log(made);
