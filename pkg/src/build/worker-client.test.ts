import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { AddProgress } from '../types.js';
import { WorkerClient } from './worker-client.js';
import type { BuildJob, EmbedJob, FromWorker, ToWorker } from './worker-wire.js';

const NEVER = new AbortController().signal;
const EMBED: EmbedJob = { type: 'embed', texts: ['fever'], task: 'query' };
const BUILD: BuildJob = { type: 'build', documents: [], options: {} };

/** A worker of which the test says what it answers. */
class FakeWorker {
  onmessage: ((event: { data: FromWorker }) => void) | null = null;
  onerror: ((event: { message: string; preventDefault(): void }) => void) | null = null;
  readonly told: ToWorker[] = [];
  ended = false;

  constructor(readonly answer: (message: ToWorker, worker: FakeWorker) => void = () => {}) {
    this.begin();
  }

  begin(): void {
    setTimeout(() => this.say({ type: 'ready' }));
  }

  postMessage(message: ToWorker): void {
    this.told.push(message);
    this.answer(message, this);
  }

  say(data: FromWorker): void {
    this.onmessage?.({ data });
  }

  fail(message: string): void {
    this.onerror?.({ message, preventDefault: () => {} });
  }

  terminate(): void {
    this.ended = true;
  }
}

async function start(worker: FakeWorker): Promise<WorkerClient> {
  const client = await WorkerClient.start(() => worker as unknown as Worker, NEVER);
  assert.ok(client);
  return client;
}

test('answers find their jobs, in whatever order they come', async () => {
  const worker = new FakeWorker();
  const client = await start(worker);
  const progress: AddProgress[] = [];
  const building = client.perform(BUILD, NEVER, [], (step) => progress.push(step));
  const embedding = client.perform(EMBED, NEVER);
  const [first, second] = worker.told.map(({ id }) => id);
  worker.say({ type: 'progress', id: first ?? 0, progress: { phase: 'chunk', done: 1, total: 1 } });
  worker.say({ type: 'done', id: second ?? 0, result: Float32Array.of(1) });
  assert.deepEqual(await embedding, Float32Array.of(1));
  const error = { code: 'invalid-option', message: 'No.', hint: 'Do.', retryable: false } as const;
  worker.say({ type: 'failed', id: first ?? 0, error });
  await assert.rejects(building, { code: 'invalid-option', hint: 'Do.' });
  assert.equal(progress.length, 1);
});

test('a job that is given up is cancelled, and its answer passed over', async () => {
  const worker = new FakeWorker();
  const client = await start(worker);
  const abort = new AbortController();
  const embedding = client.perform(EMBED, abort.signal);
  abort.abort();
  await assert.rejects(embedding, { code: 'aborted' });
  assert.deepEqual(worker.told.at(-1), { type: 'cancel', id: 1 });
  worker.say({ type: 'done', id: 1, result: Float32Array.of(1) });
  assert.equal(client.hasEnded, false);
});

test('a worker that breaks down fails its jobs and all later ones', async () => {
  const worker = new FakeWorker((message, self) => {
    if (message.type === 'embed') self.fail('Out of memory');
  });
  const client = await start(worker);
  await assert.rejects(client.perform(EMBED, NEVER), { code: 'internal', message: /Out of memory/ });
  await assert.rejects(client.perform(EMBED, NEVER), { code: 'internal' });
  assert.equal(client.hasEnded && worker.ended, true);
});

test('a worker that says nothing for 5 s is given up, and the console says so', async (t) => {
  class SilentWorker extends FakeWorker {
    override begin(): void {}
  }
  t.mock.timers.enable({ apis: ['setTimeout'] });
  const warn = t.mock.method(console, 'warn', () => {});
  const silent = new SilentWorker();
  const starting = WorkerClient.start(() => silent as unknown as Worker, NEVER);
  t.mock.timers.tick(4999);
  assert.deepEqual([silent.ended, warn.mock.callCount()], [false, 0]);
  t.mock.timers.tick(1);
  assert.equal(await starting, undefined);
  assert.equal(silent.ended, true);
  const [line, error] = warn.mock.calls[0]?.arguments ?? [];
  assert.match(line, /5 s.*`ibid\/worker`/);
  assert.equal(error.code, 'timeout');
});

test('where no worker can be started there is none', async () => {
  const refused = () => {
    throw new DOMException('Another origin.', 'SecurityError');
  };
  assert.equal(await WorkerClient.start(refused, NEVER), undefined);
  assert.equal(await WorkerClient.start(false, NEVER), undefined);
  const silent = new FakeWorker();
  const starting = WorkerClient.start(() => silent as unknown as Worker, NEVER);
  silent.fail('404');
  assert.equal(await starting, undefined);
});
