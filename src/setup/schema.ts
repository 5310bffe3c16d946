// The format of a set-up file. The same schema validates a file, and is printed as a JSON Schema for editors.
import { type Schema, t } from '../platform/http/index.ts';
import { type WalletEntry, WalletSettings } from './wallet-schema.ts';

export const SCHEMA_ID = 'urn:gatehouse:setup:1';

/** The service removes blanks around these names. */
const trimmed = (maxLength: number): Schema<string> => t.string({ minLength: 1, maxLength, pattern: '^\\S([\\s\\S]*\\S)?$' });
const Name64 = trimmed(64);
const Name255 = trimmed(255);
const AnyName = t.string({ minLength: 1, maxLength: 255, pattern: '\\S' });
const FederationId = t.string({ minLength: 1, maxLength: 64, pattern: '^[A-Za-z0-9_.~-]+$' });
const Text = t.nullable(t.string());

/** Names that mean something else to JavaScript. */
const UNSAFE_NAMES = ['__proto__', 'constructor', 'prototype'];

/** Attributes of one's own, beyond the fields that the service knows. They must not replace those. */
const attributesWithout = (names: readonly string[]): Schema<Record<string, unknown>> => ({
  type: 'object',
  additionalProperties: true,
  propertyNames: {
    not: { enum: [...new Set([...names, 'id', 'links', 'name', 'description', 'enabled', 'extra', ...UNSAFE_NAMES])] },
  },
  description: 'Further attributes by their names. The service stores and returns them.',
});

const FileReference = t.object(
  { file: t.string({ minLength: 1, maxLength: 1024, description: 'A path, from the folder of this file or of --secrets.' }) },
  {},
  { description: 'A new file, which only the owner may read. The generated secret is written to it.' },
);
const SecretReference: Schema<{ file?: string; variable?: string } | null> = {
  type: ['object', 'null'],
  additionalProperties: false,
  minProperties: 1,
  maxProperties: 1,
  properties: {
    file: t.string({ minLength: 1, maxLength: 1024, description: 'A path, from the folder of this file or of --secrets.' }),
    variable: t.string({ pattern: '^SETUP_[A-Z0-9_]{1,100}$', description: 'An environment variable that begins with SETUP_.' }),
  },
  description: 'Where the secret is: a file or an environment variable. It is never in this file.',
};

const InDomain = (of: Schema<string>) => t.object({ name: of, domain: Name64 });
const OrganizationReference = InDomain(Name64);
const GroupReference = InDomain(Name255);
const UserReference = InDomain(AnyName);
/** The name of a role of the service, or the name and domain of a role of a domain. */
const RoleReference: Schema<string | { name: string; domain: string }> = {
  type: ['string', 'object'],
  minLength: 1,
  maxLength: 255,
  required: ['name', 'domain'],
  properties: { name: Name255, domain: Name64 },
  additionalProperties: false,
  description: 'The name of a role; for a role of a domain: its name and domain.',
};
/** A role or permission of the same application by its name, or of another one. */
const PartReference: Schema<string | { name: string; application: string }> = {
  type: ['string', 'object'],
  minLength: 1,
  maxLength: 255,
  required: ['name', 'application'],
  properties: { name: AnyName, application: AnyName },
  additionalProperties: false,
  description: 'Its name; if it belongs to another application: its name and that application.',
};

const Tags = t.array(t.string({ minLength: 1, maxLength: 255, pattern: '^[^,/]*$' }), { maxItems: 80, uniqueItems: true });
const Immutable = t.boolean({ description: 'It cannot be changed or deleted until this is false.' });
const projectFields = {
  description: t.string(),
  enabled: t.boolean(),
  tags: Tags,
  immutable: Immutable,
  attributes: attributesWithout([
    ...['domain_id', 'parent_id', 'is_domain', 'tags', 'options', 'parents', 'subtree'],
    'explicit_domain_id',
  ]),
};
const Role = t.object(
  { name: Name255 },
  {
    description: Text,
    immutable: Immutable,
    attributes: attributesWithout(['domain_id', 'options']),
    implies: t.array(RoleReference, { description: 'Whoever has this role has these, too.' }),
  },
);
const Group = t.object({ name: Name255 }, { description: t.string(), attributes: attributesWithout(['domain_id']) });
const Organizations = {
  type: 'array',
  items: { $ref: '#/$defs/organization' },
  description: 'Organizations (projects) below this one.',
} as Schema<OrganizationEntry[]>;
const Organization = t.object({ name: Name64 }, { ...projectFields, organizations: Organizations });
const ScimConnection = t.object({ name: AnyName }, { token_to: FileReference });
const Domain = t.object(
  { name: Name64 },
  {
    ...projectFields,
    roles: t.array(Role, { description: 'Roles of this domain. They have effect through the roles that they imply.' }),
    organizations: Organizations,
    groups: t.array(Group),
    scim_connections: t.array(ScimConnection, { description: 'Provisioning connections of this domain.' }),
  },
);

const RegionId = t.string({ minLength: 1, maxLength: 255, pattern: '^[^/]+$' });
const Region = t.object(
  { id: RegionId },
  { description: t.string(), parent: t.nullable(RegionId), attributes: attributesWithout(['parent_region_id']) },
);
const Endpoint = t.object(
  { interface: t.oneOf('public', 'internal', 'admin'), url: t.string({ minLength: 1, maxLength: 2048 }) },
  {
    region: t.nullable(RegionId),
    enabled: t.boolean(),
    name: Text,
    description: Text,
    attributes: attributesWithout(['service_id', 'region_id', 'region', 'interface', 'url']),
  },
);
const Service = t.object(
  { type: t.string({ minLength: 1, maxLength: 255 }), name: t.string({ maxLength: 255 }) },
  {
    description: Text,
    enabled: t.boolean(),
    attributes: attributesWithout(['type']),
    endpoints: t.array(Endpoint),
  },
);

export const OPENID_FIELDS = {
  post_logout_redirect_uris: t.array(t.string(), { maxItems: 100 }),
  backchannel_logout_uri: Text,
  backchannel_logout_session_required: t.nullable(t.boolean()),
  id_token_claims: t.nullable(t.boolean()),
  id_token_signed_response_alg: t.nullable(t.oneOf('RS256', 'ES256', 'EdDSA')),
  token_endpoint_auth_method: t.nullable(t.oneOf('client_secret_basic', 'client_secret_post', 'none')),
  require_pushed_authorization_requests: t.nullable(t.boolean()),
  dpop_bound_access_tokens: t.nullable(t.boolean()),
  default_max_age: t.nullable(t.integer({ minimum: 0 })),
  require_auth_time: t.nullable(t.boolean()),
  initiate_login_uri: Text,
  client_uri: Text,
  policy_uri: Text,
  tos_uri: Text,
  logo_uri: Text,
  url: Text,
} as const;
const applicationFields = {
  description: Text,
  client_type: t.oneOf('confidential', 'public'),
  grant_type: t.oneOf('authorization_code', 'password', 'client_credentials', 'refresh_token', 'implicit'),
  kind: t.nullable(t.oneOf('web', 'spa', 'device', 'service', 'proxy')),
  redirect_uris: t.array(t.string({ maxLength: 2048 }), { maxItems: 100, uniqueItems: true }),
  scopes: t.array(t.string({ minLength: 1, maxLength: 255 }), { maxItems: 100, uniqueItems: true }),
  ...OPENID_FIELDS,
};
const ApplicationRole = t.object(
  { name: AnyName },
  {
    internal: t.boolean({ description: 'It works in every application. Only administrators change it.' }),
    permissions: t.array(PartReference),
  },
);
const Permission = t.object(
  { name: AnyName },
  {
    action: t.nullable(t.string({ maxLength: 255 })),
    resource: t.nullable(t.string({ maxLength: 2048 })),
    xml: Text,
    internal: t.boolean(),
  },
);
const ApplicationAssignments = t.object(
  {},
  {
    organizations: t.array(t.object({ role: PartReference, organization: OrganizationReference })),
    users: t.array(t.object({ role: PartReference, user: UserReference, organization: OrganizationReference })),
  },
  { description: 'Who has which role in this application.' },
);
const Application = t.object(
  { name: AnyName },
  {
    id: t.string({
      minLength: 1,
      maxLength: 64,
      description: 'Names an existing application: to rename it, or if several have the same name.',
    }),
    ...applicationFields,
    attributes: attributesWithout([
      ...Object.keys(applicationFields),
      ...['response_type', 'secret', 'previous_secret_expires_at'],
    ]),
    secret_to: FileReference,
    roles: t.array(ApplicationRole),
    permissions: t.array(Permission),
    assignments: ApplicationAssignments,
  },
);

const Mapping = t.object(
  { id: FederationId, rules: t.array(t.unknown({ description: 'A rule: local and remote.' }), { maxItems: 1000 }) },
  { schema_version: t.oneOf('1.0', '2.0', '3.0') },
);
const Openid = t.object(
  { issuer: t.string({ minLength: 1, maxLength: 2048 }), client_id: t.string({ minLength: 1, maxLength: 255 }) },
  {
    client_secret: SecretReference,
    scopes: t.array(t.string({ minLength: 1, maxLength: 100 }), { maxItems: 20, uniqueItems: true }),
    button_name: t.nullable(t.string({ minLength: 1, maxLength: 64 })),
    email_domains: t.array(t.string({ maxLength: 253 }), { maxItems: 100, uniqueItems: true }),
    trusts_email: t.boolean(),
    whole_service: t.boolean(),
    may_give_admin: t.boolean(),
    accepts_tokens: t.boolean(),
  },
);
const IdentityProvider = t.object(
  { id: FederationId, domain: Name64 },
  {
    enabled: t.boolean(),
    description: Text,
    remote_ids: t.array(t.string({ minLength: 1, maxLength: 255 }), { uniqueItems: true, maxItems: 100 }),
    authorization_ttl: t.nullable(t.integer({ minimum: 0, maximum: 2_000_000_000 })),
    protocols: t.array(
      t.object({ id: FederationId, mapping: FederationId }, { remote_id_attribute: t.nullable(t.string({ maxLength: 64 })) }),
    ),
    openid: Openid,
    openid4vp: WalletSettings,
  },
);

const scope = {
  organization: OrganizationReference,
  domain: Name64,
  system: t.boolean({ description: 'true: on the system.' }),
  inherited: t.boolean({ description: 'For the organizations below, not for the place itself.' }),
};
const Grants = t.object(
  {},
  {
    groups: t.array(t.object({ role: RoleReference, group: GroupReference }, scope)),
    users: t.array(t.object({ role: RoleReference, user: UserReference }, scope)),
  },
  { description: 'Base roles of groups and users; each on one of organization, domain or system.' },
);

const RegisteredLimit = t.object(
  {
    service: t.object({ type: t.string({ minLength: 1, maxLength: 255 }), name: t.string({ maxLength: 255 }) }),
    resource: t.string({ minLength: 1, maxLength: 255, description: 'What is limited, by the name that the service gave it.' }),
    default_limit: t.integer({ minimum: -1, maximum: 0x7fffffff, description: '-1 stands for no limit.' }),
  },
  { region: t.nullable(RegionId), description: Text },
  { description: 'How much of a resource everybody may use by default.' },
);
const Limits: Schema<never> = {
  not: {},
  description: 'Not supported: a list of limits has only those of the project or domain that the token is for.',
};

export const SetupSchema = {
  $id: SCHEMA_ID,
  title: 'Set-up of a Gatehouse identity service',
  ...t.object(
    { version: { type: 'integer', const: 1, description: 'The version of this format.' } as Schema<1> },
    {
      domains: t.array(Domain),
      roles: t.array(Role, { description: 'Base roles of the whole service.' }),
      catalog: t.object({}, { regions: t.array(Region), services: t.array(Service) }),
      applications: t.array(Application),
      mappings: t.array(Mapping),
      identity_providers: t.array(IdentityProvider),
      grants: Grants,
      registered_limits: t.array(RegisteredLimit),
      limits: Limits,
    },
  ),
  $defs: { organization: Organization },
} as Schema<SetupFile>;

type Json = null | boolean | number | string | readonly Json[] | { readonly [key: string]: Json };
export type Attributes = Readonly<Record<string, Json>>;
export type RoleRef = string | { readonly name: string; readonly domain: string };
export type PartRef = string | { readonly name: string; readonly application: string };
export interface NameInDomain {
  readonly name: string;
  readonly domain: string;
}
interface FileTarget {
  readonly file: string;
}
export type SecretRef = { readonly file: string } | { readonly variable: string };

export interface RoleEntry {
  readonly name: string;
  readonly implies?: readonly RoleRef[];
  readonly [field: string]: Json | undefined;
}
export interface OrganizationEntry {
  readonly name: string;
  readonly organizations?: readonly OrganizationEntry[];
  readonly [field: string]: unknown;
}
export interface DomainEntry {
  readonly name: string;
  readonly roles?: readonly RoleEntry[];
  readonly organizations?: readonly OrganizationEntry[];
  readonly groups?: readonly Readonly<{ name: string; description?: string; attributes?: Attributes }>[];
  readonly scim_connections?: readonly { readonly name: string; readonly token_to?: FileTarget }[];
  readonly [field: string]: unknown;
}
export interface ApplicationEntry {
  readonly name: string;
  readonly id?: string;
  readonly secret_to?: FileTarget;
  readonly roles?: readonly { readonly name: string; readonly internal?: boolean; readonly permissions?: readonly PartRef[] }[];
  readonly permissions?: readonly Readonly<Record<string, Json>>[];
  readonly assignments?: {
    readonly organizations?: readonly { readonly role: PartRef; readonly organization: NameInDomain }[];
    readonly users?: readonly {
      readonly role: PartRef;
      readonly user: NameInDomain;
      readonly organization: NameInDomain;
    }[];
  };
  readonly [field: string]: unknown;
}
export interface GrantEntry {
  readonly role: RoleRef;
  readonly group?: NameInDomain;
  readonly user?: NameInDomain;
  readonly organization?: NameInDomain;
  readonly domain?: string;
  readonly system?: boolean;
  readonly inherited?: boolean;
}
export interface IdentityProviderEntry {
  readonly id: string;
  readonly domain: string;
  readonly protocols?: readonly { readonly id: string; readonly mapping: string; readonly remote_id_attribute?: string | null }[];
  readonly openid?: Readonly<Record<string, Json>> & { readonly client_secret?: SecretRef | null };
  readonly openid4vp?: WalletEntry;
  readonly [field: string]: unknown;
}
export interface RegisteredLimitEntry {
  readonly service: { readonly type: string; readonly name: string };
  readonly resource: string;
  readonly default_limit: number;
  readonly region?: string | null;
  readonly description?: string | null;
}
export interface SetupFile {
  readonly version: 1;
  readonly domains?: readonly DomainEntry[];
  readonly roles?: readonly RoleEntry[];
  readonly catalog?: {
    readonly regions?: readonly Readonly<Record<string, Json>>[];
    readonly services?: readonly Readonly<Record<string, Json>>[];
  };
  readonly applications?: readonly ApplicationEntry[];
  readonly mappings?: readonly Readonly<Record<string, Json>>[];
  readonly identity_providers?: readonly IdentityProviderEntry[];
  readonly grants?: { readonly groups?: readonly GrantEntry[]; readonly users?: readonly GrantEntry[] };
  readonly registered_limits?: readonly RegisteredLimitEntry[];
}
export type { Json };

/** For editors. */
export const setupJsonSchema = (): Record<string, unknown> => ({
  $schema: 'http://json-schema.org/draft-07/schema#',
  ...SetupSchema,
});
