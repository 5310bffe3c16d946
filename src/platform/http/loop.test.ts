import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { LoopWatch } from './loop.ts';

/** The state after turns of the loop with these durations. */
function after(...turnsInSeconds: number[]): boolean {
  const watch = new LoopWatch(0);
  let now = 0;
  for (const seconds of turnsInSeconds) {
    now += seconds * 1000;
    watch.tick(now);
  }
  return watch.isStuck;
}

describe('The event loop', () => {
  it('is not called stuck when the service is merely busy', () => {
    assert.equal(after(), false);
    assert.equal(after(0.5, 0.5, 3, 7, 12, 9, 25, 20, 15, 8), false);
  });

  it('is not called stuck after one long pause: a machine that slept, a single hard piece of work', () => {
    assert.equal(after(0.5, 3600), false);
    assert.equal(after(0.5, 3600, 0.5, 3600, 0.5), false);
  });

  it('is called stuck only while consecutive turns take longer than clients wait', () => {
    assert.equal(after(0.5, 40, 40), true);
    assert.equal(after(0.5, 40, 40, 31), true);
    assert.equal(after(0.5, 40, 40, 0.5), false);
  });
});
