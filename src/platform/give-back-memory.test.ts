import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { giveBackWhenIdle } from './give-back-memory.ts';

const MB = 1024 * 1024;

/** A process that is as busy, and holds as much, as is said. */
function processOf(context: TestContext) {
  context.mock.timers.enable({ apis: ['setInterval'] });
  const state = { utilization: 0.9, resident: 200 * MB, given: 0 };
  giveBackWhenIdle({
    utilization: () => state.utilization,
    resident: () => state.resident,
    async giveBack() {
      state.given++;
      state.resident = 100 * MB;
    },
  });
  return {
    /** How often memory was given back after so much time. */
    async after(seconds: number, { utilization = 0.01, resident = state.resident }): Promise<number> {
      Object.assign(state, { utilization, resident });
      context.mock.timers.tick(seconds * 1000);
      for (let turn = 0; turn < 5; turn++) await Promise.resolve();
      return state.given;
    },
  };
}

test('gives memory back once after the start, in the first second with nothing to do', async (context) => {
  const process = processOf(context);
  assert.equal(await process.after(1, { utilization: 0.9 }), 0);
  assert.equal(await process.after(1, { utilization: 0.06 }), 0);
  assert.equal(await process.after(1, {}), 1);
  for (let second = 0; second < 10; second++) assert.equal(await process.after(1, {}), 1);
});

test('gives memory back after load, in the first minute with nothing to do, and not often', async (context) => {
  const process = processOf(context);
  assert.equal(await process.after(1, {}), 1);
  assert.equal(await process.after(60, { resident: 120 * MB }), 1, 'it has grown little');
  assert.equal(await process.after(60, { resident: 400 * MB, utilization: 0.5 }), 1, 'it is busy');
  assert.equal(await process.after(60, {}), 2);
  for (let minute = 0; minute < 4; minute++) assert.equal(await process.after(60, { resident: 400 * MB }), 2, 'it just did');
  assert.equal(await process.after(60, {}), 3);
});
