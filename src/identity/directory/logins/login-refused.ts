import type { Fault } from '../../ground/faults.ts';
import { fault } from '../../ground/faults.ts';
import type { PasswordCheck } from '../passwords/index.ts';

/** Every failed login gets the same message; only the log has the reason. */
export const loginRefused = (reason: string): Fault => fault('auth.required', undefined, { reason });

/** The reason for the log. */
export const refusalReason = (check: PasswordCheck): string =>
  check === 'closed' ? 'user or domain disabled' : `password ${check}`;
