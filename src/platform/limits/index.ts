// Limits: how often a secret may be guessed, and a fair queue for expensive work.
export { addressKey } from './address.ts';
export { FairQueue, type QueueClient } from './fair-queue.ts';
export { type AttemptOrigin, attemptKey, Gate, type GateRules } from './gate.ts';
export { RecentCounts } from './recent.ts';
export { Throttle, type ThrottleRule } from './throttle.ts';
