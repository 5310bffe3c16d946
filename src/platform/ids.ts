// Identifiers: 32 lower-case hex digits, a UUID without dashes.
import { randomBytes, randomUUID } from 'node:crypto';

export function newId(): string {
  return randomUUID().replaceAll('-', '');
}

let sequence = 0;

/** An id that sorts by age: the time in milliseconds, a number that counts up in this process, and 64 random bits. */
export function newTimedId(milliseconds: number): string {
  sequence = (sequence + 1) % 0x1_0000;
  const time = milliseconds.toString(16).padStart(12, '0');
  return `${time}${sequence.toString(16).padStart(4, '0')}${randomBytes(8).toString('hex')}`;
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
