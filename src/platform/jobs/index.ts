// Work nobody waits for.
export { type Job, repeat } from './repeat.ts';
