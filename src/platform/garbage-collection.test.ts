import assert from 'node:assert/strict';
import { test } from 'node:test';
import { collectWhenIdle } from './garbage-collection.ts';

test('collects once, in the first second with nothing to do', (context) => {
  context.mock.timers.enable({ apis: ['setInterval'] });
  const utilizations = [0.9, 0.06, 0.01, 0.01];
  let collected = 0;
  collectWhenIdle(
    () => {
      collected++;
    },
    () => utilizations.shift()!,
  );
  const seen = [1, 2, 3, 4].map(() => {
    context.mock.timers.tick(1000);
    return collected;
  });
  assert.deepEqual(seen, [0, 0, 1, 1]);
});
