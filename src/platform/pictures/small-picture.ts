// A logo or an icon in a request. It is beside a name, on pages that have to be quick.
import { type PictureProblem, readPicture } from './image.ts';

const LIMITS = { bytes: 64 * 1024, side: 2048 };
/** The length of the largest one in base64. */
export const MAX_SMALL_PICTURE = 4 * Math.ceil(LIMITS.bytes / 3);

const PROBLEMS: Readonly<Record<PictureProblem, string>> = {
  'too large': `it is larger than ${LIMITS.bytes} bytes`,
  'not an image': 'it is not a PNG, JPEG or WebP image',
  'too many pixels': `it has more than ${LIMITS.side} pixels on a side`,
};

export interface SmallPicture {
  readonly mediaType: string;
  readonly content: Buffer;
}

/** The image in base64, without what was hidden in it; or why it is none. */
export function smallPicture(base64: string): SmallPicture | { readonly why: string } {
  const bytes = Buffer.from(base64, 'base64');
  // Node ignores what is not base64.
  if (bytes.toString('base64') !== base64) return { why: 'it is not base64 (RFC 4648, section 4)' };
  const picture = readPicture(bytes, LIMITS);
  return 'problem' in picture ? { why: PROBLEMS[picture.problem] } : picture;
}
