// Runs background jobs periodically.
import { withoutTimeLimit } from '../../platform/database/index.ts';
import { type Job, repeat } from '../../platform/jobs/index.ts';
import type { Log } from '../../platform/log/index.ts';

const EVERY_MS = 30_000;

export function startSweeper(log: Log, jobs: () => Promise<Readonly<Record<string, number>>>): Job {
  async function sweep(): Promise<void> {
    const done = await jobs();
    if (Object.values(done).some((count) => count > 0)) log.info(done, 'wallet swept');
  }
  return repeat({
    everyMs: EVERY_MS,
    run: () => withoutTimeLimit(sweep),
    log,
    failure: 'sweep failed; it will be tried again',
  });
}
