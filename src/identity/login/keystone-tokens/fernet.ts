// The envelope of Fernet tokens: version (1) | seconds (8) | initialization vector (16) | AES-128-CBC | HMAC-SHA256 (32), as base64url without
// padding. The HMAC is over everything before it, so the time is as trustworthy as the content.
import { createDecipheriv, createHmac, createSecretKey, type KeyObject, timingSafeEqual } from 'node:crypto';

/** In base64url, this is the version and three bytes of the time that are zero until the year 36812. */
const BEGINNING = 'gAAAA';
/** Groups of a federated login take 19 bytes each. */
const MAX_TEXT = 4096;
const TIME = 1;
const VECTOR = 9;
const CONTENT = 25;
const BLOCK = 16;
const MAC = 32;

export interface FernetKey {
  readonly signing: KeyObject;
  readonly encryption: KeyObject;
}

/** Undefined when it is not a key. */
export function fernetKeyOf(text: string): FernetKey | undefined {
  const bare = text.trim();
  const bytes = Buffer.from(bare, 'base64url');
  // With padding, as Keystone writes them, in either alphabet.
  if (bytes.length !== 32 || !/^[\w+/-]{43}=?$/.test(bare)) return undefined;
  return { signing: createSecretKey(bytes.subarray(0, 16)), encryption: createSecretKey(bytes.subarray(16)) };
}

export const isFernet = (text: string): boolean => text.startsWith(BEGINNING);

export interface Envelope {
  /** In milliseconds, of whole seconds. Not to be believed before `openFernet`. */
  readonly issuedAt: number;
  readonly bytes: Buffer;
}

/** Undefined for what has not the form of such a token. Nothing is computed yet. */
export function readFernet(text: string): Envelope | undefined {
  if (text.length > MAX_TEXT || !/^[\w-]+$/.test(text)) return undefined;
  const bytes = Buffer.from(text, 'base64url');
  const content = bytes.length - CONTENT - MAC;
  // One text for a token: others would encode the same bytes.
  if (content < BLOCK || content % BLOCK !== 0 || bytes.toString('base64url') !== text) return undefined;
  if (bytes[0] !== 0x80 || bytes.readUInt32BE(TIME) !== 0) return undefined;
  return { issuedAt: bytes.readUInt32BE(TIME + 4) * 1000, bytes };
}

/** The content, by the key that it was made with. Undefined when none of them fits. */
export function openFernet({ bytes }: Envelope, keys: readonly FernetKey[]): Buffer | undefined {
  const [signed, mac] = [bytes.subarray(0, -MAC), bytes.subarray(-MAC)];
  const key = keys.find(({ signing }) => timingSafeEqual(createHmac('sha256', signing).update(signed).digest(), mac));
  if (!key) return undefined;
  const decipher = createDecipheriv('aes-128-cbc', key.encryption, bytes.subarray(VECTOR, CONTENT));
  try {
    return Buffer.concat([decipher.update(signed.subarray(CONTENT)), decipher.final()]);
  } catch {
    return undefined;
  }
}
