import assert from 'node:assert/strict';
import test from 'node:test';
import { openVersion } from './version.js';

const values = (...versions: string[]) => versions.map((value) => ({ value, count: 9 }));

test('a page belongs to the version in its address, else to the one that a site leads to', () => {
  const docusaurus = values('current', '1.0', 'next');
  assert.equal(openVersion(docusaurus, '/docs/1.0/intro'), '1.0');
  assert.equal(openVersion(docusaurus, '/docs/next/'), 'next');
  assert.equal(openVersion(docusaurus, '/docs/1.0.1/intro'), 'current');
  assert.equal(openVersion(values('v2.0', 'latest', 'stable'), '/en/'), 'stable');
  assert.equal(openVersion(values('1.9', '1.10', 'dev'), '/latest/brewing/'), '1.10');
  assert.equal(openVersion(values('dev', 'next'), '/'), undefined);
});
