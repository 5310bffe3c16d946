// Keys of the service at an identity provider. An extension of ours.
import type { IdentityApp } from '../../access/rules/index.ts';
import type { Federation } from './federation.ts';
import { ProviderKeyList, ReplaceProviderKeys, renderProviderKeys } from './provider-keys.schema.ts';

export function mountProviderKeys(app: IdentityApp, { federation }: { readonly federation: Federation }): void {
  const path = `/v3/OS-FEDERATION/identity_providers/:idp_id/openid/keys` as const;
  const target = ({ params }: { params: { idp_id: string } }) => federation.openidSettings.target(params.idp_id);
  app.get(
    path,
    {
      id: 'listProviderKeys',
      summary: 'List the keys of the service at an identity provider',
      description:
        'To sign with (`sig`), which are published at `jwks_uri`, and that tokens are bound to (`dpop`). The newest first.',
      tag: 'Federation',
      rule: 'identity:get_identity_provider',
      target,
      reply: { 200: ProviderKeyList },
    },
    async ({ target: row }) => renderProviderKeys(await federation.keys.list(row)),
  );
  app.post(
    path,
    {
      id: 'replaceProviderKeys',
      summary: 'Replace the keys of the service at an identity provider',
      description:
        'The new one is published now and used after ten minutes, when the provider has read it; the former one stays published until the next time. With `at_once`, it is used now, and the former are gone.',
      tag: 'Federation',
      rule: 'identity:update_identity_provider',
      target,
      body: ReplaceProviderKeys,
      reply: { 201: ProviderKeyList },
    },
    async ({ caller, target: row, body }) =>
      renderProviderKeys(await federation.keys.replace(caller, row, body.keys.at_once ?? false)),
  );
}
