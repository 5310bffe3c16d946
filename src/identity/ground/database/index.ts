// The tables of the identity service.

import type { AuditEventRow as AnyAuditEventRow } from '../../../platform/audit/index.ts';
import type { AuditExportRow } from '../../../platform/audit-export/index.ts';
import type { Database as AnyDatabase, Reader as AnyReader, Tx as AnyTx } from '../../../platform/database/index.ts';
import type { CatalogTables } from './catalog.ts';
import type { DelegationTables } from './delegations.ts';
import type { DirectoryTables } from './directories.ts';
import type { FactorTables } from './factors.ts';
import type { FederationTables } from './federation.ts';
import type { ImportTables } from './imports.ts';
import type { IssuedCredentialTables } from './issued-credentials.ts';
import type { LookTables } from './look.ts';
import type { LogoutRow, MailRow, OutboxRow } from './messages.ts';
import type { OperationTables } from './operation.ts';
import type { PasswordTables } from './passwords.ts';
import type { RegistrationTables } from './registration.ts';
import type { RoleCredentialTables } from './role-credentials.ts';
import type { SignInRequestTables } from './sign-in-requests.ts';

/** 0 or 1: both databases store booleans as integers. */
export type Bit = number;

export interface ProjectRow {
  id: string;
  name: string;
  domain_id: string | null;
  parent_id: string | null;
  is_domain: Bit;
  enabled: Bit;
  description: string;
  epoch: number;
  options: string;
  extra: string;
  created_at: number;
  version: number;
  updated_at: number;
  external_id: string | null;
  tokens_ended_at?: number | null | undefined;
}

export interface UserRow {
  id: string;
  domain_id: string;
  name: string;
  name_key: string;
  enabled: Bit;
  default_project_id: string | null;
  epoch: number;
  options: string;
  extra: string;
  last_active_at: number | null;
  created_at: number;
  version: number;
  updated_at: number;
  external_id: string | null;
  profile: string;
  confirmed_email: string | null;
  /** The version whose words are stored, by which the user is found (`user_words`). */
  words_version: number;
  tokens_ended_at?: number | null | undefined;
}

export interface GroupRow {
  id: string;
  domain_id: string;
  name: string;
  description: string;
  extra: string;
  created_at: number;
  version: number;
  updated_at: number;
  external_id: string | null;
}

export interface RoleRow {
  id: string;
  name: string;
  domain_id: string | null;
  description: string | null;
  options: string;
  extra: string;
  created_at: number;
}

export interface GroupMemberRow {
  group_id: string;
  user_id: string;
  display: string | null;
  /** When it ends, in seconds; null for never. */
  expires_at: number | null;
  /** 1: somebody else than a provider gave it, too. */
  kept: Bit;
}

export interface GrantRow {
  id: string;
  user_id: string | null;
  group_id: string | null;
  target_id: string | null;
  role_id: string;
  inherited: Bit;
  /** 1: somebody else than a provider gave it, too. */
  kept: Bit;
}

export interface ConsumerRow {
  id: string;
  name: string;
  description: string | null;
  client_type: string;
  grant_type: string;
  redirect_uris: string;
  scopes: string;
  extra: string;
  /** Whether people are not asked for consent; null: not set. */
  skips_consent: Bit | null;
  /** A hash of the redirect addresses, scopes, type and grants for which an administrator said so; null: of an earlier version. */
  skips_consent_for: string | null;
  /** Changes when all that the application has of people ends. */
  access_epoch: number;
  secret: string;
  /** The secret before it, which works until `previous_secret_until`. */
  previous_secret: string | null;
  previous_secret_until: number | null;
  created_at: number;
  /** How it registered itself; null: somebody registered it. */
  registered_by: 'token' | 'open' | 'document' | null;
  /** The domain whose policy let it register, and whose people may sign in; null: every domain whose policy says so. */
  registration_domain_id: string | null;
  /** The name of the token with which it registered. */
  registration_token: string | null;
  registration_access_hash: string | null;
  /** It is deleted then, unless it is used before. Null: somebody registered or kept it. */
  registration_expires_at: number | null;
}

export interface ApplicationLogoRow {
  consumer_id: string;
  id: string;
  media_type: string;
  content: string;
  created_at: number;
}

export interface AppRoleRow {
  id: string;
  application_id: string;
  name: string;
  is_internal: Bit;
  created_at: number;
}

export interface AppPermissionRow extends AppRoleRow {
  action: string | null;
  resource: string | null;
  xml: string | null;
}

export interface AppOrganizationRoleRow {
  id: string;
  organization_id: string;
  application_id: string;
  role_id: string;
}

export interface AppUserRoleRow extends AppOrganizationRoleRow {
  user_id: string;
}

export interface LinkRow {
  token_hash: string;
  purpose: string;
  subject: string;
  user_id: string | null;
  address: string;
  data: string;
  created_at: number;
  expires_at: number;
}

export interface RegistrationRow {
  user_id: string;
  project_id: string;
  cloud_project_id: string;
  created_at: number;
}

export interface RegistrationKeyRow {
  key_hash: string;
  purpose: 'activation' | 'reset';
  user_id: string;
  created_at: number;
  expires_at: number;
  ended_at: number | null;
}

export interface InvitationRow {
  id: string;
  domain_id: string;
  email: string;
  email_key: string;
  name: string | null;
  language: string | null;
  organization_id: string | null;
  role_id: string | null;
  group_ids: string;
  application_roles: string;
  inviter_id: string;
  inviter_scope: string;
  status: 'pending' | 'accepted' | 'withdrawn';
  created_at: number;
  sent_at: number;
  expires_at: number;
  ended_at: number | null;
  user_id: string | null;
}

export interface AccountDeletionRow {
  user_id: string;
  requested_at: number;
  due_at: number;
  user_version: number;
}

export interface ScimConnectionRow {
  id: string;
  domain_id: string;
  name: string;
  token_hash: string;
  created_at: number;
  last_used_at: number | null;
}

export interface ScimRequestRow {
  id: string;
  connection_id: string;
  at: number;
  method: string;
  path: string;
  status: number;
  detail: string | null;
  scim_type: string | null;
  milliseconds: number | null;
  request_id: string | null;
}

export interface OpenidRecordRow {
  id: string;
  model: string;
  payload: string;
  user_id: string | null;
  consumer_id: string | null;
  grant_id: string | null;
  uid: string | null;
  user_code: string | null;
  consumed_at: number | null;
  created_at: number;
  expires_at: number | null;
  generation: number | null;
}

export interface OpenidSessionRow {
  id: string;
  user_id: string;
  user_agent: string;
  address: string;
  signed_in_at: number;
  last_used_at: number;
}

export interface PictureRow {
  user_id: string;
  id: string;
  media_type: string;
  content: string;
  created_at: number;
}

export interface AuditEventRow extends AnyAuditEventRow {
  /** As it was at the time. Null for events that concern no domain. */
  domain_id: string | null;
  application_id: string | null;
  /** The person concerned, when they are not the target. */
  user_id: string | null;
}

export interface Tables
  extends CatalogTables,
    FactorTables,
    FederationTables,
    DelegationTables,
    DirectoryTables,
    RoleCredentialTables,
    IssuedCredentialTables,
    LookTables,
    RegistrationTables,
    SignInRequestTables,
    ImportTables,
    PasswordTables,
    OperationTables {
  projects: ProjectRow;
  project_tags: { project_id: string; name: string };
  users: UserRow;
  user_emails: { user_id: string; value_key: string };
  user_words: { user_id: string; domain_id: string; word: string };
  user_name_forms: { user_id: string; domain_id: string; form: string };
  groups: GroupRow;
  group_members: GroupMemberRow;
  roles: RoleRow;
  implied_roles: { prior_role_id: string; implied_role_id: string };
  grants: GrantRow;
  consumers: ConsumerRow;
  application_logos: ApplicationLogoRow;
  app_roles: AppRoleRow;
  app_permissions: AppPermissionRow;
  app_role_permissions: { role_id: string; permission_id: string };
  app_user_roles: AppUserRoleRow;
  app_organization_roles: AppOrganizationRoleRow;
  given_entries: { user_id: string; entry: string };
  outbox: OutboxRow;
  mails: MailRow;
  links: LinkRow;
  logouts: LogoutRow;
  registrations: RegistrationRow;
  accepted_terms: { user_id: string; version: string; url: string; accepted_at: number };
  waiting_registrations: { user_id: string; created_at: number };
  registration_keys: RegistrationKeyRow;
  invitations: InvitationRow;
  account_deletions: AccountDeletionRow;
  scim_connections: ScimConnectionRow;
  scim_requests: ScimRequestRow;
  openid_records: OpenidRecordRow;
  openid_sessions: OpenidSessionRow;
  pictures: PictureRow;
  openid_keys: { id: string; kind: string; sealed: string; active_from: number };
  token_keys: { id: number; sealed: string; active_from: number };
  revoked_tokens: { audit_id: string; expires_at: number };
  audit_events: AuditEventRow;
  audit_exports: AuditExportRow;
  service_facts: { name: string; value: string };
}

export type {
  ApiRow,
  DomainConfigOptionRow,
  DomainConfigSecretRow,
  EndpointGroupRow,
  EndpointRow,
  LimitRow,
  PolicyAssociationRow,
  PolicyRow,
  RegionRow,
  RegisteredLimitRow,
  ServiceRow,
  ServiceSettingRow,
  SettingOwner,
} from './catalog.ts';
export type { DeviceRow, PasskeyRow, TwoFactorRow } from './factors.ts';
export type * from './federation.ts';
export type { LogoutRow, MailRow, NewMailRow, NewOutboxRow, OutboxRow, QueueRow } from './messages.ts';
export type Database = AnyDatabase<Tables>;
export type Reader = AnyReader<Tables>;
export type Tx = AnyTx<Tables>;
export type {
  AccessRuleRow,
  ApplicationCredentialRow,
  CredentialRow,
  OAuth1AccessTokenRow,
  OAuth1ConsumerRow,
  OAuth1RequestTokenRow,
  TrustRow,
} from './delegations.ts';
export type { DirectoryEntryRow } from './directories.ts';
export type { ImportedThingRow, ImportRunRow, RunState } from './imports.ts';
export type { CredentialState, IssuedCredentialRow, StatusListRow } from './issued-credentials.ts';
export type { BrandPictureRow, DomainPictureRow, MailTextRow } from './look.ts';
export type { ReplicaRow } from './operation.ts';
export type { PasswordRow } from './passwords.ts';
export type { RegistrationTokenRow } from './registration.ts';
export type { CredentialTypeRow, IssuerCertificateRow, IssuerKeyRow, VerifierKeyRow } from './role-credentials.ts';
export type { NewSignInTaskRow, SignInRequestRow, SignInTaskRow } from './sign-in-requests.ts';
