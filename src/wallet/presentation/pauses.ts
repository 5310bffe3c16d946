// Lets other requests run during long synchronous work.
import { setImmediate } from 'node:timers/promises';

const SLICE_MS = 10;

/** Call it between two pieces of work. It yields to the event loop at most every SLICE_MS. */
export function createPauses(): () => Promise<void> {
  let since = performance.now();
  return async () => {
    if (performance.now() - since < SLICE_MS) return;
    await setImmediate();
    since = performance.now();
  };
}
