// Which table is in the file with a person's data, and why others are not. A new table needs an entry here: the compiler asks for it, and
// personal-data.test.ts checks it.
import type { Tables } from '../database.ts';

/** A section of the file, or the reason why the table is left out. */
export type TableCoverage = { readonly section: string } | { readonly leftOut: string };

const inSection = (section: string): TableCoverage => ({ section });
const NOT_PERSONAL: TableCoverage = { leftOut: 'It is not about people.' };
const SECRETS_ONLY: TableCoverage = { leftOut: 'It holds nothing but hashes of secrets.' };
const ON_ITS_WAY: TableCoverage = { leftOut: 'A queue: a row is deleted when it was sent.' };

export const TABLE_COVERAGE: Readonly<Record<keyof Tables, TableCoverage>> = {
  users: inSection('account'),
  user_emails: { leftOut: 'The addresses of the profile, as they are compared.' },
  user_words: { leftOut: 'Words of the name, the addresses and the profile, as they are searched for.' },
  user_name_forms: { leftOut: 'The user name, as it is compared.' },
  passwords: inSection('passwords'),
  login_failures: inSection('login_failures'),
  wrong_passwords: { leftOut: 'Counts under a hash, deleted after a quarter of an hour.' },
  directory_users: inSection('directory_entry'),
  group_members: inSection('groups'),
  grants: inSection('roles'),
  app_user_roles: inSection('application_roles'),
  given_entries: inSection('provisioned_entries'),
  two_factor: inSection('two_factor'),
  factor_attempts: inSection('two_factor'),
  recovery_codes: inSection('two_factor'),
  devices: inSection('devices'),
  device_tokens: SECRETS_ONLY,
  passkeys: inSection('passkeys'),
  provider_links: inSection('provider_accounts'),
  provider_sessions: { leftOut: 'The sessions, as a provider names them, and its sealed tokens.' },
  credentials: inSection('credentials'),
  openid_records: inSection('sessions'),
  openid_sessions: inSection('session_use'),
  pictures: inSection('picture'),
  links: inSection('links'),
  registrations: inSection('registration'),
  registration_keys: inSection('registration'),
  invitations: inSection('invitations'),
  account_deletions: inSection('account_deletion'),
  audit_events: inSection('events'),
  mails: ON_ITS_WAY,
  outbox: ON_ITS_WAY,
  logouts: ON_ITS_WAY,

  identity_providers: NOT_PERSONAL,
  identity_provider_remote_ids: NOT_PERSONAL,
  mappings: NOT_PERSONAL,
  federation_protocols: NOT_PERSONAL,
  openid_providers: NOT_PERSONAL,
  used_logout_tokens: SECRETS_ONLY,
  projects: NOT_PERSONAL,
  project_tags: NOT_PERSONAL,
  groups: NOT_PERSONAL,
  directory_groups: NOT_PERSONAL,
  directory_syncs: NOT_PERSONAL,
  roles: NOT_PERSONAL,
  implied_roles: NOT_PERSONAL,
  regions: NOT_PERSONAL,
  services: NOT_PERSONAL,
  endpoints: NOT_PERSONAL,
  consumers: NOT_PERSONAL,
  application_logos: NOT_PERSONAL,
  app_roles: NOT_PERSONAL,
  app_permissions: NOT_PERSONAL,
  app_role_permissions: NOT_PERSONAL,
  app_organization_roles: NOT_PERSONAL,
  scim_connections: NOT_PERSONAL,
  scim_requests: NOT_PERSONAL,
  openid_keys: NOT_PERSONAL,
  token_keys: NOT_PERSONAL,
  revoked_tokens: NOT_PERSONAL,
  service_facts: NOT_PERSONAL,
};
