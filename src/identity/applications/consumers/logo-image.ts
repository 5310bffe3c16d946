// The image of a logo: where it is served, and what is accepted. It is checked by the rules for pictures of people.

import { type PictureProblem, readPicture } from '../../directory/pictures/index.ts';
import { fail } from '../../ground/faults.ts';

/** Smaller than pictures of people: it is beside a name, on pages that have to be quick. */
const LIMITS = { bytes: 64 * 1024, side: 2048 };
/** The length of the largest one in base64. */
export const MAX_LOGO_TEXT = 4 * Math.ceil(LIMITS.bytes / 3);

/** Below this path are the images. */
const LOGOS = '/openid/logos';
/** Where everybody can see a logo. */
export const logoPath = (id: string): string => `${LOGOS}/${id}`;

const PROBLEMS: Readonly<Record<PictureProblem, string>> = {
  'too large': `it is larger than ${LIMITS.bytes} bytes`,
  'not an image': 'it is not a PNG, JPEG or WebP image',
  'too many pixels': `it has more than ${LIMITS.side} pixels on a side`,
};

const refuse = (why: string): never => fail('request.bad_value', { field: 'content', why });

/** The image in a request; refuses what is none, or too large. */
export function logoImageIn(content: string) {
  const bytes = Buffer.from(content, 'base64');
  // Node ignores what is not base64.
  if (bytes.toString('base64') !== content) return refuse('it is not base64 (RFC 4648, section 4)');
  const picture = readPicture(bytes, LIMITS);
  return 'problem' in picture ? refuse(PROBLEMS[picture.problem]) : picture;
}
