// `expires_at` of what users pass on.
import { fail } from '../faults.ts';

const refuse = (why: string): never => fail('request.bad_value', { field: 'expires_at', why });

/** Seconds; null for never. Keystone accepts times with and without the letter Z, and means UTC. */
export function readExpiry(text: string | null | undefined, now: number): number | null {
  if (text === null || text === undefined) return null;
  const milliseconds = Date.parse(/(?:Z|[+-]\d\d:?\d\d)$/i.test(text) ? text : `${text}Z`);
  if (Number.isNaN(milliseconds)) return refuse('it is not an ISO 8601 time');
  const expiry = Math.floor(milliseconds / 1000);
  return expiry > now ? expiry : refuse('it must be in the future');
}

/** What such a time has beyond its seconds, in microseconds. */
export const microsecondsIn = (text: string): number => Number((/:\d\d\.(\d{1,6})/.exec(text)?.[1] ?? '').padEnd(6, '0'));
