// Background jobs: expired rows are deleted.
export { startSweeper } from './sweeper.ts';
