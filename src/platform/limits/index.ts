// Limits: how often a secret may be guessed at, and a fair line for work that is heavy.
export { addressKey } from './address.ts';
export { FairQueue, type QueueClient } from './fair-queue.ts';
export { type AttemptOrigin, attemptKey, Gate, type GateRules } from './gate.ts';
export { RecentCounts } from './recent.ts';
export { Throttle } from './throttle.ts';
