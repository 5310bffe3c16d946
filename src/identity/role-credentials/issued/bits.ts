// The content of status lists. It is kept as Token Status Lists have it; the bits of a Bitstring Status List are made from that.
import { promisify } from 'node:util';
import { constants, deflate, gzip } from 'node:zlib';
import type { Purpose } from './addresses.ts';

const [deflateAsync, gzipAsync] = [promisify(deflate), promisify(gzip)];
/** Lists are runs of zeros between single entries. Only runs are looked for: as small as the best compression, at a hundredth of its time. */
const RUNS = { level: constants.Z_BEST_COMPRESSION, strategy: constants.Z_RLE };

/** Bits of an entry: 0 valid, 1 revoked, 2 suspended. */
export const ENTRY_BITS = 2;
const PER_BYTE = 8 / ENTRY_BITS;
export const EVERY_ENTRY_REVOKED = 0b01010101;
const CODES: Readonly<Record<Purpose, number>> = { revocation: 1, suspension: 2 };

export const newEntries = (size: number): Uint8Array => new Uint8Array(Math.ceil(size / PER_BYTE));

/** The first entry is in the least significant bits. */
export function setEntry(entries: Uint8Array, index: number, code: number): void {
  const [at, shift] = [Math.floor(index / PER_BYTE), (index % PER_BYTE) * ENTRY_BITS];
  entries[at] = (entries[at]! & ~(3 << shift)) | (code << shift);
}

/** One bit for each entry, the first is the most significant. */
function bitsWith(entries: Uint8Array, code: number): Uint8Array {
  const bits = new Uint8Array(Math.ceil(entries.length / ENTRY_BITS));
  for (let at = 0; at < entries.length; at++) {
    // Almost all are 0.
    const byte = entries[at]!;
    if (byte === 0) continue;
    for (let entry = 0; entry < PER_BYTE; entry++) {
      const index = at * PER_BYTE + entry;
      if (((byte >> (entry * ENTRY_BITS)) & 3) === code) bits[index >> 3] = bits[index >> 3]! | (0x80 >> (index & 7));
    }
  }
  return bits;
}

/** `lst` of a Token Status List. */
export const tokenList = async (entries: Uint8Array): Promise<string> =>
  (await deflateAsync(entries, RUNS)).toString('base64url');

/** `encodedList` of a Bitstring Status List: multibase, base64url. */
export const bitstring = async (entries: Uint8Array, purpose: Purpose): Promise<string> =>
  `u${(await gzipAsync(bitsWith(entries, CODES[purpose]), RUNS)).toString('base64url')}`;
