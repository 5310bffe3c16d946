// Sign-in providers on the wire: identity providers with their mapping, protocol and settings as a whole. An extension of ours.
import { isoTime } from '../../../platform/clock.ts';
import { t } from '../../../platform/http/index.ts';
import { Links, ListLinks } from '../../ground/resource/index.ts';
import { OPENID, OPENID4VP } from './assertion.ts';
import { newProviderFields, pathOf } from './identity-providers.schema.ts';
import { NewMapping } from './mappings.schema.ts';
import { callbackPath, logoutPath, NewOpenidSettings } from './openid-settings.schema.ts';
import type { ProviderMetadata } from './provider-metadata.ts';
import type { LinkedPerson, SignInProviderRow } from './sign-in-providers.store.ts';
import { NewWalletSettings } from './wallet-settings.schema.ts';

const NewSignInProvider = t.object(
  {
    id: t.string({
      minLength: 1,
      maxLength: 64,
      description: 'Of the identity provider and of its mapping; part of its addresses.',
    }),
    mapping: NewMapping,
  },
  { ...newProviderFields, openid: NewOpenidSettings, openid4vp: NewWalletSettings },
  { description: 'With the settings for OpenID, for credentials from wallets, or both.' },
);
export const CreateSignInProvider = t.envelope('sign_in_provider', NewSignInProvider);

const SignInProvider = t.object({
  id: t.string(),
  enabled: t.boolean(),
  description: t.nullable(t.string()),
  domain_id: t.string(),
  protocols: t.array(t.oneOf(OPENID, OPENID4VP), { description: 'By which people can sign in: with settings and a mapping.' }),
  name: t.nullable(t.string({ description: 'As people know it: the text of its button.' })),
  issuer: t.nullable(t.string()),
  button_order: t.nullable(t.integer()),
  email_domains: t.array(t.string()),
  mapping_id: t.nullable(t.string()),
  redirect_uri: t.string({ description: 'To be registered at the provider.' }),
  backchannel_logout_uri: t.string(),
  links: Links,
});
export const SignInProviderEnvelope = t.envelope('sign_in_provider', SignInProvider);
export const SignInProviderList = t.object({ links: ListLinks, sign_in_providers: t.array(SignInProvider) });

export const renderSignInProvider = (base: string, issuer: string, row: SignInProviderRow) => ({
  id: row.id,
  enabled: row.enabled === 1,
  description: row.description,
  domain_id: row.domain_id,
  protocols: [
    ...(row.issuer !== null && row.openid_mapping !== null ? [OPENID] : []),
    ...(row.wallet_id !== null && row.wallet_mapping !== null ? [OPENID4VP] : []),
  ],
  name: row.button_name ?? row.wallet_name,
  issuer: row.issuer,
  button_order: row.button_order,
  email_domains: JSON.parse(row.email_domains ?? '[]') as string[],
  mapping_id: row.openid_mapping ?? row.wallet_mapping,
  redirect_uri: issuer + callbackPath(row.id),
  backchannel_logout_uri: issuer + logoutPath(row.id),
  links: { self: base + pathOf(row.id) },
});

const AskedMetadata = t.object(
  {},
  {
    issuer: t.string({ minLength: 1, maxLength: 2048, description: 'The address of the provider, as in the OpenID settings.' }),
    resource: t.string({
      minLength: 1,
      maxLength: 2048,
      description: 'Instead of it, whose provider is looked for by WebFinger: `acct:name@host`, or an https address.',
    }),
  },
);
export const AskMetadata = t.envelope('metadata', AskedMetadata);
const address = t.nullable(t.string());
const names = t.array(t.string());
const Metadata = t.object({
  issuer: t.string(),
  authorization_endpoint: address,
  token_endpoint: address,
  userinfo_endpoint: address,
  jwks_uri: address,
  end_session_endpoint: address,
  registration_endpoint: address,
  scopes_supported: names,
  claims_supported: names,
  backchannel_logout_supported: t.boolean(),
  problems: t.array(t.string({ description: 'Why people could not sign in.' })),
});
export const MetadataEnvelope = t.envelope('metadata', Metadata);
export const renderMetadata = (found: ProviderMetadata) => ({
  ...found,
  scopes_supported: [...found.scopes_supported],
  claims_supported: [...found.claims_supported],
  problems: [...found.problems],
});

const Linked = t.object({
  id: t.string(),
  user: t.object({ id: t.string(), name: t.string(), domain_id: t.string() }),
  label: t.string({ description: 'How the provider names the person.' }),
  protocol: t.string(),
  by_address: t.boolean({ description: 'A trusted address led into the account, and no proof.' }),
  sessions: t.integer({ description: 'Sign-ins through the provider that have not ended.' }),
  created_at: t.string(),
  last_used_at: t.nullable(t.string()),
});
export const LinkedList = t.object({ links: ListLinks, provider_links: t.array(Linked) });

export const renderLinked = (_base: string, row: LinkedPerson) => ({
  id: row.id,
  user: { id: row.user_id, name: row.user_name, domain_id: row.user_domain_id },
  label: row.label,
  protocol: row.protocol_id,
  by_address: row.by_address === 1,
  sessions: Number(row.sessions),
  created_at: isoTime(row.created_at * 1000),
  last_used_at: row.last_used_at === null ? null : isoTime(row.last_used_at * 1000),
});

t.name({
  NewSignInProvider,
  CreateSignInProvider,
  SignInProvider,
  SignInProviderEnvelope,
  SignInProviderList,
  AskedProviderMetadata: AskedMetadata,
  AskProviderMetadata: AskMetadata,
  OpenidProviderMetadata: Metadata,
  OpenidProviderMetadataEnvelope: MetadataEnvelope,
  PersonOfProvider: Linked,
  PeopleOfProvider: LinkedList,
});
