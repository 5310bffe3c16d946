// What one replica must say within a second of a change at another, without tests that fail on a slow machine.
import assert from 'node:assert/strict';

/** A second on an idle machine; more on a busy one. */
const LIMIT_MS = 20_000;

/** Repeats a request until it has the expected answer, and returns how many milliseconds that took; fails after a time limit. */
export async function soon(expected: unknown, ask: () => Promise<unknown>, started = performance.now()): Promise<number> {
  let answer: unknown;
  do {
    answer = await ask();
    if (JSON.stringify(answer) === JSON.stringify(expected)) return performance.now() - started;
  } while (performance.now() - started < LIMIT_MS);
  assert.deepEqual(answer, expected, `after ${LIMIT_MS} ms`);
  return assert.fail('the answer is not what was expected');
}
