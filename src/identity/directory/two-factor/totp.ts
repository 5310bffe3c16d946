// Time-based one-time passwords: RFC 6238 with SHA-1, six digits and thirty seconds, as authenticator apps expect them.
// Why not a library: ADR 014.
import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';

const ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567';
const PERIOD_SECONDS = 30;
const DIGITS = 6;
/** One step each way, since clocks differ and typing takes time. */
const DRIFT = 1;
const KEY_BYTES = 20;
/** A code accepted so many steps ahead of now (an hour) was accepted before the clock was set back. It must not lock anybody out until then. */
export const STEPS_SET_BACK = 120;

export const newKey = (): Buffer => randomBytes(KEY_BYTES);

/** RFC 4648 base32 without padding. */
export function toBase32(bytes: Buffer): string {
  let bits = 0;
  let value = 0;
  let text = '';
  for (const byte of bytes) {
    value = ((value << 8) | byte) & 0xffff;
    bits += 8;
    while (bits >= 5) {
      bits -= 5;
      text += ALPHABET[(value >>> bits) & 31];
    }
  }
  return bits > 0 ? text + ALPHABET[(value << (5 - bits)) & 31] : text;
}

/** Undefined when it is not base32. Blanks, padding and lower case are accepted, as apps show keys in groups. */
export function fromBase32(text: string): Buffer | undefined {
  const clean = text.replace(/[\s=]/g, '').toUpperCase();
  const bytes: number[] = [];
  let bits = 0;
  let value = 0;
  for (const letter of clean) {
    const index = ALPHABET.indexOf(letter);
    if (index < 0) return undefined;
    value = ((value << 5) | index) & 0xfff;
    bits += 5;
    if (bits >= 8) {
      bits -= 8;
      bytes.push((value >>> bits) & 0xff);
    }
  }
  return bytes.length > 0 ? Buffer.from(bytes) : undefined;
}

/** RFC 4226 section 5.3. */
export function codeAt(key: Buffer, step: number, digits = DIGITS): string {
  const counter = Buffer.alloc(8);
  counter.writeBigUInt64BE(BigInt(step));
  const mac = createHmac('sha1', key).update(counter).digest();
  const offset = mac[mac.length - 1]! & 0xf;
  const number = (mac.readUInt32BE(offset) & 0x7fff_ffff) % 10 ** digits;
  return String(number).padStart(digits, '0');
}

export const stepAt = (milliseconds: number): number => Math.floor(milliseconds / 1000 / PERIOD_SECONDS);

/** The step a code belongs to, among those near now that are later than the last one accepted. */
export function matchingStep(key: Buffer, code: string, now: number, lastStep: number): number | undefined {
  if (!/^\d{6}$/.test(code)) return undefined;
  const current = stepAt(now);
  let found: number | undefined;
  // Every candidate is compared, so that the time taken reveals nothing.
  for (let step = current - DRIFT; step <= current + DRIFT; step++) {
    const equal = timingSafeEqual(Buffer.from(codeAt(key, step)), Buffer.from(code));
    if (equal && (step > lastStep || step + STEPS_SET_BACK < lastStep)) found = step;
  }
  return found;
}

/** The content of the QR code for authenticator apps. */
export function otpauthUri(issuer: string, account: string, key: Buffer): string {
  const label = `${encodeURIComponent(issuer)}:${encodeURIComponent(account)}`;
  return `otpauth://totp/${label}?secret=${toBase32(key)}&issuer=${encodeURIComponent(issuer)}&algorithm=SHA1&digits=${DIGITS}&period=${PERIOD_SECONDS}`;
}
