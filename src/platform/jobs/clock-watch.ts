// Notices that the system clock was set. What has expired by a clock that was set forward must not be deleted at once: if the clock is set back,
// a revoked token or a used link would work again, and accounts would be gone before their time.
import type { Clock } from '../clock.ts';

/** Smaller differences are corrections, or a pause of the machine. */
const STEP_MS = 60_000;
/** Time for an operator, or the network time service, to set it right. */
const WAIT_MS = 3_600_000;

export interface ClockWatch {
  /** False for an hour after the clock was set forward, unless it is set back. Asked regularly: it compares with the time before. */
  isSteady(): boolean;
  /**
   * Does the work once, an hour after the start and each time after the clock was set: for what must not be done by a clock that is behind for
   * a while. If it fails, it is done the next time.
   */
  onceSettled(work: () => Promise<unknown>): Promise<void>;
}

export function watchClock(
  clock: Clock,
  onStep: (seconds: number) => void,
  elapsed: () => number = () => performance.now(),
): ClockWatch {
  let last = { wall: clock.now(), elapsed: elapsed() };
  let waitsUntil = Number.NEGATIVE_INFINITY;
  let settlesAt: number | undefined = last.elapsed + WAIT_MS;
  return {
    isSteady() {
      const now = { wall: clock.now(), elapsed: elapsed() };
      const stepMs = now.wall - last.wall - (now.elapsed - last.elapsed);
      last = now;
      if (Math.abs(stepMs) > STEP_MS) settlesAt = now.elapsed + WAIT_MS;
      if (stepMs > STEP_MS) {
        waitsUntil = now.elapsed + WAIT_MS;
        onStep(Math.round(stepMs / 1000));
      } else if (stepMs < -STEP_MS) waitsUntil = Number.NEGATIVE_INFINITY;
      return now.elapsed >= waitsUntil;
    },
    async onceSettled(work) {
      const due = settlesAt;
      if (due === undefined || last.elapsed < due) return;
      await work();
      // It may have been set meanwhile.
      if (settlesAt === due) settlesAt = undefined;
    },
  };
}

export const CLOCK_WAITS = 'the clock was set forward; what has expired is deleted in an hour, unless it is set back';
