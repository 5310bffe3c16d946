import type { Fault } from '../faults.ts';
import { fault } from '../faults.ts';

/** One message for every failed login; the log has the reason. */
export const refused = (reason: string): Fault => fault('auth.required', undefined, { reason });
