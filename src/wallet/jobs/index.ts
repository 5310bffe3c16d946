// Background jobs.
export { resealAll, sweepExpired } from './jobs.store.ts';
export { SEALED_COLUMNS } from './sealed.ts';
export { startSweeper } from './sweeper.ts';
