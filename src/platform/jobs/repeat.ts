// Repeats work at an interval. Runs never overlap: a slow run must not build up a queue.
import type { Log } from '../log/index.ts';

export interface RepeatOptions {
  /** From the start of one run to the start of the next. While a run takes longer, no other starts. */
  readonly everyMs: number;
  /** Work with many parts should check the signal between them. */
  run(stopping: AbortSignal): Promise<void>;
  readonly log: Pick<Log, 'warn'>;
  /** The log message of a failed run. */
  readonly failure: string;
  /** For frequent work: of consecutive failures only the first is logged. */
  readonly logsOnce?: boolean;
}

export interface Job {
  /** Seconds since the last successful run, or since the start. */
  lagSeconds(): number;
  /** Resolves when the current run has ended. No other starts. */
  stop(): Promise<void>;
}

export function repeat({ everyMs, run, log, failure, logsOnce = false }: RepeatOptions): Job {
  const stopping = new AbortController();
  let running: Promise<void> | undefined;
  let isFailing = false;
  let lastSuccess = performance.now();

  async function runOnce(): Promise<void> {
    try {
      await run(stopping.signal);
      isFailing = false;
      lastSuccess = performance.now();
    } catch (error) {
      if (!(logsOnce && isFailing)) log.warn({ err: error }, failure);
      isFailing = true;
    }
  }

  const timer = setInterval(() => {
    running ??= runOnce().finally(() => {
      running = undefined;
    });
  }, everyMs);
  timer.unref();

  return {
    lagSeconds: () => (performance.now() - lastSuccess) / 1000,
    async stop() {
      clearInterval(timer);
      stopping.abort();
      await running;
    },
  };
}
