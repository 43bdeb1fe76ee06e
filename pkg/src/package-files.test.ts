import assert from 'node:assert/strict';
import { afterEach, test } from 'node:test';
import { trusted } from './build/worker-client.js';
import { ownWorker } from './package-files.js';

const globals = globalThis as Record<string, unknown>;
const before = { ...globals };

afterEach(() => {
  for (const name of ['Worker', 'location', 'trustedTypes']) globals[name] = before[name];
});

/** A page that starts a worker by a trusted address alone, and allows policies of these names. */
function enforce(names: readonly string[]): void {
  class Trusted {
    readonly address: string;
    constructor(address: string) {
      this.address = address;
    }
  }
  const location = { origin: new URL(import.meta.url).origin };
  const Worker = class {
    readonly started: unknown;
    constructor(address: unknown) {
      if (!(address instanceof Trusted)) throw new TypeError("This document requires 'TrustedScriptURL' assignment.");
      this.started = address.address;
    }
  };
  const trustedTypes = {
    createPolicy(name: string, rules: { createScriptURL(address: string): string }) {
      if (!names.includes(name)) throw new TypeError(`Policy ${name} disallowed.`);
      return { createScriptURL: (address: string) => new Trusted(rules.createScriptURL(address)) };
    },
  };
  Object.assign(globals, { location, Worker, trustedTypes });
}

test('a page with Trusted Types that forbids the policy gets no worker', () => {
  enforce([]);
  assert.throws(() => ownWorker(trusted), /disallowed/);
});

test('a page with Trusted Types starts the worker by the policy `ibid`', () => {
  enforce(['ibid']);
  const { started } = ownWorker(trusted) as unknown as { started: string };
  assert.match(started, /worker\.js$/);
});
