// Logos of issuers. Only those that the metadata themselves contain, as a `data:` address: fetching one would tell its server when a person
// receives or opens something, and a picture from elsewhere could be another one tomorrow. What is kept is a small picture by its content,
// not by what the issuer calls it.
import { type Static, t } from '../../platform/http/index.ts';
import { readPicture } from '../../platform/pictures/index.ts';
import { displayText } from './display-text.ts';

const LIMITS = { bytes: 48 * 1024, side: 2048 };
/** In base64, with what stands before it. */
export const MAX_LOGO_LENGTH = Math.ceil(LIMITS.bytes / 3) * 4 + 100;
const MAX_TEXT = 100;
const DATA = /^data:image\/(?:png|jpeg|jpg|webp);base64,([A-Za-z0-9+/]+={0,2})$/;

export const Logo = t.object(
  { uri: t.string({ pattern: '^data:image/(png|jpeg|webp);base64,', description: 'The picture itself.' }) },
  { text: t.string({ description: 'What the issuer says for those who do not see it.' }) },
  { description: 'A logo that the metadata contain. Logos at other addresses are never fetched.' },
);
export type Logo = Static<typeof Logo>;

/** `uri`: drafts call it `url`. */
export function logoOf(value: unknown): Logo | undefined {
  if (typeof value !== 'object' || value === null) return undefined;
  const { uri, url, alt_text: alternative } = value as Readonly<Record<string, unknown>>;
  const address = uri ?? url;
  if (typeof address !== 'string' || address.length > MAX_LOGO_LENGTH) return undefined;
  const content = DATA.exec(address)?.[1];
  if (content === undefined) return undefined;
  const picture = readPicture(Buffer.from(content, 'base64'), LIMITS);
  if ('problem' in picture) return undefined;
  const text = displayText(alternative, MAX_TEXT);
  return {
    uri: `data:${picture.mediaType};base64,${picture.content.toString('base64')}`,
    ...(text === undefined ? {} : { text }),
  };
}

t.name({ Logo });
