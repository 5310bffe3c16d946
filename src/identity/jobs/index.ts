// Background jobs: expired rows are deleted; secrets are encrypted again.
export { createReseal } from './reseal.ts';
export { startSweeper } from './sweeper.ts';
