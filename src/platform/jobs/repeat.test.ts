import assert from 'node:assert/strict';
import { afterEach, beforeEach, describe, it, mock } from 'node:test';
import { repeat } from './repeat.ts';

const EVERY_MS = 1000;

/** Runs that end when the test says so. */
function rounds() {
  const open: { end(): void; fail(error: Error): void }[] = [];
  let begun = 0;
  const run = (): Promise<void> =>
    new Promise((resolve, reject) => {
      begun++;
      open.push({ end: resolve, fail: reject });
    });
  const settle = () => new Promise((resolve) => setImmediate(resolve));
  return {
    run,
    begun: () => begun,
    async end() {
      open.shift()!.end();
      await settle();
    },
    async fail(text: string) {
      open.shift()!.fail(new Error(text));
      await settle();
    },
  };
}

describe('A repeated job', () => {
  const said: unknown[] = [];
  const log = { warn: ({ err }: { err: Error }, text: string) => void said.push([err.message, text]) } as never;
  const failure = 'it failed';
  const tick = (times = 1): void => {
    for (let i = 0; i < times; i++) mock.timers.tick(EVERY_MS);
  };

  beforeEach(() => {
    said.length = 0;
    mock.timers.enable({ apis: ['setInterval'] });
  });
  afterEach(() => mock.timers.reset());

  it('begins after the first wait, and again after each', async () => {
    const work = rounds();
    const job = repeat({ everyMs: EVERY_MS, run: work.run, log, failure });
    assert.equal(work.begun(), 0);
    tick();
    assert.equal(work.begun(), 1);
    await work.end();
    tick();
    assert.equal(work.begun(), 2);
    await work.end();
    await job.stop();
    tick(3);
    assert.equal(work.begun(), 2);
  });

  it('runs one at a time, and does not catch up on runs that a slow one missed', async () => {
    const work = rounds();
    const job = repeat({ everyMs: EVERY_MS, run: work.run, log, failure });
    tick(5);
    assert.equal(work.begun(), 1);
    await work.end();
    assert.equal(work.begun(), 1);
    tick();
    assert.equal(work.begun(), 2);
    await work.end();
    await job.stop();
  });

  it('stops when the current run has ended, which gets an abort signal', async () => {
    const work = rounds();
    let heard: AbortSignal | undefined;
    const job = repeat({
      everyMs: EVERY_MS,
      run(stopping) {
        heard = stopping;
        return work.run();
      },
      log,
      failure,
    });
    tick();
    assert.equal(heard?.aborted, false);
    let stopped = false;
    const stop = job.stop().then(() => {
      stopped = true;
    });
    await new Promise((resolve) => setImmediate(resolve));
    assert.deepEqual([stopped, heard?.aborted], [false, true]);
    await work.end();
    await stop;
    await job.stop();
  });

  it('continues after a failed run, which is logged, also if it throws synchronously', async () => {
    const work = rounds();
    let throws = false;
    const job = repeat({
      everyMs: EVERY_MS,
      run() {
        if (throws) throw new Error('at once');
        return work.run();
      },
      log,
      failure,
    });
    tick();
    await work.fail('one');
    tick();
    await work.fail('two');
    throws = true;
    tick();
    await new Promise((resolve) => setImmediate(resolve));
    assert.deepEqual(said, [
      ['one', failure],
      ['two', failure],
      ['at once', failure],
    ]);
    throws = false;
    tick();
    assert.equal(work.begun(), 3);
    const stop = job.stop();
    await work.fail('the last');
    await stop;
  });

  it('logs only the first of consecutive failures, if it is frequent', async () => {
    const work = rounds();
    const job = repeat({ everyMs: EVERY_MS, run: work.run, log, failure, logsOnce: true });
    for (const result of ['one', 'two', undefined, 'three', 'four']) {
      tick();
      await (result ? work.fail(result) : work.end());
    }
    assert.deepEqual(said, [
      ['one', failure],
      ['three', failure],
    ]);
    await job.stop();
  });

  it('knows when a run last succeeded', async (context) => {
    let now = 0;
    context.mock.method(performance, 'now', () => now);
    const work = rounds();
    const job = repeat({ everyMs: EVERY_MS, run: work.run, log, failure });
    now = 4000;
    assert.equal(job.lagSeconds(), 4);
    tick();
    await work.fail('no');
    assert.equal(job.lagSeconds(), 4);
    tick();
    now = 6000;
    await work.end();
    now = 6500;
    assert.equal(job.lagSeconds(), 0.5);
    await job.stop();
  });
});

it('does not keep a process alive', () => {
  const unref = mock.fn();
  mock.method(globalThis, 'setInterval', () => ({ unref }) as never);
  repeat({ everyMs: EVERY_MS, run: async () => {}, log: {} as never, failure: '' });
  mock.restoreAll();
  assert.equal(unref.mock.callCount(), 1);
});
