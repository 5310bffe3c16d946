// Runs background jobs periodically.
import type { Clock } from '../../platform/clock.ts';
import { withoutTimeLimit } from '../../platform/deadline.ts';
import { CLOCK_WAITS, type Job, repeat, watchClock } from '../../platform/jobs/index.ts';
import type { Log } from '../../platform/log/index.ts';

const EVERY_MS = 30_000;

/** With a clock: not while it is wrong. */
export function startSweeper(log: Log, jobs: () => Promise<Readonly<Record<string, number>>>, clock?: Clock): Job {
  const watch = clock && watchClock(clock, (seconds) => log.warn({ seconds }, CLOCK_WAITS));
  async function sweep(): Promise<void> {
    const done = await jobs();
    if (Object.values(done).some((count) => count > 0)) log.info(done, 'wallet swept');
  }
  return repeat({
    everyMs: EVERY_MS,
    run: async () => {
      if (watch?.isSteady() ?? true) await withoutTimeLimit(sweep);
    },
    log,
    failure: 'sweep failed; it will be tried again',
  });
}
