// Long work on the one thread there is.
import { setImmediate } from 'node:timers/promises';

const SLICE_MS = 10;

/** Call it between two pieces of work: others get their turn, but not more often than it costs nothing. */
export function createPauses(): () => Promise<void> {
  let since = performance.now();
  return async () => {
    if (performance.now() - since < SLICE_MS) return;
    await setImmediate();
    since = performance.now();
  };
}
