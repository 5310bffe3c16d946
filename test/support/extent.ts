// How much a test run does. `npm test` is for every change; `npm run test:all` does everything. The table in CONTRIBUTING.md says what
// runs when, and why that is enough.
import { it } from 'node:test';

const isFull = process.env.TEST_EXTENT === 'all';

/** The first value in `npm run test:all`, the second one in `npm test`. */
export const inFullRun = <T>(full: T, usual: T): T => (isFull ? full : usual);

/** In `npm test` every fourth entry of a list whose entries all take the same way; with `first`, another fourth of them. */
export const aShareOf = <T>(all: readonly T[], every = 4, first = 0): readonly T[] =>
  inFullRun(
    all,
    all.filter((_, at) => at % every === first % every),
  );

/** A test that `npm test` leaves out: it takes long, mostly to start processes, and another one of its file takes the same way. */
export const itAtLength: typeof it = inFullRun(it, (() => {}) as unknown as typeof it);
