// Shutdown of a process: it reports that it is not ready, gives load balancers time to notice, closes, and exits within a time limit.
import { setTimeout as delay } from 'node:timers/promises';
import type { Log } from './platform/log/index.ts';
import { waitAtMost } from './platform/wait-at-most.ts';

/** Time for running requests after the ports are closed. */
const GRACE_MS = 10_000;
/** Time for the rest: closing the databases. */
const LAST_MS = 1_000;
/** A terminal signals every process, and so does the parent process. Signals within this time count as one. */
const TOGETHER_MS = 1_000;

export interface Stoppable {
  /** Still serves, but reports that it is not ready. */
  drain(): void;
  stop(graceMs: number): Promise<void>;
}

export async function stopServices(services: readonly Stoppable[], drainSeconds: number): Promise<void> {
  for (const service of services) service.drain();
  await delay(drainSeconds * 1000);
  await waitAtMost(GRACE_MS + LAST_MS, Promise.all(services.map((service) => service.stop(GRACE_MS))));
}

/** How long a process that runs `stopServices` may take, with some margin. */
export const stopTimeoutMs = (drainSeconds: number): number => drainSeconds * 1000 + GRACE_MS + 2 * LAST_MS;

/** Stops gracefully on the first signal. A later one exits immediately. */
export function onSignal(log: Log, stop: () => Promise<void>): void {
  let since: number | undefined;
  for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const) {
    process.on(signal, () => {
      if (since !== undefined) {
        if (performance.now() - since > TOGETHER_MS) process.exit(1);
        return;
      }
      since = performance.now();
      log.info({ signal }, 'stopping');
      stop().then(
        () => process.exit(0),
        (error) => {
          log.error({ err: error }, 'did not stop cleanly');
          process.exit(1);
        },
      );
    });
  }
}
