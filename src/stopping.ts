// How a process of the services stops: it says so, waits for whoever sends requests to notice, closes, and ends in bounded time.
import { setTimeout as delay } from 'node:timers/promises';
import type { Log } from './platform/log/index.ts';
import { waitAtMost } from './platform/wait-at-most.ts';

/** For everything that is running, from when the ports close. */
const GRACE_MS = 10_000;
/** For what is left then: closing the databases. */
const LAST_MS = 1_000;
/** A terminal signals every process there is, and so does whoever started this one: signals that come together are one. */
const TOGETHER_MS = 1_000;

export interface Stoppable {
  /** Still serves, but is not ready for more. */
  drain(): void;
  stop(graceMs: number): Promise<void>;
}

export async function stopServices(services: readonly Stoppable[], drainSeconds: number): Promise<void> {
  for (const service of services) service.drain();
  await delay(drainSeconds * 1000);
  await waitAtMost(GRACE_MS + LAST_MS, Promise.all(services.map((service) => service.stop(GRACE_MS))));
}

/** How long a process may take in which `stopServices` runs, with some time for the machine. */
export const stopTimeoutMs = (drainSeconds: number): number => drainSeconds * 1000 + GRACE_MS + 2 * LAST_MS;

/** Stops on the first signal; one that comes later does not wait. */
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
