// base58btc, the alphabet of did:key and of Multikey.
const ALPHABET = '123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz';

/** The cost grows with the square of the length. An RSA key of 4096 bits, the longest we take, has about 720 characters. */
const MAX_LENGTH = 1024;

/** Digits of one base as digits of another. A leading zero is kept for each leading zero, as base58 has it. */
function rebase(digits: readonly number[], from: number, to: number): number[] {
  const result: number[] = [];
  for (const digit of digits) {
    let carry = digit;
    for (let i = 0; i < result.length; i++) {
      carry += result[i]! * from;
      result[i] = carry % to;
      carry = Math.floor(carry / to);
    }
    for (; carry > 0; carry = Math.floor(carry / to)) result.push(carry % to);
  }
  const zeros = digits.findIndex((digit) => digit !== 0);
  return [...Array<number>(zeros === -1 ? digits.length : zeros).fill(0), ...result.reverse()];
}

export const toBase58 = (bytes: Uint8Array): string =>
  rebase([...bytes], 256, 58)
    .map((digit) => ALPHABET[digit])
    .join('');

/** Undefined when it is not base58, or too long to be a key. */
export function fromBase58(text: string): Buffer | undefined {
  if (text.length > MAX_LENGTH) return undefined;
  const digits = [...text].map((character) => ALPHABET.indexOf(character));
  return digits.includes(-1) ? undefined : Buffer.from(rebase(digits, 58, 256));
}
