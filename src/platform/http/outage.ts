// The fault that callers get when the database is unreachable, too slow or full.
import { isUnavailable, isUnwritable } from '../database/index.ts';
import { type Fault, fault } from '../faults/index.ts';

/** Undefined if the error is something else. A full disk takes longer to fix than a connection, so Retry-After is longer. */
export function outageOf(error: unknown): Fault | undefined {
  if (isUnwritable(error)) return fault('server.read_only', undefined, { headers: { 'Retry-After': '5' } });
  return isUnavailable(error) ? fault('server.unavailable', undefined, { headers: { 'Retry-After': '1' } }) : undefined;
}
