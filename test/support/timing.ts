// Compares how long two kinds of requests take: by the distributions, not by milliseconds, so that the speed of the machine does not matter.
import assert from 'node:assert/strict';
import { randomInt } from 'node:crypto';
import { inFullRun } from './extent.ts';

/**
 * Of each kind. The standard deviation for equal distributions is 0.053 (Mann-Whitney; 0.065 in `npm test`), so that they exceed the limit
 * once in two hundred times (in fifty). Then it is measured again with more samples.
 */
const SAMPLES = inFullRun(60, 40);
const LIMIT = 0.15;
/**
 * The standard deviation is 0.026, so that equal distributions never exceed the limit. Two statements more in SQLite differ by about 0.1,
 * a hash of a password, or a mail that is sent before the answer, by nearly 0.5.
 */
const MORE_SAMPLES = 240;

type Request = () => Promise<unknown>;

const durationOf = async (request: Request): Promise<number> => {
  const from = performance.now();
  await request();
  return performance.now() - from;
};

/** How likely a request of one kind takes longer than one of the other, less a half: 0 if the kinds cannot be told apart. */
export async function differenceOf(one: Request, other: Request, samples = SAMPLES): Promise<number> {
  const [first, second]: [number[], number[]] = [[], []];
  for (const request of [one, other, one, other]) await request();
  for (let i = 0; i < samples; i++) {
    // In random order: each disturbs the one after it.
    const isFirst = randomInt(2) === 0;
    if (isFirst) first.push(await durationOf(one));
    second.push(await durationOf(other));
    if (!isFirst) first.push(await durationOf(one));
  }
  const longer = first.reduce((sum, time) => sum + second.filter((than) => time > than).length, 0);
  return longer / (samples * samples) - 0.5;
}

export async function assertSameTime(what: string, one: Request, other: Request): Promise<void> {
  const difference = await differenceOf(one, other);
  if (Math.abs(difference) < LIMIT) return;
  const again = await differenceOf(one, other, MORE_SAMPLES);
  assert.ok(Math.abs(again) < LIMIT, `${what}: the times differ (${difference.toFixed(2)}, ${again.toFixed(2)})`);
}

export async function assertOtherTime(what: string, one: Request, other: Request): Promise<void> {
  const difference = await differenceOf(one, other);
  assert.ok(Math.abs(difference) > LIMIT, `${what}: the times are the same (${difference.toFixed(2)})`);
}
