// Identifiers: 32 lower-case hex digits, a UUID without dashes.
import { randomBytes, randomUUID } from 'node:crypto';

export function newId(): string {
  return randomUUID().replaceAll('-', '');
}

/** A secret of 256 random bits, safe in a URL and a header. */
export function newSecret(): string {
  return randomBytes(32).toString('base64url');
}
