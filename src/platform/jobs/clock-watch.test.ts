import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { watchClock } from './clock-watch.ts';

const MINUTE = 60_000;
const DAY = 86_400_000;

describe('A watched clock', () => {
  function start() {
    const time = { wall: 1_700_000_000_000, elapsed: 0 };
    const steps: number[] = [];
    const watch = watchClock(
      { now: () => time.wall },
      (seconds) => void steps.push(seconds),
      () => time.elapsed,
    );
    return {
      steps,
      /** Time passes, and the clock is set forward or back by the step. */
      after(milliseconds: number, step = 0): boolean {
        time.elapsed += milliseconds;
        time.wall += milliseconds + step;
        return watch.isSteady();
      },
      async settles(work = async () => {}): Promise<boolean> {
        let isDone = false;
        await watch.onceSettled(async () => {
          isDone = true;
          await work();
        });
        return isDone;
      },
    };
  }

  it('is steady as time passes, also after small corrections and long pauses', () => {
    const { after, steps } = start();
    for (const [passed, step] of [[MINUTE], [DAY], [MINUTE, 5_000], [MINUTE, -5_000], [10 * DAY]] as const)
      assert.equal(after(passed, step), true);
    assert.deepEqual(steps, []);
  });

  it('is not for an hour after it was set forward', () => {
    const { after, steps } = start();
    assert.equal(after(MINUTE, 10 * DAY), false);
    for (let minute = 1; minute < 60; minute++) assert.equal(after(MINUTE), false);
    assert.equal(after(MINUTE), true);
    assert.deepEqual(steps, [864_000]);
  });

  it('is again when it is set back', () => {
    const { after } = start();
    assert.equal(after(MINUTE, 10 * DAY), false);
    assert.equal(after(MINUTE, -10 * DAY), true);
    assert.equal(after(MINUTE, -DAY), true);
    assert.equal(after(MINUTE, DAY), false);
  });

  it('settles once, an hour after the start and after it was set in either direction', async () => {
    const { after, settles } = start();
    const HOUR = 60 * MINUTE;
    assert.equal(await settles(), false, 'it may be wrong at the start');
    for (const step of [0, -10 * DAY, 10 * DAY]) {
      after(MINUTE, step);
      assert.equal(await settles(), false);
      after(HOUR);
      assert.deepEqual([await settles(), await settles()], [true, false]);
      after(DAY);
      assert.equal(await settles(), false);
    }
    after(MINUTE, -DAY);
    after(HOUR);
    const broken = async () => assert.fail('no database');
    await assert.rejects(settles(broken));
    assert.equal(await settles(), true, 'what failed is done again');
  });
});
