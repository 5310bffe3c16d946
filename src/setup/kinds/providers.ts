// Identity providers with their protocols and settings, and mappings.
import { X509Certificate } from 'node:crypto';
import { t } from '../../platform/http/index.ts';
import { READ_FORMATS } from '../../verifiable/formats/index.ts';
import type { Body } from '../client.ts';
import type { Json, Key, SecretRef } from '../model.ts';
import { pathId, type State, textOf } from '../state.ts';
import { type Field, type KindDefinition, ruleOf } from './kind.ts';
import { lowerCase, Name64, nullableText, quote, SECRET, SecretReference } from './shared.ts';

const MAPPINGS = '/v3/OS-FEDERATION/mappings';
const PROVIDERS = '/v3/OS-FEDERATION/identity_providers';
const FederationId = t.string({ minLength: 1, maxLength: 64, pattern: '^[A-Za-z0-9_.~-]+$' });
const idOnly = ([id]: Key) => ({ id });
const keyById = ({ id }: { readonly id: string }): Key => [id];
const providerPath = (id: Key[number] | undefined): string => `${PROVIDERS}/${pathId(String(id))}`;
const eachProvider = async (state: State, work: (id: string) => Promise<void>): Promise<void> => {
  await state.client.each(await state.list(PROVIDERS), (body) => work(textOf(body, 'id')));
};

type DomainRef = { readonly id: string } | { readonly name: string };
const isDomainRef = (value: unknown): value is DomainRef => {
  const [[key, said] = [], ...more] = typeof value === 'object' && value !== null ? Object.entries(value) : [];
  return more.length === 0 && (key === 'id' || key === 'name') && typeof said === 'string' && !said.includes('{');
};

/** The rules with other words for the domains that they name. */
const withDomains = (rules: Json, convert: (domain: DomainRef) => DomainRef): Json =>
  JSON.parse(JSON.stringify(rules), (key, value: unknown) =>
    key === 'domain' && isDomainRef(value) ? convert(value) : value,
  ) as Json;

function domainsIn(rules: Json): string[] {
  const names: string[] = [];
  withDomains(rules, (domain) => {
    if ('name' in domain) names.push(domain.name);
    return domain;
  });
  return names;
}

/** The id of a domain is another one in each service, so files have names. Those of domains that the caller does not see stay as they are. */
const withNames = (rules: Json, state: State): Json =>
  withDomains(rules, (domain) => {
    const name = 'id' in domain ? state.domainName(domain.id) : '';
    return name === '' ? domain : { name };
  });

export const mapping: KindDefinition = {
  label: ([id]) => `mapping ${quote(id)}`,
  required: { id: FederationId },
  fields: {
    rules: {
      schema: t.array(t.unknown({ description: 'A rule: local and remote. Domains by their names.' }), { maxItems: 1000 }),
      isRequired: true,
      read: ({ rules }, state) => withNames(rules as Json, state),
      asRead: withNames,
      // The name may change later.
      send: (rules, { ids }) =>
        withDomains(rules, (domain) => ('name' in domain ? { id: ids('domain', [domain.name]) } : domain)),
    },
    schema_version: { schema: t.oneOf('1.0', '2.0', '3.0'), initial: '1.0' },
  },
  keyOf(entry: { readonly id: string; readonly rules: Json }, _above, { refer }) {
    for (const name of domainsIn(entry.rules)) refer('domain', [name], 'rules');
    return keyById(entry);
  },
  entryOf: idOnly,
  collection: MAPPINGS,
  async read(state) {
    for (const body of await state.list(MAPPINGS)) state.add('mapping', [textOf(body, 'id')], body);
  },
  address: ([id]) => `${MAPPINGS}/${pathId(String(id))}`,
  changesAll: true,
  rule: ruleOf('identity:*_mapping'),
};

interface ProviderEntry {
  readonly id: string;
  readonly domain: string;
}

export const identity_provider: KindDefinition = {
  label: ([id]) => `identity provider ${quote(id)}`,
  required: { id: FederationId },
  fields: {
    domain: {
      schema: Name64,
      isRequired: true,
      fixed: 'the domain of an identity provider cannot be changed',
      read: (body, state) => state.domainName(body.domain_id),
    },
    enabled: { schema: t.boolean(), initial: false },
    description: nullableText,
    remote_ids: {
      schema: t.array(t.string({ minLength: 1, maxLength: 255 }), { uniqueItems: true, maxItems: 100 }),
      initial: [],
      isSet: true,
    },
    authorization_ttl: { schema: t.nullable(t.integer({ minimum: 0, maximum: 2_000_000_000 })), initial: null },
  },
  lists: {
    protocols: { kind: 'protocol' },
    openid: { kind: 'openid', isOne: true },
    openid4vp: { kind: 'openid4vp', isOne: true },
  },
  keyOf({ id, domain }: ProviderEntry, _above, { refer }) {
    refer('domain', [domain], 'domain');
    return [id];
  },
  scopes: (_list, domains) => [{ prefix: [], where: { field: 'domain', values: domains } }],
  entryOf: idOnly,
  collection: PROVIDERS,
  async read(state) {
    for (const body of await state.list(PROVIDERS)) state.add('identity_provider', [textOf(body, 'id')], body);
  },
  address: ([id]) => providerPath(id),
  body: (_key, ids, { domain }) => ({ domain_id: ids('domain', [domain as string]) }),
  rule: ruleOf('identity:*_identity_provider'),
};

interface ProtocolEntry {
  readonly id: string;
  readonly mapping: string;
}

export const protocol: KindDefinition = {
  label: ([provider, id]) => `protocol ${quote(id)} of identity provider ${quote(provider)}`,
  required: { id: FederationId },
  fields: {
    mapping: { schema: FederationId, isRequired: true, api: 'mapping_id' },
    remote_id_attribute: { schema: t.nullable(t.string({ maxLength: 64 })), initial: null },
  },
  keyOf({ id, mapping: by }: ProtocolEntry, [provider], { refer }) {
    refer('mapping', [by], 'mapping');
    return [provider!, id];
  },
  entryOf: ([, id]) => ({ id }),
  needs: ['identity_provider', 'mapping'],
  read: (state) =>
    eachProvider(state, async (provider) => {
      for (const body of await state.list(`${providerPath(provider)}/protocols`)) {
        const key = [provider, textOf(body, 'id')];
        state.add('protocol', key, body, { url: protocol.address!(key, () => '') });
      }
    }),
  address: ([provider, id]) => `${providerPath(provider)}/protocols/${pathId(String(id))}`,
  rule: ruleOf('identity:*_protocol'),
};

const flag: Field = { schema: t.boolean(), initial: false };
const emailDomains: Field = {
  schema: t.array(t.string({ maxLength: 253 }), { maxItems: 100, uniqueItems: true }),
  stored: lowerCase,
  initial: [],
  isSet: true,
};
const ButtonName = t.nullable(t.string({ minLength: 1, maxLength: 64 }));

/** How people sign in by a provider, by one protocol. */
const settingsOf = (kind: 'openid' | 'openid4vp') =>
  ({
    keyOf: (_entry: unknown, above: Key) => above,
    entryOf: () => ({}),
    needs: ['identity_provider'],
    read: (state: State) =>
      eachProvider(state, async (id) => {
        const url = `${providerPath(id)}/${kind}`;
        const body = (await state.client.find(url))?.[kind] as Body | undefined;
        if (body) state.add(kind, [id], body, { url });
      }),
    address: ([id]) => `${providerPath(id)}/${kind}`,
    rule: () => 'identity:update_identity_provider',
  }) satisfies Partial<KindDefinition>;

/** A profile leaves no choice about them. */
const BY_PROFILE: readonly string[] = ['client_authentication', 'request_form', 'token_binding'];

export const openid: KindDefinition = {
  ...settingsOf('openid'),
  label: ([id]) => `OpenID settings of identity provider ${quote(id)}`,
  fields: {
    issuer: { schema: t.string({ minLength: 1, maxLength: 2048 }), isRequired: true, sendsSecret: true },
    client_id: { schema: t.string({ minLength: 1, maxLength: 255 }), isRequired: true },
    client_secret: {
      schema: SecretReference,
      read: ({ has_client_secret: has }) => (has === true ? SECRET : null),
      stored: (secret: SecretRef | null) => (secret === null ? null : SECRET),
      initial: null,
      sendsSecret: true,
    },
    scopes: {
      schema: t.array(t.string({ minLength: 1, maxLength: 100 }), { maxItems: 20, uniqueItems: true }),
      stored: (scopes: readonly string[]) => [...new Set(['openid', ...scopes])],
      isSet: true,
    },
    button_name: { schema: ButtonName, initial: null },
    button_order: { schema: t.nullable(t.integer({ minimum: 0, maximum: 10_000 })), initial: null },
    email_domains: emailDomains,
    trusts_email: flag,
    whole_service: flag,
    may_give_admin: flag,
    accepts_tokens: flag,
    accepts_initiated_login: flag,
    profile: { schema: t.oneOf('none', 'fapi2'), initial: 'none' },
    response_mode: { schema: t.oneOf('query', 'form_post'), initial: 'query' },
    client_authentication: {
      schema: t.oneOf('client_secret_basic', 'client_secret_post', 'private_key_jwt'),
      initial: 'client_secret_basic',
    },
    signing_alg: { schema: t.oneOf('ES256', 'PS256', 'RS256'), initial: 'ES256' },
    request_form: {
      schema: t.oneOf('parameters', 'pushed', 'signed', 'signed_by_reference', 'unsigned_by_reference'),
      initial: 'parameters',
    },
    token_binding: { schema: t.oneOf('none', 'dpop'), initial: 'none' },
    claims_uri: { schema: t.nullable(t.string({ minLength: 1, maxLength: 2048 })), initial: null },
  },
  secretOf: ({ client_secret: secret }: { readonly client_secret?: SecretRef | null }) =>
    secret ? { secrets: { client_secret: secret } } : {},
  exported: ({ client_secret: secret, ...entry }, _found, fileFor) => ({
    ...entry,
    ...(secret === SECRET ? { client_secret: fileFor('secret') } : {}),
  }),
  whole({ client_secret: said, ...all }, changed, { secrets: { client_secret: secret } = {}, fields }, secrets) {
    // What the profile decides is not said as it was before.
    const isDecided = (name: string): boolean =>
      all.profile !== 'none' && BY_PROFILE.includes(name) && fields[name] === undefined;
    const settings = Object.fromEntries(Object.entries(all).filter(([name]) => !isDecided(name)));
    const sends = 'client_secret' in changed || 'issuer' in changed;
    if (!sends || fields.client_secret === undefined) return settings;
    return { ...settings, client_secret: secret ? secrets.read(secret) : null };
  },
};

const Name = t.string({ minLength: 1, maxLength: 255 });
const Credential = t.object(
  {
    format: t.oneOf(...READ_FORMATS),
    types: t.array(Name, { minItems: 1, maxItems: 10, uniqueItems: true }),
    subject: t.array(Name, {
      minItems: 1,
      maxItems: 3,
      description: 'The path of the claim that says who the person is.',
    }),
  },
  {
    claims: t.array(t.array(t.nullable(Name), { minItems: 1, maxItems: 4 }), {
      maxItems: 20,
      uniqueItems: true,
      description: 'Paths of further claims that are asked for; null at the end for all elements of a list.',
    }),
  },
);

const CERTIFICATE = /-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g;

/** As the service stores it, without what is around it. What is not one certificate is sent as it is, and refused there. */
function asStored(text: string): string {
  const [pem, ...others] = text.match(CERTIFICATE) ?? [];
  if (pem === undefined || others.length > 0) return text;
  try {
    return new X509Certificate(pem).toString();
  } catch {
    return text;
  }
}

/** Of a provider whose people show credentials from their wallets. They name issuers, or root certificates, or both. */
export const openid4vp: KindDefinition = {
  ...settingsOf('openid4vp'),
  label: ([id]) => `settings for wallets of identity provider ${quote(id)}`,
  fields: {
    credentials: {
      schema: t.array(Credential, { minItems: 1, maxItems: 5 }),
      isRequired: true,
      stored: (all: readonly { readonly claims?: Json }[]) => all.map((one) => ({ ...one, claims: one.claims ?? [] })),
    },
    issuers: {
      schema: t.array(t.string({ minLength: 1, maxLength: 2048 }), {
        maxItems: 50,
        uniqueItems: true,
        description: 'Who is trusted, exactly as they name themselves: DIDs or https addresses.',
      }),
      initial: [],
      isSet: true,
    },
    root_certificates: {
      schema: t.array(t.string({ minLength: 1, maxLength: 16_384 }), {
        maxItems: 20,
        description: 'PEM, one certificate each. Credentials with a certificate are trusted below these only.',
      }),
      stored: (all: readonly string[]) => [...new Set(all.map(asStored))],
      initial: [],
    },
    requires_status: {
      schema: t.boolean({ description: 'Whether a credential without an entry in a status list is refused.' }),
      initial: true,
    },
    name: { schema: ButtonName, initial: null },
    shown: { schema: t.boolean({ description: 'Whether wallets are asked for its credentials.' }), initial: true },
    email_domains: emailDomains,
    trusts_email: flag,
    whole_service: flag,
    may_give_admin: flag,
  },
  whole: (settings) => settings,
};
