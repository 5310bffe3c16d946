// Wire format of users.
import { isoTime } from '../../../platform/clock.ts';
import { type Schema, type Static, t } from '../../../platform/http/index.ts';
import { inactivityEnd } from '../../access/context/index.ts';
import { Extra, Links, ListLinks, membersOf, parseJson } from '../../ground/resource/index.ts';
import { PLAIN_ADDRESS } from './email-text.ts';
import { sharedOf } from './profile.ts';
import type { AccountAtProvider, ListedUser } from './users.store.ts';

export const Name = t.string({ minLength: 1, maxLength: 255, pattern: '\\S' });
export const Id = t.string({ minLength: 1, maxLength: 64 });

/** Long enough for any passphrase, short enough to hash quickly. */
export const Password = t.string({ minLength: 1, maxLength: 4096 });

export const UserOptions = t.object(
  {},
  {
    ignore_change_password_upon_first_use: t.nullable(t.boolean()),
    ignore_password_expiry: t.nullable(t.boolean()),
    ignore_lockout_failure_attempts: t.nullable(t.boolean()),
    ignore_user_inactivity: t.nullable(t.boolean()),
    ignore_two_factor_policy: t.nullable(t.boolean()),
    lock_password: t.nullable(t.boolean()),
    multi_factor_auth_enabled: t.nullable(t.boolean()),
    multi_factor_auth_rules: t.nullable(t.array(t.array(t.string(), { minItems: 1, uniqueItems: true }), { uniqueItems: true })),
  },
);

/** Of any type, as in Keystone: what is no text is stored, and means nothing here. */
const personAttribute = (description: string, example: string): Schema<unknown> =>
  t.unknown({ description, examples: [example] });
const personAttributes = {
  given_name: personAttribute(
    'A text of 100 characters at most. The claim of OpenID Connect, and `name.givenName` of SCIM.',
    'Ada',
  ),
  family_name: personAttribute('The claim of OpenID Connect, and `name.familyName` of SCIM.', 'Lovelace'),
  language: personAttribute(
    'The language of pages and mails, a tag of BCP 47. The claim `locale` of OpenID Connect, and `preferredLanguage` of SCIM.',
    'es',
  ),
  zoneinfo: personAttribute('A zone of the IANA database. The claim of OpenID Connect, and `timezone` of SCIM.', 'Europe/Madrid'),
};

const optional = {
  domain_id: Id,
  enabled: t.boolean(),
  default_project_id: t.nullable(Id),
  password: t.nullable(Password),
  options: UserOptions,
  description: t.nullable(t.string()),
  email: t.nullable(t.string({ maxLength: 320, pattern: PLAIN_ADDRESS })),
  ...personAttributes,
};

/** As in Keystone. */
const Federated = t.array(
  t.open({
    idp_id: Id,
    protocols: t.array(t.open({ protocol_id: Id, unique_id: t.string({ minLength: 1, maxLength: 255 }) }), {
      minItems: 1,
      maxItems: 20,
    }),
  }),
  {
    maxItems: 20,
    description:
      'Accounts at identity providers. Only in a new user, by administrators: whoever has such an account signs in as this user.',
  },
);

/** An account at a provider. */
export type FederatedObject = Static<typeof Federated>[number];

/** Known fields. Other attributes are stored as they are. */
export const userFields = [
  'name',
  'domain_id',
  'enabled',
  'default_project_id',
  'password',
  'options',
  'password_expires_at',
  'original_password',
  'federated',
];

/** Fields of a new user. */
export const newUserFields = { required: { name: Name }, optional };
const NewUser = t.open(newUserFields.required, { ...newUserFields.optional, federated: Federated });
export const CreateUser = t.envelope('user', NewUser);
const UserChanges = t.changes(t.open({}, { name: Name, ...optional, federated: Federated }));
export const UpdateUser = t.envelope('user', UserChanges);
const Code = t.string({ minLength: 1, maxLength: 64 });
/** With the second factor of a user who has one. */
export const ChangePassword = t.envelope(
  'user',
  t.open({ password: Password, original_password: Password }, { verification_code: Code, recovery_code: Code }),
);

/** Fields of a user in answers. */
export const shownUserFields = {
  required: {
    id: t.string(),
    name: t.string(),
    domain_id: t.string(),
    enabled: t.boolean(),
    password_expires_at: t.nullable(t.string()),
    options: t.record(t.unknown()),
    links: Links,
  },
  optional: {
    default_project_id: t.nullable(t.string()),
    description: t.nullable(t.string()),
    email: t.nullable(t.string()),
    ...personAttributes,
    extra: Extra,
    federated: t.array(
      t.object({ idp_id: t.string(), protocols: t.array(t.object({ protocol_id: t.string(), unique_id: t.string() })) }),
      { description: 'Accounts at identity providers that the user signs in by. Not in lists.' },
    ),
  },
};
export const User = t.open(shownUserFields.required, shownUserFields.optional);

export const UserEnvelope = t.envelope('user', User);
export const UserList = t.object({ links: ListLinks, users: t.array(User) });

export interface UserRendering {
  readonly base: string;
  readonly now: number;
  readonly daysInactive: number | undefined;
}

/**
 * The same as JSON text, for lists. Attributes and options are stored as JSON, and go into it as they are: to read and write them again
 * would be half of the work for a list. Attributes have none of the names that follow (`userFields`).
 */
export function userText(row: ListedUser, { base, now, daysInactive }: UserRendering): string {
  const inactiveFrom = inactivityEnd(row, daysInactive);
  const enabled = row.enabled === 1 && (inactiveFrom === null || now < inactiveFrom);
  const project = row.default_project_id === null ? '' : `"default_project_id":${JSON.stringify(row.default_project_id)},`;
  const expiry = row.password_expires_at === null ? 'null' : `"${isoTime(row.password_expires_at * 1000)}"`;
  return `{${membersOf(row.extra)}"id":${JSON.stringify(row.id)},"name":${JSON.stringify(row.name)},"domain_id":${JSON.stringify(row.domain_id)},"enabled":${enabled},${project}"password_expires_at":${expiry},"options":${row.options},"links":{"self":${JSON.stringify(`${base}/v3/users/${row.id}`)}}}`;
}

export function renderUser(
  row: ListedUser & { readonly profile?: string; readonly federated?: readonly AccountAtProvider[] },
  { base, now, daysInactive }: UserRendering,
) {
  const inactiveFrom = inactivityEnd(row, daysInactive);
  return {
    ...parseJson(row.extra),
    ...(row.profile === undefined ? {} : sharedOf(parseJson(row.profile))),
    id: row.id,
    name: row.name,
    domain_id: row.domain_id,
    enabled: row.enabled === 1 && (inactiveFrom === null || now < inactiveFrom),
    ...(row.default_project_id === null ? {} : { default_project_id: row.default_project_id }),
    password_expires_at: row.password_expires_at === null ? null : isoTime(row.password_expires_at * 1000),
    options: parseJson(row.options),
    ...(row.federated?.length ? { federated: federatedOf(row.federated) } : {}),
    links: { self: `${base}/v3/users/${row.id}` },
  };
}

/** As in Keystone: by provider and protocol. */
const federatedOf = (accounts: readonly AccountAtProvider[]) =>
  [...Map.groupBy(accounts, ({ idp_id }) => idp_id)].map(([idp_id, own]) => ({
    idp_id,
    protocols: own.map(({ protocol_id, unique_id }) => ({ protocol_id, unique_id })),
  }));

t.name({ UserOptions, NewUser, CreateUser, UserChanges, UpdateUser, ChangePassword, User, UserEnvelope, UserList });
