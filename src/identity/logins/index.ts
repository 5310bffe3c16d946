// Logins as audit events: who, from where, how, and why not.
export type { Attempt, Whom } from './attempt.ts';
export { createLogins, type Logins } from './logins.ts';
export { reasonOf, refused } from './refused.ts';
