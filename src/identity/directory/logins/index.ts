// Logins as audit events, successful and refused.
export type { LoginAttempt, LoginSubject } from './attempt.ts';
export { loginRefused, refusalReason } from './login-refused.ts';
export { createLoginEvents, type LoginCounts, type LoginEvents } from './logins.ts';
export { REFUSAL_WORDS } from './refusals.ts';
