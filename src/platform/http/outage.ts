// How a database that is away, late or full is told to callers, whichever way their request came in.
import { isUnavailable, isUnwritable } from '../database/index.ts';
import { type Fault, fault } from '../faults/index.ts';

/** Undefined when the error is about something else. A disk takes longer to mend than a connection. */
export function outageOf(error: unknown): Fault | undefined {
  if (isUnwritable(error)) return fault('server.read_only', undefined, { headers: { 'Retry-After': '5' } });
  return isUnavailable(error) ? fault('server.unavailable', undefined, { headers: { 'Retry-After': '1' } }) : undefined;
}
