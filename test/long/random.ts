// Random choices that can be repeated: the seed is printed, and LONG_SEED sets it.
import { randomInt } from 'node:crypto';

export interface Random {
  readonly seed: number;
  /** From 0 to 1, without 1. */
  next(): number;
  /** A whole number below the limit. */
  below(limit: number): number;
  pick<T>(all: readonly T[]): T;
}

/** Mulberry32: small, and good enough to choose moments and kinds of requests. */
export function createRandom(seed = Number(process.env.LONG_SEED ?? randomInt(2 ** 31))): Random {
  let state = seed;
  const next = (): number => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
  const below = (limit: number): number => Math.floor(next() * limit);
  return { seed, next, below, pick: (all) => all[below(all.length)]! };
}
