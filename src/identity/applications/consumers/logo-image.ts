// The image of a logo: where it is served, and what is accepted.
import { smallPicture } from '../../../platform/pictures/index.ts';
import { fail } from '../../ground/faults.ts';

/** Below this path are the images. */
const LOGOS = '/openid/logos';
/** Where everybody can see a logo. */
export const logoPath = (id: string): string => `${LOGOS}/${id}`;

/** The image in a request; refuses what is none, or too large. */
export function logoImageIn(content: string) {
  const image = smallPicture(content);
  return 'why' in image ? fail('request.bad_value', { field: 'content', why: image.why }) : image;
}
