// Background jobs.
export { type Job, repeat } from './repeat.ts';
