// Gives memory back once the start is over.
import { performance } from 'node:perf_hooks';

const LOOK_MS = 1000;
const IDLE = 0.05;

/** How busy the process was since it was last asked, from 0 to 1. */
function createUtilization(): () => number {
  let before = performance.eventLoopUtilization();
  return () => {
    const now = performance.eventLoopUtilization();
    const { utilization } = performance.eventLoopUtilization(now, before);
    before = now;
    return utilization;
  };
}

/** The launcher lets the collector be called; without it there is nothing to call. */
const collectAll = (): void => globalThis.gc?.({ type: 'major', execution: 'sync', flavor: 'last-resort' });

/**
 * Gives back what the start has left behind: more than a third of the memory of a process that has just begun. It takes some 60 ms, and so
 * waits for the first second in which there is nothing else to do.
 */
export function collectWhenIdle(collect = collectAll, utilization = createUtilization()): void {
  const timer = setInterval(() => {
    if (utilization() > IDLE) return;
    clearInterval(timer);
    collect();
  }, LOOK_MS).unref();
}
