// Identifiers: 32 lower-case hex digits, a UUID without dashes.
import { randomBytes, randomUUID } from 'node:crypto';

export function newId(): string {
  return randomUUID().replaceAll('-', '');
}

/** A secret of 256 random bits, safe in a URL and a header. */
export function newSecret(): string {
  return randomBytes(32).toString('base64url');
}

const CROCKFORD = '0123456789ABCDEFGHJKMNPQRSTVWXYZ';

/** A ULID: 26 letters and digits. The first ten encode the time in milliseconds, so that ids sort by age. */
export function newUlid(milliseconds: number): string {
  let time = milliseconds;
  let text = '';
  for (let i = 0; i < 10; i++) {
    text = CROCKFORD[time % 32]! + text;
    time = Math.floor(time / 32);
  }
  // Five bits of each random byte. 256 is a multiple of 32, so all letters are equally likely.
  for (const byte of randomBytes(16)) text += CROCKFORD[byte % 32]!;
  return text;
}
