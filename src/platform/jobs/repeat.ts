// Work that is done again and again, one round at a time: whoever is slow must not leave a queue of them.
import type { Log } from '../log/index.ts';

export interface RepeatOptions {
  /** From the beginning of one round to that of the next. A round that takes longer is not begun a second time. */
  readonly everyMs: number;
  /** Work that has many parts looks between them whether it is to stop. */
  run(stopping: AbortSignal): Promise<void>;
  readonly log: Pick<Log, 'warn'>;
  /** What the log says of a round that failed. */
  readonly failure: string;
  /** For work that is done often: of failures one after the other only the first is said, not every second of an outage. */
  readonly logsOnce?: boolean;
}

export interface Job {
  /** Since a round last did what it should, or since the beginning. */
  lagSeconds(): number;
  /** Resolves when the round under way has ended; no other begins. */
  stop(): Promise<void>;
}

export function repeat({ everyMs, run, log, failure, logsOnce: saysOnce = false }: RepeatOptions): Job {
  const stopping = new AbortController();
  let running: Promise<void> | undefined;
  let isFailing = false;
  let lastDone = performance.now();

  async function round(): Promise<void> {
    try {
      await run(stopping.signal);
      isFailing = false;
      lastDone = performance.now();
    } catch (error) {
      if (!(saysOnce && isFailing)) log.warn({ err: error }, failure);
      isFailing = true;
    }
  }

  const timer = setInterval(() => {
    running ??= round().finally(() => {
      running = undefined;
    });
  }, everyMs);
  timer.unref();

  return {
    lagSeconds: () => (performance.now() - lastDone) / 1000,
    async stop() {
      clearInterval(timer);
      stopping.abort();
      await running;
    },
  };
}
