// /v3/OS-SERVICE/look: the logo and the icon of the service, and how the sign-in page would look.
import { isoTime } from '../../../platform/clock.ts';
import type { IdentityApp } from '../../access/rules/index.ts';
import type { BrandPictureRow } from '../../ground/database/index.ts';
import { BRAND_PICTURES, type Preview } from '../../ground/look/index.ts';
import { previewPath } from '../../openid/paths/index.ts';
import type { LookManagement } from './look.rules.ts';
import { BrandPictureEnvelope, LookDraftEnvelope, PreviewEnvelope, PutBrandPicture } from './look.schema.ts';

const tag = 'Service';
const PATH = '/v3/OS-SERVICE/look';
export const NAMES = {
  logo: { noun: 'logo', id: 'Logo', about: 'It is at the top of all pages, and in mails.' },
  favicon: { noun: 'icon', id: 'Icon', about: 'Browsers show it beside the title of a page. Without one, they show the logo.' },
} as const;

export const renderPicture = (base: string, path: string, { kind, media_type, content, created_at }: BrandPictureRow) => ({
  picture: {
    kind: kind as keyof typeof NAMES,
    media_type,
    created_at: isoTime(created_at * 1000),
    content,
    links: { self: `${base}${path}/${kind}` },
  },
});

export const renderPreview = (base: string, { id, expiresAt }: Preview) => ({
  preview: { url: `${base}${previewPath(id)}`, expires_at: isoTime(expiresAt * 1000) },
});

export function mountLook(app: IdentityApp, { lookManagement: look }: { readonly lookManagement: LookManagement }): void {
  for (const kind of BRAND_PICTURES) {
    const path = `${PATH}/${kind}` as const;
    const { noun, id, about } = NAMES[kind];
    app.get(
      path,
      {
        id: `getService${id}`,
        summary: `Show the ${noun} of the service that is stored`,
        description: about,
        tag,
        rule: 'identity:list_service_settings',
        reply: { 200: BrandPictureEnvelope },
      },
      async ({ base }) => renderPicture(base, PATH, await look.picture(kind)),
    );
    app.put(
      path,
      {
        id: `setService${id}`,
        summary: `Give the service a ${noun}`,
        description: `A PNG, JPEG or WebP image of at most 64 KiB and 2048 pixels on a side, in base64. It is checked by its content. Other replicas follow within a second. Needs a recent login in person. 409 means that the operator has given the logo as a file.`,
        tag,
        rule: 'identity:update_service_settings',
        body: PutBrandPicture,
        reply: { 200: BrandPictureEnvelope },
      },
      async ({ base, caller, body }) => renderPicture(base, PATH, await look.replacePicture(caller, kind, body.picture.content)),
    );
    app.delete(
      path,
      {
        id: `deleteService${id}`,
        summary: `Remove the ${noun} of the service that is stored`,
        description: 'Needs a recent login in person.',
        tag,
        rule: 'identity:update_service_settings',
        reply: { 204: null },
      },
      ({ caller }) => look.removePicture(caller, kind),
    );
  }

  app.post(
    `${PATH}/preview`,
    {
      id: 'previewServiceLook',
      summary: 'Show how the sign-in page would look',
      description: 'Nothing is saved but the preview itself, for ten minutes. At most 120 in a minute, by one person.',
      tag,
      rule: 'identity:update_service_settings',
      body: LookDraftEnvelope,
      reply: { 200: PreviewEnvelope },
    },
    async ({ base, caller, body }) => renderPreview(base, await look.preview(caller, body.look)),
  );
}
