// Work nobody waits for.
export { type Resealed, resealAll, sweepExpired } from './jobs.store.ts';
export { startSweeper } from './sweeper.ts';
