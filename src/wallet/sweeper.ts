// Runs the jobs nobody waits for, now and then.
import { patiently } from '../platform/database/index.ts';
import type { Log } from '../platform/log/index.ts';

const EVERY_MS = 30_000;

export function startSweeper(log: Log, jobs: () => Promise<Readonly<Record<string, number>>>): { stop(): Promise<void> } {
  let running: Promise<void> = Promise.resolve();
  async function sweep(): Promise<void> {
    try {
      const done = await jobs();
      if (Object.values(done).some((count) => count > 0)) log.info(done, 'wallet swept');
    } catch (error) {
      log.warn({ err: error }, 'sweep failed; it will be tried again');
    }
  }
  const timer = setInterval(() => {
    running = running.then(() => patiently(sweep));
  }, EVERY_MS);
  timer.unref();
  return {
    async stop() {
      clearInterval(timer);
      await running;
    },
  };
}
