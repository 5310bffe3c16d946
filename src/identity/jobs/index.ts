// What is done again and again: expired rows go.
export { startSweeper } from './sweeper.ts';
