import type { Fault } from '../faults.ts';
import { fault } from '../faults.ts';
import type { PasswordCheck } from '../passwords/index.ts';

/** One message for every failed login; the log has the reason. */
export const refused = (reason: string): Fault => fault('auth.required', undefined, { reason });

/** What the log says of a password that was not good. */
export const reasonOf = (check: PasswordCheck): string => (check === 'closed' ? 'user or domain disabled' : `password ${check}`);
