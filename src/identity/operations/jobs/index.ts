// Background jobs: expired rows are deleted; secrets are encrypted again.
export { createReseal } from './reseal.ts';
export { SEALED_COLUMNS } from './sealed.ts';
export { startSweeper } from './sweeper.ts';
