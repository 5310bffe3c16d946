// Background jobs.
export { CLOCK_WAITS, type ClockWatch, watchClock } from './clock-watch.ts';
export { type Job, repeat } from './repeat.ts';
