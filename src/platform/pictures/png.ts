// PNG (https://www.w3.org/TR/png-3/): a signature and chunks.
import { crc32 } from 'node:zlib';
import type { CleanImage } from './clean-image.ts';

const SIGNATURE = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);
/** The image, its transparency and its colours. */
const KEPT = ['IHDR', 'PLTE', 'IDAT', 'IEND', 'tRNS', 'gAMA', 'cHRM', 'sRGB', 'sBIT'];

/** Undefined when it is not a PNG, or is damaged. */
export function cleanPng(bytes: Buffer): CleanImage | undefined {
  if (!bytes.subarray(0, 8).equals(SIGNATURE)) return undefined;
  const kept: Buffer[] = [SIGNATURE];
  const names: string[] = [];
  for (let at = 8; at + 12 <= bytes.length; ) {
    const end = at + 12 + bytes.readUInt32BE(at);
    const name = bytes.toString('latin1', at + 4, at + 8);
    if (end > bytes.length || bytes.readUInt32BE(end - 4) !== crc32(bytes.subarray(at + 4, end - 4))) return undefined;
    if (KEPT.includes(name)) {
      kept.push(bytes.subarray(at, end));
      names.push(name);
    }
    if (name === 'IEND') break;
    at = end;
  }
  if (names.lastIndexOf('IHDR') !== 0 || !names.includes('IDAT') || names.at(-1) !== 'IEND') return undefined;
  const header = kept[1]!;
  // A header has 13 bytes, in a chunk of 25.
  return header.length === 25
    ? { content: Buffer.concat(kept), width: header.readUInt32BE(8), height: header.readUInt32BE(12) }
    : undefined;
}
