// The path a browser returns to after a login or a logout: always on this service.
import { fail } from '../ground/faults.ts';

/** One leading slash, and no backslash, space or control character, because browsers remove or convert those. */
const PLAIN_PATH = /^\/(?![/\\])[^\\\s\p{Cc}]*$/u;

/** It travels in a cookie. */
const MAX_PATH = 2000;

/** Refuses everything that a browser could interpret as another host. */
export function ownPath(path: string | undefined, origin: string): string {
  if (path === undefined) return '/';
  const url = PLAIN_PATH.test(path) ? URL.parse(path, origin) : null;
  // Encoded for a header. After dot segments are removed it may start with two slashes, so it is checked again.
  const normalized = url?.origin === origin ? url.href.slice(origin.length) : '';
  return PLAIN_PATH.test(normalized) && normalized.length <= MAX_PATH
    ? normalized
    : fail('invalid-request', { why: 'return_to must be a path of this service, such as /wallet' });
}
