// Writes what a crate's program is made of to standard output, as CycloneDX 1.5.
//
//   node sbom.mjs CRATE TRIPLE
//
// The crates are those that CRATE links for that target: neither tests nor what runs while it is compiled.

import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

const ROOT = join(import.meta.dirname, '../..');
const [crate, triple] = process.argv.slice(2);
const cargo = (...args) => execFileSync('cargo', args, { cwd: ROOT, encoding: 'utf8', maxBuffer: 1 << 28 });
const reference = ({ name, version }) => `pkg:cargo/${name}@${version}`;

// The tree knows which features the crate itself asks for, the metadata all the rest.
const options = ['--locked', '-p', crate, '--target', triple, '--edges', 'normal,no-proc-macro', '--prefix', 'none'];
const tree = cargo('tree', ...options).matchAll(/^(\S+) v(\S+)/gm);
const reached = new Set([...tree].map(([, name, version]) => reference({ name, version })));
const { packages, resolve } = JSON.parse(cargo('metadata', '--locked', '--format-version', '1'));
const parts = packages.filter((each) => reached.has(reference(each))).sort((a, b) => (a.id < b.id ? -1 : 1));
const root = parts.find(({ name }) => name === crate);
const nodes = new Map(resolve.nodes.map(({ id, deps }) => [id, deps]));
const named = new Map(parts.map((each) => [each.id, reference(each)]));
const linked = ({ id }) =>
  nodes
    .get(id)
    .filter(({ pkg, dep_kinds: kinds }) => named.has(pkg) && kinds.some(({ kind }) => kind === null))
    .map(({ pkg }) => named.get(pkg));

const lock = readFileSync(join(ROOT, 'Cargo.lock'), 'utf8');
const entries = lock.matchAll(/^name = "(.*)"\nversion = "(.*)"\nsource = .*\nchecksum = "(.*)"$/gm);
const checksums = new Map([...entries].map(([, name, version, sum]) => [reference({ name, version }), sum]));

const component = (each) => {
  const { name, version, description, license, repository, source } = each;
  const checksum = source && checksums.get(reference(each));
  return {
    type: each === root ? 'application' : 'library',
    'bom-ref': reference(each),
    name,
    version,
    ...(description && { description: description.trim() }),
    ...(checksum && { hashes: [{ alg: 'SHA-256', content: checksum }] }),
    ...(license && { licenses: [{ expression: license.replaceAll('/', ' OR ') }] }),
    // Only crates of the registry have an address there.
    ...(source && { purl: reference(each) }),
    ...(repository && { externalReferences: [{ type: 'vcs', url: repository }] }),
  };
};
const bom = {
  bomFormat: 'CycloneDX',
  specVersion: '1.5',
  version: 1,
  metadata: { component: component(root) },
  components: parts.filter((each) => each !== root).map(component),
  dependencies: parts.map((each) => ({ ref: reference(each), dependsOn: linked(each) })),
};
console.log(JSON.stringify(bom, null, 2));
