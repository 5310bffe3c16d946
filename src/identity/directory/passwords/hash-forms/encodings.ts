// How other systems write bytes into their hashes.
import { timingSafeEqual } from 'node:crypto';

/** Base64 as Python's passlib writes it: `.` for `+`, without padding. */
export const adaptedBase64 = (text: string): Buffer => Buffer.from(text.replaceAll('.', '+'), 'base64');

/** A shorter one was cut off, and fits other passwords as well. */
export const LEAST_BYTES = 16;

export function isSame(one: Buffer, other: Buffer): boolean {
  return one.length === other.length && one.length > 0 && timingSafeEqual(one, other);
}

/** Of so many letters, in the alphabet of the hash: nothing in a hash of nobody. */
export const nothing = (length: number, letter: 'A' | '.' = 'A'): string => letter.repeat(length);
