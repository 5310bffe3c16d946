import type { Fault } from '../faults.ts';
import { fault } from '../faults.ts';
import type { PasswordCheck } from '../passwords/index.ts';

/** Every failed login gets the same message; only the log has the reason. */
export const loginRefused = (reason: string): Fault => fault('auth.required', undefined, { reason });

/** The reason for the log. */
export const refusalReason = (check: PasswordCheck): string =>
  check === 'closed' ? 'user or domain disabled' : `password ${check}`;
