// Background jobs.
export { type ResealResult, resealAll, sweepExpired } from './jobs.store.ts';
export { startSweeper } from './sweeper.ts';
