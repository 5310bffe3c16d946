// What another request does in the middle of one: at a named point, between a check and its repetition in a transaction.
import assert from 'node:assert/strict';
import { actAt, type TestPoint } from '../../src/identity/ground/test-points.ts';

/** Runs `request`, and once in it, when it reaches the point, `act`. Fails if it does not get there, or `act` fails. */
export async function whenAt<T>(point: TestPoint, act: () => Promise<unknown>, request: () => Promise<T>): Promise<T> {
  let acted: PromiseSettledResult<unknown> | undefined;
  const takeBack = actAt(point, async () => {
    [acted] = await Promise.allSettled([act()]);
  });
  const [answer] = await Promise.allSettled([request()]);
  takeBack();
  // First, so that a refusal for another reason does not pass for the one that is tested.
  assert.ok(acted, `the request did not reach ${point}`);
  if (acted.status === 'rejected') throw acted.reason;
  if (answer.status === 'rejected') throw answer.reason;
  return answer.value;
}
