// Limits: how often a secret may be guessed at, and a fair line for work that is heavy.
export { addressKey } from './address.ts';
export { FairQueue, type Place } from './fair-queue.ts';
export { type Attempt, Gate, type GateRules, pairOf } from './gate.ts';
export { Recent } from './recent.ts';
export { Throttle } from './throttle.ts';
