// /v3/OS-SERVICE/domains/{domain_id}/look: the logo and the icon of a domain, and how the sign-in page of its people would look.
import type { IdentityApp } from '../../access/rules/index.ts';
import { BRAND_PICTURES } from '../../ground/look/index.ts';
import type { DomainLookManagement } from './domain-look.rules.ts';
import { NAMES, renderPicture, renderPreview } from './look.routes.ts';
import { BrandPictureEnvelope, LookDraftEnvelope, PreviewEnvelope, PutBrandPicture } from './look.schema.ts';

const tag = 'Domain configuration';
const PATH = '/v3/OS-SERVICE/domains/:domain_id/look';
const pathOf = (id: string): string => PATH.replace(':domain_id', encodeURIComponent(id));

export function mountDomainLook(
  app: IdentityApp,
  { domainLookManagement: look }: { readonly domainLookManagement: DomainLookManagement },
): void {
  const target = ({ params }: { params: { domain_id: string } }) => look.target(params.domain_id);

  for (const kind of BRAND_PICTURES) {
    const path = `${PATH}/${kind}` as const;
    const { noun, id } = NAMES[kind];
    app.get(
      path,
      {
        id: `getDomain${id}`,
        summary: `Show the ${noun} that a domain has of its own`,
        description: `On pages and in mails for its people. Without one, they see that of the service.`,
        tag,
        rule: 'identity:list_domain_settings',
        target,
        reply: { 200: BrandPictureEnvelope },
      },
      async ({ base, target: domain }) => renderPicture(base, pathOf(domain.id), await look.picture(domain.id, kind)),
    );
    app.put(
      path,
      {
        id: `setDomain${id}`,
        summary: `Give a domain its own ${noun}`,
        description: `A PNG, JPEG or WebP image of at most 64 KiB and 2048 pixels on a side, in base64. It is checked by its content. Needs a recent login in person. Managers of the domain may, if \`GATEHOUSE_IDENTITY_DOMAIN_MANAGER_SETTINGS\` leaves \`look\` to them, and no administrator has given one. 409 means that the operator has given the logo as a file.`,
        tag,
        rule: 'identity:update_domain_settings',
        target,
        body: PutBrandPicture,
        reply: { 200: BrandPictureEnvelope },
      },
      async ({ base, caller, target: domain, body }) =>
        renderPicture(base, pathOf(domain.id), await look.replacePicture(caller, domain.id, kind, body.picture.content)),
    );
    app.delete(
      path,
      {
        id: `deleteDomain${id}`,
        summary: `Remove the ${noun} that a domain has of its own`,
        description: 'Its people then see that of the service. Needs a recent login in person.',
        tag,
        rule: 'identity:update_domain_settings',
        target,
        reply: { 204: null },
      },
      ({ caller, target: domain }) => look.removePicture(caller, domain.id, kind),
    );
  }

  app.post(
    `${PATH}/preview`,
    {
      id: 'previewDomainLook',
      summary: 'Show how the sign-in page of a domain would look',
      description: 'Nothing is saved but the preview itself, for ten minutes. At most 120 in a minute, by one person.',
      tag,
      rule: 'identity:update_domain_settings',
      target,
      body: LookDraftEnvelope,
      reply: { 200: PreviewEnvelope },
    },
    async ({ base, caller, target: domain, body }) => renderPreview(base, await look.preview(caller, domain.id, body.look)),
  );
}
