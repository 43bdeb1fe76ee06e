import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Answer, AskEvent } from './ask/answer-types.js';
import { AskRun } from './ask-run.js';
import { IbidError } from './error.js';
import { ANSWER, coreError, DONE, TEXT, TURN, turnOfTheLoop } from './test-support.js';

async function collect(run: AskRun): Promise<AskEvent[]> {
  const events: AskEvent[] = [];
  for await (const event of run) events.push(event);
  return events;
}

function scripted(): AskRun {
  return new AskRun(async (emit) => {
    emit(TURN);
    await turnOfTheLoop();
    emit(TEXT);
    await turnOfTheLoop();
    emit(DONE);
    return ANSWER;
  });
}

const never = () => new Promise<Answer>(() => {});

test('an awaited run gives its answer', async () => {
  assert.equal(await scripted(), ANSWER);
});

test('an iterated run gives its events in order and ends', async () => {
  assert.deepEqual(await collect(scripted()), [TURN, TEXT, DONE]);
});

test('the text alone is a stream of its own, which ends the run where it is left', async () => {
  const texts: string[] = [];
  for await (const text of scripted().textStream) texts.push(text);
  assert.deepEqual(texts, ['Yes [1].']);
  const again = new AskRun(async (emit) => {
    emit(TEXT);
    emit({ type: 'text', delta: 'Anew.', restart: true });
    emit(DONE);
    return ANSWER;
  });
  const pieces: string[] = [];
  for await (const text of again.textStream) pieces.push(text);
  assert.deepEqual(pieces, ['Yes [1].', '\n\nAnew.']);
  const left = new AskRun(async (emit) => {
    emit(TEXT);
    return await never();
  });
  for await (const _ of left.textStream) break;
  await assert.rejects(Promise.resolve(left), { code: 'aborted' });
});

test('a late iteration and a second one miss no event', async () => {
  const run = scripted();
  await run;
  assert.deepEqual(await collect(run), [TURN, TEXT, DONE]);
  assert.deepEqual(await collect(run), [TURN, TEXT, DONE]);
});

test('a failure comes after the events before it, as an IbidError, both ways', async () => {
  const run = new AskRun(async (emit) => {
    emit(TURN);
    throw coreError('provider-rate-limit', 'Too many.', 'Wait.', true);
  });
  const seen: AskEvent[] = [];
  const matches = { name: 'IbidError', code: 'provider-rate-limit', hint: 'Wait.', retryable: true };
  await assert.rejects(async () => {
    for await (const event of run) seen.push(event);
  }, matches);
  assert.deepEqual(seen, [TURN]);
  await assert.rejects(Promise.resolve(run), matches);
});

test('a failing run that nobody awaits is no unhandled rejection', async () => {
  const unhandled: unknown[] = [];
  const listener = (reason: unknown) => unhandled.push(reason);
  process.on('unhandledRejection', listener);
  try {
    new AskRun(async () => {
      throw new Error('nobody looks');
    });
    const iterated = new AskRun(async () => {
      throw new Error('only iterated');
    });
    await collect(iterated).catch(() => {});
    await turnOfTheLoop();
    await turnOfTheLoop();
    assert.deepEqual(unhandled, []);
  } finally {
    process.off('unhandledRejection', listener);
  }
});

test('whatever is thrown, and whenever, the run and its iterations end with an error', async () => {
  const unreadable = Object.defineProperty({}, 'code', {
    get() {
      throw new Error('no');
    },
  });
  for (const thrown of [new Error('x'), undefined, Object.create(null), unreadable, Symbol('s')]) {
    const starts = [
      () => {
        throw thrown;
      },
      async () => {
        throw thrown;
      },
    ];
    for (const start of starts) {
      const run = new AskRun(start);
      await assert.rejects(collect(run), { name: 'IbidError', code: 'internal' });
      await assert.rejects(Promise.resolve(run), { name: 'IbidError', code: 'internal' });
      assert.equal(run.settled, true);
    }
  }
});

test('breaking out of the iteration aborts', async () => {
  let inner: AbortSignal | undefined;
  const run = new AskRun((emit, signal) => {
    inner = signal;
    emit(TURN);
    return never();
  });
  for await (const event of run) {
    assert.equal(event, TURN);
    break;
  }
  assert.equal(inner?.aborted, true);
  await assert.rejects(Promise.resolve(run), { code: 'aborted' });
});

test('breaking out at the answer does not turn success into failure', async () => {
  const run = new AskRun(async (emit) => {
    emit(DONE);
    return await never();
  });
  for await (const event of run) if (event.type === 'answer') break;
  assert.equal(await run, ANSWER);
});

test('an iterator that is waiting for an event can be left', async () => {
  const iterator = new AskRun(never)[Symbol.asyncIterator]();
  const pending = iterator.next();
  await iterator.return?.();
  assert.deepEqual(await pending, { done: true, value: undefined });
});

test('abort settles at once even where the work ignores it', async () => {
  const run = new AskRun(never);
  run.abort();
  await assert.rejects(Promise.resolve(run), { code: 'aborted', retryable: false });
  await assert.rejects(collect(run), { code: 'aborted' });
});

test('an outer signal aborts, before the start and during the run', async () => {
  let started = false;
  const before = new AskRun(() => {
    started = true;
    return never();
  }, [AbortSignal.abort()]);
  await assert.rejects(Promise.resolve(before), { code: 'aborted' });
  assert.equal(started, false);

  const outer = new AbortController();
  const during = new AskRun(never, [undefined, outer.signal]);
  outer.abort();
  await assert.rejects(Promise.resolve(during), { code: 'aborted' });
});

test('a timeout says so', async () => {
  await assert.rejects(Promise.resolve(new AskRun(never, [AbortSignal.timeout(1)])), {
    code: 'aborted',
    message: /timed out/,
  });
});

test('nothing is added after the end', async () => {
  let late: (event: AskEvent) => void = () => {};
  const run = new AskRun(async (emit) => {
    late = emit;
    emit(DONE);
    return ANSWER;
  });
  await run;
  late(TEXT);
  assert.deepEqual(await collect(run), [DONE]);
});

test('catch and finally work as on a promise', async () => {
  const failing = new AskRun(async () => {
    throw new Error('x');
  });
  assert.equal(await failing.catch((error) => error instanceof IbidError && error.code), 'internal');
  let ran = false;
  await scripted().finally(() => {
    ran = true;
  });
  assert.equal(ran, true);
});
