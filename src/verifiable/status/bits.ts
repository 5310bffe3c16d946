// Reads entries of status lists. Lists are untrusted, so the inflated size is limited.
import { gunzipSync, inflateSync } from 'node:zlib';

/** Sixteen million entries of one bit. A compressed list of one megabyte could inflate to much more. */
const MAX_INFLATED = 2 * 1024 * 1024;

export class StatusListError extends Error {}

function inflate(text: unknown, how: typeof inflateSync): Buffer {
  if (typeof text !== 'string' || !/^[\w-]+$/.test(text)) throw new StatusListError('the list is not base64url');
  try {
    return how(Buffer.from(text, 'base64url'), { maxOutputLength: MAX_INFLATED });
  } catch {
    throw new StatusListError('the list cannot be inflated, or is too large');
  }
}

/** Token Status List: least significant bits first, zlib. */
export function tokenStatus(list: { readonly bits?: unknown; readonly lst?: unknown }, index: number): number {
  const { bits, lst } = list;
  if (bits !== 1 && bits !== 2 && bits !== 4 && bits !== 8) throw new StatusListError('entries have 1, 2, 4 or 8 bits');
  const bytes = inflate(lst, inflateSync);
  const position = index * bits;
  const byte = bytes[Math.floor(position / 8)];
  if (byte === undefined) throw new StatusListError('the list has no such entry');
  return (byte >> (position % 8)) & ((1 << bits) - 1);
}

/** Bitstring Status List: most significant bit first, gzip, multibase `u` since the final version. */
export function bitstringStatus(encoded: unknown, index: number, size: number): number {
  const text = typeof encoded === 'string' && encoded.startsWith('u') ? encoded.slice(1) : encoded;
  const bytes = inflate(text, gunzipSync as typeof inflateSync);
  let value = 0;
  for (let bit = index * size; bit < (index + 1) * size; bit++) {
    const byte = bytes[Math.floor(bit / 8)];
    if (byte === undefined) throw new StatusListError('the list has no such entry');
    value = (value << 1) | ((byte >> (7 - (bit % 8))) & 1);
  }
  return value;
}
