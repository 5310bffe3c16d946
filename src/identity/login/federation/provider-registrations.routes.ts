// The registration of the service at an identity provider. An extension of ours.
import type { IdentityApp } from '../../access/rules/index.ts';
import { fail } from '../../ground/faults.ts';
import type { Federation } from './federation.ts';
import { OpenidSettingsEnvelope, renderOpenidSettings } from './openid-settings.schema.ts';
import { ProviderRegistrationEnvelope, RegisterAtProvider, renderRegistration } from './provider-registrations.schema.ts';

export function mountProviderRegistrations(app: IdentityApp, { federation }: { readonly federation: Federation }): void {
  const path = '/v3/OS-FEDERATION/identity_providers/:idp_id/openid/registration' as const;
  const target = ({ params }: { params: { idp_id: string } }) => federation.identityProviders.target(params.idp_id);
  app.post(
    path,
    {
      id: 'registerAtProvider',
      summary: 'Register the service at an identity provider',
      description:
        'By dynamic client registration (RFC 7591): the service gives its redirect address and its keys, and stores the client that it gets with the settings. A client that it registered before is removed at the provider, if it can be (RFC 7592).',
      tag: 'Federation',
      rule: 'identity:update_identity_provider',
      target,
      body: RegisterAtProvider,
      reply: { 201: OpenidSettingsEnvelope },
    },
    async ({ caller, target: row, body, base }) => ({
      openid: renderOpenidSettings(base, federation.issuer(), await federation.register(caller, row, body.registration)),
    }),
  );
  app.get(
    path,
    {
      id: 'getProviderRegistration',
      summary: 'Show when the service registered itself at an identity provider',
      tag: 'Federation',
      rule: 'identity:get_identity_provider',
      target,
      reply: { 200: ProviderRegistrationEnvelope },
    },
    async ({ target: { id } }) =>
      renderRegistration((await federation.registrations.find(id)) ?? fail('provider_registration.not_found', { id })),
  );
}
