// What is compared: things that a file wants and things that a service has, with names instead of ids.

export type Json = null | boolean | number | string | readonly Json[] | { readonly [key: string]: Json };
export type SecretRef = { readonly file: string } | { readonly variable: string };
export type Path = readonly (string | number)[];

/** In the order of creation. Deleting goes the other way. */
export const KINDS = [
  // What comes after may need it, such as the depth of organizations.
  'settings',
  'picture',
  'mail_text',
  'domain',
  // Before groups: those of a directory are not created here.
  'domain_settings',
  'domain_picture',
  'region',
  'role',
  'implied_role',
  'organization',
  'group',
  'service',
  'endpoint',
  'registered_limit',
  'application',
  'application_picture',
  'permission',
  'application_role',
  'role_permission',
  'api',
  'credential_type',
  'credential_target',
  'mapping',
  'identity_provider',
  'protocol',
  'openid',
  'openid4vp',
  'scim_connection',
  'group_grant',
  'user_grant',
  'organization_assignment',
  'user_assignment',
] as const;
export type Kind = (typeof KINDS)[number];

/** The names that identify a thing of a kind, the widest first: the domain before the group. */
export type Key = readonly (string | boolean | null)[];
export type Fields = Readonly<Record<string, Json>>;

export interface SetupItem {
  readonly kind: Kind;
  readonly key: Key;
  /** Only those that the file has. Others stay as they are. */
  readonly fields: Fields;
  readonly path: Path;
  /** Where the secrets are that the service needs, by their fields. */
  readonly secrets?: Readonly<Record<string, SecretRef>>;
  /** The file for a secret that the service generates. */
  readonly secretTo?: string;
}

export interface FixedField {
  /** Undefined if the service has no such field. */
  readonly value: Json | undefined;
  readonly why: string;
}

export interface ExistingItem {
  readonly kind: Kind;
  readonly key: Key;
  readonly fields: Fields;
  /** Address of the thing in the API. */
  readonly url: string;
  readonly id: string;
  /** Why it is never deleted. */
  readonly keep?: string;
  /** Why it is never changed. */
  readonly locked?: string;
  /** Fields that nobody can change by a request. */
  readonly fixed?: Readonly<Record<string, FixedField>>;
  /** What an export cannot say of it, for the operator. */
  readonly leftOut?: readonly string[];
  /** Every service has it. Nobody expects that it is deleted, so nothing is said about it. */
  readonly builtIn?: boolean;
  /** Several things of the service have this key. */
  readonly ambiguous?: boolean;
}

/** What a file names completely: things of this kind whose key begins so can be deleted if the file does not have them. */
export interface PruneScope {
  readonly kind: Kind;
  readonly prefix: Key;
  /** Only where a field has one of these values. */
  readonly where?: { readonly field: string; readonly values: readonly string[] };
}

export const keyText = (kind: Kind | 'user', key: Key): string => JSON.stringify([kind, ...key]);

export type Action = 'create' | 'update' | 'delete';

export interface Change {
  readonly action: Action;
  readonly kind: Kind;
  readonly key: Key;
  /** Before and after, of the fields that change. */
  readonly fields: Readonly<Record<string, { readonly from?: Json; readonly to?: Json }>>;
  readonly wanted?: SetupItem;
  readonly found?: ExistingItem;
}
