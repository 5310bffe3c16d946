// The logo and the icon of the service, and previews, on the wire.
import { t } from '../../../platform/http/index.ts';
import { LANGUAGE_TAGS } from '../../../platform/languages/index.ts';
import { MAX_SMALL_PICTURE } from '../../../platform/pictures/index.ts';

const image = (about: string) => t.string({ minLength: 1, maxLength: MAX_SMALL_PICTURE, description: about });
const IMAGE = `A PNG, JPEG or WebP image in base64, at most ${MAX_SMALL_PICTURE} characters (64 KiB).`;

export const PutBrandPicture = t.envelope('picture', t.object({ content: image(IMAGE) }));
const BrandPicture = t.object({
  kind: t.oneOf('logo', 'favicon'),
  media_type: t.string(),
  created_at: t.string(),
  content: t.string({ description: 'The image in base64, without metadata.' }),
  links: t.object({ self: t.string() }),
});
export const BrandPictureEnvelope = t.envelope('picture', BrandPicture);

const link = t.nullable(t.string({ maxLength: 2000 }));
const LookDraft = t.object(
  {
    name: t.string({ maxLength: 255 }),
    color: t.nullable(t.string({ pattern: '^#[0-9a-fA-F]{6}$', description: 'As #1d4ed8. Null: that of the program.' })),
  },
  {
    help_url: link,
    terms_url: link,
    privacy_url: link,
    language: t.oneOf(...LANGUAGE_TAGS),
    scheme: t.oneOf('light', 'dark'),
    logo: t.nullable(image(`${IMAGE} Null: none. Otherwise the present one.`)),
  },
);
export const LookDraftEnvelope = t.envelope('look', LookDraft);
export const PreviewEnvelope = t.envelope(
  'preview',
  t.object({
    url: t.string({ description: 'Shows the preview until it expires, in frames of pages of this service.' }),
    expires_at: t.string(),
  }),
);

t.name({ PutBrandPicture, BrandPicture, BrandPictureEnvelope, LookDraft, LookDraftEnvelope, PreviewEnvelope });
