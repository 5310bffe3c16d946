// Work that is done again and again, one round at a time: whoever is slow must not leave a queue of them.
import type { Log } from '../../platform/log/index.ts';

const EVERY_MS = 1_000;

export function createRounds(log: Log, round: () => Promise<void>) {
  let timer: NodeJS.Timeout | undefined;
  let running: Promise<void> | undefined;
  let stopped = false;
  let failing = false;

  return {
    isStopped: (): boolean => stopped,
    start(): void {
      timer = setInterval(() => {
        running ??= round()
          .then(
            () => {
              failing = false;
            },
            (error: unknown) => {
              // Once, not every second of an outage.
              if (!failing) log.warn({ err: error }, 'notifications could not be sent; they will be tried again');
              failing = true;
            },
          )
          .finally(() => {
            running = undefined;
          });
      }, EVERY_MS);
      timer.unref();
    },
    async stop(): Promise<void> {
      clearInterval(timer);
      stopped = true;
      await running;
    },
  };
}
