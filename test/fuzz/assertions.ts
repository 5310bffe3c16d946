// Assertions on a fuzzing run, with details in the test's output.
import assert from 'node:assert/strict';
import type { TestContext } from 'node:test';
import { reportOf, type Tally } from './fuzz.ts';

/** There are no findings, and no errors in the service's log. */
export function assertClean(context: TestContext, tally: Tally, seed: number, logged: readonly string[]): void {
  context.diagnostic(`seed ${seed}, ${tally.sent} requests`);
  for (const [who, counts] of tally.statuses) {
    const sorted = [...counts].sort(([a], [b]) => a - b);
    context.diagnostic(`${who}: ${sorted.map(([status, count]) => `${count} of ${status}`).join(', ')}`);
  }
  for (const one of tally.slow) context.diagnostic(`over a second: ${one}`);
  assert.equal(tally.findings.length, 0, reportOf(tally, seed));
  const errors = logged.filter((line) => (JSON.parse(line) as { level: unknown }).level === 'error');
  assert.deepEqual(errors, [], `errors in the log; again with FUZZ_SEED=${seed}`);
}

/** If all callers were refused, the run would find nothing. */
export function assertSomeSucceeded({ statuses }: Tally, who: readonly string[], least: number): void {
  for (const one of who) {
    const served = [...(statuses.get(one) ?? [])].filter(([status]) => status < 400).reduce((sum, [, count]) => sum + count, 0);
    assert.ok(served >= least, `${one} was served ${served} times only`);
  }
}
