// An uploaded image: what it is by its content, and a copy with only the parts that show it. Metadata (the place where a photo was taken, the
// camera, comments) and whatever is hidden before, between or after these parts is left out. The image itself is not decoded.
import { cleanJpeg } from './jpeg.ts';
import { cleanPng } from './png.ts';
import { cleanWebp } from './webp.ts';

/** Browsers decode it whole: a small file can need gigabytes of memory. `side`: in pixels. */
export interface PictureLimits {
  readonly bytes: number;
  readonly side: number;
}

export const MAX_PICTURE_BYTES = 2 * 1024 * 1024;
const LIMITS: PictureLimits = { bytes: MAX_PICTURE_BYTES, side: 8192 };
const MAX_PIXELS = 32_000_000;

export type PictureProblem = 'too large' | 'not an image' | 'too many pixels';

const FORMATS = [
  { mediaType: 'image/png', clean: cleanPng },
  { mediaType: 'image/jpeg', clean: cleanJpeg },
  { mediaType: 'image/webp', clean: cleanWebp },
] as const;

export type Picture = { readonly mediaType: string; readonly content: Buffer } | { readonly problem: PictureProblem };

export function readPicture(bytes: Buffer, limits = LIMITS): Picture {
  if (bytes.length > limits.bytes) return { problem: 'too large' };
  for (const { mediaType, clean } of FORMATS) {
    const image = clean(bytes);
    if (!image) continue;
    const { content, width, height } = image;
    if (width < 1 || height < 1) return { problem: 'not an image' };
    if (width > limits.side || height > limits.side || width * height > MAX_PIXELS) return { problem: 'too many pixels' };
    return { mediaType, content };
  }
  return { problem: 'not an image' };
}
