// Waiting that ends: for work, or until its time is over.
import { setTimeout as delay } from 'node:timers/promises';

/** Resolves when the work is done, at the latest after this time; the work goes on. */
export async function waitAtMost(milliseconds: number, work: Promise<unknown>): Promise<void> {
  await Promise.race([work, delay(milliseconds, undefined, { ref: false })]);
}
