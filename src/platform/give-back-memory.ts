// Gives memory that is no longer used back to the system: once after the start, and after load.
import { performance } from 'node:perf_hooks';
import { loadKoffi } from './koffi.ts';

/** The start is over with the first idle second. */
const LOOK_MS = 1000;
/** Load is over with an idle minute. */
const LATER_LOOK_MS = 60_000;
const IDLE = 0.05;
/** A process that always has a little to do fills the space for new objects, which is twice 32 MB, again and again. */
const REST_MS = 5 * LATER_LOOK_MS;
const GREW_BYTES = 32 * 1024 * 1024;

/** What is looked at, and done. */
export interface MemoryOfProcess {
  /** How busy the process was since the last call, from 0 to 1. */
  utilization(): number;
  /** In bytes. */
  resident(): number;
  giveBack(): Promise<void>;
}

function utilizationSince(): () => number {
  let before = performance.eventLoopUtilization();
  return () => {
    const now = performance.eventLoopUtilization();
    const { utilization } = performance.eventLoopUtilization(now, before);
    before = now;
    return utilization;
  };
}

/** The allocator of the C library keeps what is freed between two blocks that are in use: 30 MB after a start. */
async function trim(): Promise<void> {
  try {
    const koffi = await loadKoffi();
    koffi.load(null).func('malloc_trim', 'int', ['size_t'])(0);
  } catch {
    // Without koffi, or with a C library that has no such function.
  }
}

async function giveBack(): Promise<void> {
  // The launcher runs Node with --expose-gc; without that flag this does nothing.
  globalThis.gc?.({ type: 'major', execution: 'sync', flavor: 'last-resort' });
  await trim();
}

/** Returns at once, and keeps no process alive. */
export function giveBackWhenIdle(
  { utilization, resident, giveBack: give }: MemoryOfProcess = {
    utilization: utilizationSince(),
    resident: () => process.memoryUsage.rss(),
    giveBack,
  },
): void {
  function afterLoad(): void {
    let held = resident();
    let rested = REST_MS;
    setInterval(async () => {
      rested += LATER_LOOK_MS;
      if (utilization() > IDLE || rested < REST_MS || resident() < held + GREW_BYTES) return;
      rested = 0;
      await give();
      held = resident();
    }, LATER_LOOK_MS).unref();
  }
  const start = setInterval(async () => {
    if (utilization() > IDLE) return;
    clearInterval(start);
    await give();
    afterLoad();
  }, LOOK_MS).unref();
}
