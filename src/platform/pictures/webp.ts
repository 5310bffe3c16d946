// WebP (RFC 9649): a RIFF file of chunks.
import type { CleanImage } from './clean-image.ts';

/** The image, its transparency, and the frames of an animation. */
const KEPT = ['VP8 ', 'VP8L', 'VP8X', 'ALPH', 'ANIM', 'ANMF'];
/** Bits of VP8X that announce chunks which are left out: colour profile, Exif, XMP. */
const LEFT_OUT = 0x20 | 0x08 | 0x04;

type Size = Pick<CleanImage, 'width' | 'height'>;

/** `data`: of the first chunk. */
function sizeIn(name: string, data: Buffer): Size | undefined {
  if (name === 'VP8X' && data.length >= 10) return { width: data.readUIntLE(4, 3) + 1, height: data.readUIntLE(7, 3) + 1 };
  if (name === 'VP8L' && data.length >= 5 && data[0] === 0x2f) {
    const bits = data.readUInt32LE(1);
    return { width: (bits & 0x3fff) + 1, height: ((bits >>> 14) & 0x3fff) + 1 };
  }
  if (name === 'VP8 ' && data.length >= 10 && data.readUIntBE(3, 3) === 0x9d012a)
    return { width: data.readUInt16LE(6) & 0x3fff, height: data.readUInt16LE(8) & 0x3fff };
  return undefined;
}

function withoutFlags(chunk: Buffer): Buffer {
  const copy = Buffer.from(chunk);
  copy[8]! &= ~LEFT_OUT;
  return copy;
}

/** Undefined when it is not a WebP, or is damaged. */
export function cleanWebp(bytes: Buffer): CleanImage | undefined {
  if (bytes.length < 20 || bytes.toString('latin1', 0, 4) !== 'RIFF' || bytes.toString('latin1', 8, 12) !== 'WEBP')
    return undefined;
  const fileEnd = 8 + bytes.readUInt32LE(4);
  if (fileEnd > bytes.length) return undefined;
  const kept: Buffer[] = [];
  let size: Size | undefined;
  for (let at = 12; at + 8 <= fileEnd; ) {
    const name = bytes.toString('latin1', at, at + 4);
    const length = bytes.readUInt32LE(at + 4);
    const end = at + 8 + length + (length % 2);
    if (end > fileEnd) return undefined;
    if (KEPT.includes(name)) {
      const chunk = bytes.subarray(at, end);
      const own = sizeIn(name, chunk.subarray(8, 8 + length));
      if (!own && kept.length === 0) return undefined;
      // The largest: programs differ in which of them they believe.
      if (own) size = { width: Math.max(own.width, size?.width ?? 0), height: Math.max(own.height, size?.height ?? 0) };
      kept.push(name === 'VP8X' ? withoutFlags(chunk) : chunk);
    }
    at = end;
  }
  if (!size) return undefined;
  const body = Buffer.concat([Buffer.from('WEBP', 'latin1'), ...kept]);
  const header = Buffer.from('RIFF\0\0\0\0', 'latin1');
  header.writeUInt32LE(body.length, 4);
  return { content: Buffer.concat([header, body]), ...size };
}
