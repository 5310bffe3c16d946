// How long a request may wait, whatever it waits for.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import {
  currentDeadline,
  Deadline,
  notCounted,
  OutOfTime,
  untilDeadline,
  withDeadline,
  withoutTimeLimit,
  withShorterDeadline,
} from './deadline.ts';

/** Much longer than the waits of these tests. */
const LONG = 1_000_000;
const left = (): number => currentDeadline()!.left();

describe('The deadline of a request', () => {
  it('counts from the arrival, whatever the request waits for', async () => {
    await withDeadline(async () => {
      await sleep(50);
      assert.ok(LONG - left() > 20, `${left()}`);
    }, LONG);
  });

  it('counts less of the time in which the process itself was busy, and not none of it', async () => {
    await sleep(1);
    await withDeadline(async () => {
      const began = performance.now();
      while (performance.now() < began + 200);
      const counted = LONG - left();
      assert.ok(counted > 40 && counted < 0.6 * (performance.now() - began), `${counted}`);
    }, LONG);
  });

  it('refuses after its end, and tells those who wait for something at that moment', async () => {
    const asked: string[] = [];
    await withDeadline(async () => {
      await assert.rejects(
        untilDeadline(new Promise(() => {}), () => asked.push('late')),
        OutOfTime,
      );
      assert.throws(left, OutOfTime);
    }, 30);
    assert.deepEqual(asked, ['late']);
  });

  it('lets an answer through that comes in time, and its failure', async () => {
    await withDeadline(async () => {
      assert.equal(await untilDeadline(sleep(1, 'in time')), 'in time');
      await assert.rejects(untilDeadline(Promise.reject(new Error('failed in time'))), /failed in time/);
    }, LONG);
    assert.equal(await untilDeadline(sleep(1, 'no deadline')), 'no deadline');
  });

  it('does not count what others decide, and concurrent parts of that only once', async () => {
    await withDeadline(async () => {
      const [before, began] = [left(), performance.now()];
      await notCounted(() => Promise.all([notCounted(() => sleep(60)), notCounted(() => sleep(200))]));
      const counted = before - left();
      assert.ok(counted < performance.now() - began - 60, `${counted}`);
      await assert.rejects(
        notCounted(() => Promise.reject(new Error('away'))),
        /away/,
      );
      assert.throws(
        () =>
          notCounted(() => {
            throw new Error('away at once');
          }),
        /at once/,
      );
      await sleep(30);
      assert.ok(left() < before - counted, 'it counts again afterwards');
    }, LONG);
  });

  it('gives each step of a long operation a time of its own, which the others do not lose', async () => {
    await withDeadline(async () => {
      for (let step = 0; step < 3; step++) await withDeadline(() => sleep(400), LONG);
      await withoutTimeLimit(() => sleep(400));
      assert.ok(left() > 0);
    }, 1000);
  });

  it('lets a part end sooner than the whole, and never later', async () => {
    await withDeadline(async () => {
      await withShorterDeadline(async () => {
        await assert.rejects(untilDeadline(new Promise(() => {})), OutOfTime);
      }, 30);
      assert.ok(left() > 0, 'the rest has time');
      withShorterDeadline(() => assert.ok(left() <= 1000), LONG);
    }, 1000);
  });

  it('ends with the answer: what a request leaves behind is background work', async () => {
    const behind: Deadline[] = [];
    await withDeadline(async () => behind.push(currentDeadline()!), 10);
    const refused = withDeadline(async () => {
      behind.push(currentDeadline()!);
      throw new Error('refused');
    }, 10);
    await assert.rejects(refused, /refused/);
    await sleep(50);
    for (const one of behind) assert.equal(one.left(), Number.POSITIVE_INFINITY);
  });

  it('is none for jobs', () => {
    assert.equal(currentDeadline(), undefined);
    withDeadline(() => assert.equal(currentDeadline()?.isUnlimited, false));
    withoutTimeLimit(() => {
      assert.equal(currentDeadline()?.isUnlimited, true);
      assert.equal(left(), Number.POSITIVE_INFINITY);
    });
    assert.equal(new Deadline(Number.POSITIVE_INFINITY).isOver, false);
  });
});
