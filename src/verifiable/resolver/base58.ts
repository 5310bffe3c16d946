// base58btc, the alphabet of did:key and of Multikey.
import { base58 } from '@scure/base';

/** The cost grows with the square of the length. An RSA key of 4096 bits, the longest we take, has about 720 characters. */
const MAX_LENGTH = 1024;

export const toBase58 = (bytes: Uint8Array): string => base58.encode(bytes);

/** Undefined when it is not base58, or too long to be a key. */
export function fromBase58(text: string): Buffer | undefined {
  if (text.length > MAX_LENGTH) return undefined;
  try {
    return Buffer.from(base58.decode(text));
  } catch {
    return undefined;
  }
}
