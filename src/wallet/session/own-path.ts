// Where a browser goes back to after a login or a logout: a page of our own.
import { fail } from '../faults.ts';

/** Begins with one slash, and has no backslash, space or control character: browsers drop or turn those. */
const PLAIN_PATH = /^\/(?![/\\])[^\\\s\p{Cc}]*$/u;

/** It travels in a cookie. */
const MAX_PATH = 2000;

/** Nothing that a browser could take for another host. */
export function ownPath(path: string | undefined, origin: string): string {
  if (path === undefined) return '/';
  const url = PLAIN_PATH.test(path) ? URL.parse(path, origin) : null;
  // As a header can carry it. Without its dots it may begin with two slashes after all.
  const normalized = url?.origin === origin ? url.href.slice(origin.length) : '';
  return PLAIN_PATH.test(normalized) && normalized.length <= MAX_PATH
    ? normalized
    : fail('invalid-request', { why: 'return_to must be a path of this service, such as /wallet' });
}
