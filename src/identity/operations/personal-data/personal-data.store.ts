// Reads what is stored about a person. No hashes, keys, tokens or other secrets are read.
import { sql } from 'kysely';
import type { AuditEventRow, Reader } from '../../ground/database/index.ts';

export const readAccount = (db: Reader, userId: string) =>
  db
    .selectFrom('users')
    .innerJoin('projects as domain', 'domain.id', 'users.domain_id')
    .where('users.id', '=', userId)
    .selectAll('users')
    .select('domain.name as domain_name')
    .executeTakeFirst();

export const readPasswords = (db: Reader, userId: string) =>
  db
    .selectFrom('passwords')
    .where('user_id', '=', userId)
    .orderBy('serial')
    .select(['created_at', 'expires_at', 'self_service'])
    .execute();

export const readLoginFailures = (db: Reader, userId: string) =>
  db.selectFrom('login_failures').where('user_id', '=', userId).select(['failures', 'last_at']).executeTakeFirst();

export const readDirectoryEntry = (db: Reader, userId: string) =>
  db
    .selectFrom('directory_users')
    .where('user_id', '=', userId)
    .select(['local_id', 'dn', 'unique_id', 'seen_at', 'gone_at'])
    .executeTakeFirst();

export const readGroups = (db: Reader, userId: string) =>
  db
    .selectFrom('group_members')
    .innerJoin('groups', 'groups.id', 'group_members.group_id')
    .where('group_members.user_id', '=', userId)
    .orderBy('groups.name')
    .orderBy('groups.id')
    .select(['groups.id', 'groups.name', 'groups.domain_id', 'group_members.display'])
    .execute();

/** Base roles, directly and through groups. */
export const readRoles = (db: Reader, userId: string) =>
  db
    .selectFrom('grants')
    .innerJoin('roles', 'roles.id', 'grants.role_id')
    .leftJoin('projects', 'projects.id', 'grants.target_id')
    .leftJoin('groups', 'groups.id', 'grants.group_id')
    .where((eb) =>
      eb.or([
        eb('grants.user_id', '=', userId),
        eb(
          'grants.group_id',
          'in',
          eb.selectFrom('group_members').where('group_members.user_id', '=', userId).select('group_members.group_id'),
        ),
      ]),
    )
    .orderBy('grants.id')
    .select([
      'roles.id as role_id',
      'roles.name as role_name',
      'projects.id as target_id',
      'projects.name as target_name',
      'projects.is_domain',
      'grants.inherited',
      'groups.name as group_name',
    ])
    .execute();

export const readApplicationRoles = (db: Reader, userId: string) =>
  db
    .selectFrom('app_user_roles')
    .innerJoin('app_roles', 'app_roles.id', 'app_user_roles.role_id')
    .innerJoin('consumers', 'consumers.id', 'app_user_roles.application_id')
    .innerJoin('projects', 'projects.id', 'app_user_roles.organization_id')
    .where('app_user_roles.user_id', '=', userId)
    .orderBy('app_user_roles.id')
    .select([
      'consumers.id as application_id',
      'consumers.name as application_name',
      'app_roles.id as role_id',
      'app_roles.name as role_name',
      'projects.id as organization_id',
      'projects.name as organization_name',
    ])
    .execute();

export const readGivenEntries = (db: Reader, userId: string) =>
  db.selectFrom('given_entries').where('user_id', '=', userId).orderBy('entry').select('entry').execute();

export async function readTwoFactor(db: Reader, userId: string) {
  const factor = await db
    .selectFrom('two_factor')
    .where('user_id', '=', userId)
    .select(['security_question', 'created_at'])
    .executeTakeFirst();
  const codes = await db
    .selectFrom('recovery_codes')
    .where('user_id', '=', userId)
    .select((eb) => eb.fn.countAll().as('count'))
    .executeTakeFirstOrThrow();
  const guesses = await db
    .selectFrom('factor_attempts')
    .where('user_id', '=', userId)
    .select(['attempts', 'last_at'])
    .executeTakeFirst();
  return { factor, recoveryCodes: Number(codes.count), guesses };
}

export const readDevices = (db: Reader, userId: string) =>
  db
    .selectFrom('devices')
    .where('user_id', '=', userId)
    .orderBy('created_at')
    .select(['id', 'user_agent', 'created_at', 'last_used_at'])
    .execute();

export const readPasskeys = (db: Reader, userId: string) =>
  db
    .selectFrom('passkeys')
    .where('user_id', '=', userId)
    .orderBy('created_at')
    .select(['id', 'name', 'synced', 'created_at', 'last_used_at', 'removed_at'])
    .execute();

/** Also of sessions that ended a short time ago. */
export const readSessionUse = (db: Reader, userId: string) =>
  db
    .selectFrom('openid_sessions')
    .where('user_id', '=', userId)
    .orderBy('signed_in_at')
    .select(['user_agent', 'address', 'signed_in_at', 'last_used_at'])
    .execute();

/** Whether there is a code is told, not the code. */
export const readSignInRequestChoice = (db: Reader, userId: string) =>
  db.selectFrom('sign_in_request_choices').where('user_id', '=', userId).select('code').executeTakeFirst();

export const readPicture = (db: Reader, userId: string) =>
  db.selectFrom('pictures').where('user_id', '=', userId).select(['media_type', 'content', 'created_at']).executeTakeFirst();

export const readProviderAccounts = (db: Reader, userId: string) =>
  db
    .selectFrom('provider_links')
    .where('user_id', '=', userId)
    .orderBy('created_at')
    .select(['provider_id', 'issuer', 'subject', 'label', 'created_at', 'last_used_at'])
    .execute();

export const readCredentials = (db: Reader, userId: string) =>
  db
    .selectFrom('credentials')
    .where('user_id', '=', userId)
    .orderBy('created_at')
    .select(['id', 'type', 'project_id', 'created_at'])
    .execute();

export const readApplicationCredentials = (db: Reader, userId: string) =>
  db
    .selectFrom('application_credentials')
    .where('user_id', '=', userId)
    .orderBy('created_at')
    .select(['id', 'name', 'description', 'project_id', 'expires_at', 'created_at'])
    .execute();

/** Those they gave, and those they got. */
export const readTrusts = (db: Reader, userId: string) =>
  db
    .selectFrom('trusts')
    .where((eb) => eb.or([eb('trustor_user_id', '=', userId), eb('trustee_user_id', '=', userId)]))
    .orderBy('created_at')
    .select(['id', 'trustor_user_id', 'trustee_user_id', 'project_id', 'impersonation', 'expires_at', 'created_at'])
    .execute();

export const readOAuth1AccessTokens = (db: Reader, userId: string) =>
  db
    .selectFrom('oauth1_access_tokens')
    .where('user_id', '=', userId)
    .orderBy('created_at')
    .select(['id', 'consumer_id', 'project_id', 'expires_at', 'created_at'])
    .execute();

/** Applications that the person signed in to or gave access. */
export const readApplications = (db: Reader, userId: string) =>
  db
    .selectFrom('openid_records')
    .innerJoin('consumers', 'consumers.id', 'openid_records.consumer_id')
    .where('openid_records.user_id', '=', userId)
    .groupBy(['consumers.id', 'consumers.name'])
    .orderBy('consumers.id')
    .select((eb) => ['consumers.id', 'consumers.name', eb.fn.min('openid_records.created_at').as('since')])
    .execute();

export const readLinks = (db: Reader, userId: string) =>
  db
    .selectFrom('links')
    .where('user_id', '=', userId)
    .orderBy('created_at')
    .select(['purpose', 'address', 'created_at', 'expires_at'])
    .execute();

export async function readRegistration(db: Reader, userId: string) {
  const registration = await db.selectFrom('registrations').where('user_id', '=', userId).selectAll().executeTakeFirst();
  const keys = await db
    .selectFrom('registration_keys')
    .where('user_id', '=', userId)
    .orderBy('created_at')
    .select(['purpose', 'created_at', 'expires_at', 'ended_at'])
    .execute();
  const terms = await db
    .selectFrom('accepted_terms')
    .where('user_id', '=', userId)
    .orderBy('accepted_at')
    .select(['version', 'url', 'accepted_at'])
    .execute();
  const waiting = await db
    .selectFrom('waiting_registrations')
    .where('user_id', '=', userId)
    .select('created_at')
    .executeTakeFirst();
  return { registration, keys, terms, waiting };
}

/** Those that were not sent yet, to the address that the person confirmed. */
export const readMails = (db: Reader, address: string) =>
  db
    .selectFrom('mails')
    .where((eb) => eb(eb.fn<string>('lower', ['recipient']), '=', address.toLowerCase()))
    .orderBy('created_at')
    .select(['template', 'recipient', 'attempts', 'created_at', 'expires_at', 'failed_at'])
    .execute();

/** Those that the person accepted, and those to an address they confirmed. Who invited them is left out: that is somebody else. */
export const readInvitations = (db: Reader, userId: string, confirmedKey: string) =>
  db
    .selectFrom('invitations')
    .where((eb) => eb.or([eb('user_id', '=', userId), eb('email_key', '=', confirmedKey)]))
    .orderBy('created_at')
    .select([
      'domain_id',
      'email',
      'name',
      'language',
      'organization_id',
      'status',
      'created_at',
      'sent_at',
      'expires_at',
      'ended_at',
    ])
    .execute();

export const readDeletion = (db: Reader, userId: string) =>
  db.selectFrom('account_deletions').where('user_id', '=', userId).select(['requested_at', 'due_at']).executeTakeFirst();

/** A page of the events about a person, oldest first. `after`: the last event of the page before. */
export function readEvents(
  db: Reader,
  userId: string,
  after: Pick<AuditEventRow, 'at' | 'id'> | undefined,
  limit: number,
): Promise<AuditEventRow[]> {
  let query = db.selectFrom('audit_events').where('target_id', '=', userId).where('target_kind', '=', 'user');
  if (after) query = query.where(sql<boolean>`at >= ${after.at} and (at, id) > (${after.at}, ${after.id})`);
  return query.orderBy('at').orderBy('id').limit(limit).selectAll().execute();
}

/** Credentials in wallets, and what they say. Not the keys of the wallet. */
export async function readIssuedCredentials(db: Reader, userId: string) {
  const rows = await db
    .selectFrom('issued_credentials')
    .where('user_id', '=', userId)
    .orderBy('issued_at')
    .orderBy('id')
    .select(['id', 'batch_id', 'type_id', 'application_id', 'format', 'state', 'reason'])
    .select(['changed_at', 'first_issued_at', 'issued_at', 'expires_at'])
    .execute();
  const roles = await db
    .selectFrom('issued_credential_roles')
    .where('batch_id', 'in', (eb) => eb.selectFrom('issued_credentials').where('user_id', '=', userId).select('batch_id'))
    .orderBy('target')
    .orderBy('name')
    .select(['batch_id', 'target', 'name'])
    .execute();
  return rows.map((row) => ({ ...row, roles: roles.filter(({ batch_id }) => batch_id === row.batch_id) }));
}
