// Waits for work, but only for a limited time.
import { setTimeout as delay } from 'node:timers/promises';

/** Resolves when the work is done, at the latest after this time. The work itself continues. */
export async function waitAtMost(milliseconds: number, work: Promise<unknown>): Promise<void> {
  await Promise.race([work, delay(milliseconds, undefined, { ref: false })]);
}
