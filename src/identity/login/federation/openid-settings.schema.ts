// The OpenID settings of an identity provider on the wire: an extension of ours, beside Keystone's resources.
import { t } from '../../../platform/http/index.ts';
import type { OpenidProviderRow } from '../../ground/database/index.ts';
import { Links } from '../../ground/resource/index.ts';
import { clientOptionFields, optionsOf } from './client-options.ts';
import { pathOf } from './identity-providers.schema.ts';

const DOMAIN = '^[A-Za-z0-9]([A-Za-z0-9-]*[A-Za-z0-9])?(\\.[A-Za-z0-9]([A-Za-z0-9-]*[A-Za-z0-9])?)+$';
export const EmailDomains = t.array(t.string({ maxLength: 253, pattern: DOMAIN }), {
  maxItems: 100,
  uniqueItems: true,
  description: 'People with an address of these domains are sent to this provider.',
});
const Scopes = t.array(t.string({ minLength: 1, maxLength: 100, pattern: '^[\\x21\\x23-\\x5b\\x5d-\\x7e]+$' }), {
  maxItems: 20,
  uniqueItems: true,
  description:
    'The scopes to request; openid is always among them. With offline_access, the service asks the provider again later, and ends the session when the person has no access there any more.',
});
const issuerField = {
  issuer: t.string({
    minLength: 1,
    maxLength: 2048,
    description: 'The issuer, exactly as the provider writes it in its discovery document.',
  }),
};
const shown = { ...issuerField, client_id: t.string({ minLength: 1, maxLength: 255 }) };
/** How far a provider is trusted, whatever its protocol. */
export const trustFields = {
  trusts_email: t.boolean({
    description:
      'Whether whoever has a verified address of the e-mail domains at the provider may sign in to the existing account with this address. Never to accounts of administrators and managers.',
  }),
  whole_service: t.boolean({
    description: 'Whether people of all domains may sign in through the provider, not only those of its own domain.',
  }),
  may_give_admin: t.boolean({ description: 'The mapping may make people administrators.' }),
};
const optional = {
  scopes: Scopes,
  button_name: t.nullable(
    t.string({ minLength: 1, maxLength: 64, description: 'The text of the button on the sign-in page; null for none.' }),
  ),
  button_order: t.nullable(
    t.integer({
      minimum: 0,
      maximum: 10_000,
      description: 'The place of the button: lower numbers first, null after them by the name.',
    }),
  ),
  email_domains: EmailDomains,
  ...trustFields,
  accepts_tokens: t.boolean({
    description:
      'Whoever has an ID token, or an access token that is a JWT, that the provider issued to our client can log in with it at the API. Without this field, the former value stays, if issuer and client are the same.',
  }),
  accepts_initiated_login: t.boolean({
    description:
      'Whether sign-ins may be begun at the provider, or at a portal of it, which sends browsers to `initiate_login_uri` with its issuer (OpenID Connect Core 1.0, 4). Without this field, the former value stays, if issuer and client are the same.',
  }),
  ...clientOptionFields,
};

export const NewOpenidSettings = t.object(shown, {
  ...optional,
  client_secret: t.nullable(
    t.string({ minLength: 1, maxLength: 1024, description: 'Never shown. Without it the former one stays; null removes it.' }),
  ),
});
/** The client comes from the provider. */
export const SettingsToRegister = t.object(issuerField, optional);
export const PutOpenidSettings = t.envelope('openid', NewOpenidSettings);

const OpenidSettings = t.object({
  ...shown,
  has_client_secret: t.boolean(),
  scopes: Scopes,
  button_name: t.nullable(t.string()),
  button_order: t.nullable(t.integer()),
  email_domains: EmailDomains,
  trusts_email: t.boolean(),
  whole_service: t.boolean(),
  may_give_admin: t.boolean(),
  accepts_tokens: t.boolean(),
  accepts_initiated_login: t.boolean(),
  ...clientOptionFields,
  redirect_uri: t.string({ description: 'To be registered at the provider.' }),
  backchannel_logout_uri: t.string({ description: 'To be registered at the provider, if it has such a field.' }),
  initiate_login_uri: t.string({
    description: 'To be registered at the provider, if sign-ins begin there. It is good while `accepts_initiated_login` is true.',
  }),
  jwks_uri: t.string({
    description: 'Where the public keys of the service for this provider are, to be registered there if it uses any.',
  }),
  links: Links,
});
export const OpenidSettingsEnvelope = t.envelope('openid', OpenidSettings);

/** The paths of a provider at this service. */
export const callbackPath = (providerId: string): string => `/openid/providers/${encodeURIComponent(providerId)}/callback`;
export const initiateLoginPath = (providerId: string): string => `/openid/providers/${encodeURIComponent(providerId)}/login`;
export const keysPath = (providerId: string): string => `/openid/providers/${encodeURIComponent(providerId)}/jwks`;
export const requestPath = (providerId: string, reference: string): string =>
  `/openid/providers/${encodeURIComponent(providerId)}/requests/${reference}`;
export const logoutPath = (providerId: string): string => `/openid/providers/${encodeURIComponent(providerId)}/logout`;

export const renderOpenidSettings = (base: string, issuer: string, row: OpenidProviderRow) => ({
  issuer: row.issuer,
  client_id: row.client_id,
  has_client_secret: row.client_secret !== null,
  scopes: JSON.parse(row.scopes) as string[],
  button_name: row.button_name,
  button_order: row.button_order,
  email_domains: JSON.parse(row.email_domains) as string[],
  trusts_email: row.trusts_email === 1,
  whole_service: row.whole_service === 1,
  may_give_admin: row.may_give_admin === 1,
  accepts_tokens: row.accepts_tokens === 1,
  accepts_initiated_login: row.accepts_initiated_login === 1,
  ...optionsOf(row),
  redirect_uri: issuer + callbackPath(row.provider_id),
  backchannel_logout_uri: issuer + logoutPath(row.provider_id),
  initiate_login_uri: issuer + initiateLoginPath(row.provider_id),
  jwks_uri: issuer + keysPath(row.provider_id),
  links: { self: `${base}${pathOf(row.provider_id)}/openid` },
});

t.name({ SettingsToRegister, NewOpenidSettings, PutOpenidSettings, OpenidSettings, OpenidSettingsEnvelope });
