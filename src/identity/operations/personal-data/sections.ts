// The sections of the file with a person's data. Times are in ISO 8601.

import { isEmailConfirmed, nameKey } from '../../directory/users/index.ts';
import type { Database } from '../../ground/database/index.ts';
import { parseJson } from '../../ground/resource/index.ts';
import {
  readAccount,
  readApplicationCredentials,
  readApplicationRoles,
  readApplications,
  readCredentials,
  readDeletion,
  readDevices,
  readDirectoryEntry,
  readGivenEntries,
  readGroups,
  readInvitations,
  readIssuedCredentials,
  readLinks,
  readLoginFailures,
  readMails,
  readOAuth1AccessTokens,
  readPasskeys,
  readPasswords,
  readPicture,
  readProviderAccounts,
  readRegistration,
  readRoles,
  readSessionUse,
  readSignInRequestChoice,
  readTrusts,
  readTwoFactor,
} from './personal-data.store.ts';

/** Sessions are sealed: only the OpenID provider can read them. */
export interface SessionReader {
  listOfUser(
    userId: string,
    model: string,
  ): Promise<readonly { readonly payload: Readonly<Record<string, unknown>>; readonly createdAt: number }[]>;
}

const time = (seconds: number | null | undefined): string | null =>
  seconds === null || seconds === undefined ? null : new Date(seconds * 1000).toISOString();

type Section = (db: Database['read'], userId: string) => Promise<unknown>;

const account: Section = async (db, userId) => {
  const row = await readAccount(db, userId);
  return (
    row && {
      id: row.id,
      name: row.name,
      domain: { id: row.domain_id, name: row.domain_name },
      enabled: row.enabled === 1,
      default_project_id: row.default_project_id,
      external_id: row.external_id,
      options: parseJson(row.options),
      attributes: parseJson(row.extra),
      profile: parseJson(row.profile),
      confirmed_email: row.confirmed_email,
      created_at: time(row.created_at),
      updated_at: time(row.updated_at / 1000),
      last_active_at: time(row.last_active_at),
    }
  );
};

const passwords: Section = async (db, userId) =>
  (await readPasswords(db, userId)).map((row) => ({
    created_at: time(row.created_at),
    expires_at: time(row.expires_at),
    chosen_by: row.self_service === 1 ? 'the person' : 'an administrator',
  }));

const loginFailures: Section = async (db, userId) => {
  const row = await readLoginFailures(db, userId);
  return row ? { count: row.failures, last_at: time(row.last_at) } : null;
};

const roles: Section = async (db, userId) =>
  (await readRoles(db, userId)).map((row) => ({
    role: { id: row.role_id, name: row.role_name },
    on:
      row.target_id === null
        ? { kind: 'system' }
        : { kind: row.is_domain === 1 ? 'domain' : 'project', id: row.target_id, name: row.target_name },
    inherited: row.inherited === 1,
    through_group: row.group_name,
  }));

const applicationRoles: Section = async (db, userId) =>
  (await readApplicationRoles(db, userId)).map((row) => ({
    application: { id: row.application_id, name: row.application_name },
    role: { id: row.role_id, name: row.role_name },
    organization: { id: row.organization_id, name: row.organization_name },
  }));

const twoFactor: Section = async (db, userId) => {
  const { factor, recoveryCodes, guesses } = await readTwoFactor(db, userId);
  return {
    enabled: factor !== undefined,
    created_at: time(factor?.created_at),
    security_question: factor?.security_question ?? null,
    recovery_codes_left: recoveryCodes,
    wrong_codes: guesses ? { count: guesses.attempts, last_at: time(guesses.last_at) } : null,
  };
};

const devices: Section = async (db, userId) =>
  (await readDevices(db, userId)).map((row) => ({
    id: row.id,
    user_agent: row.user_agent,
    created_at: time(row.created_at),
    last_used_at: time(row.last_used_at),
  }));

const passkeys: Section = async (db, userId) =>
  (await readPasskeys(db, userId)).map((row) => ({
    id: row.id,
    name: row.name,
    synced: row.synced === 1,
    created_at: time(row.created_at),
    last_used_at: time(row.last_used_at),
    removed_at: time(row.removed_at),
  }));

const sessionUse: Section = async (db, userId) =>
  (await readSessionUse(db, userId)).map((row) => ({
    user_agent: row.user_agent,
    address: row.address,
    signed_in_at: time(row.signed_in_at),
    last_used_at: time(row.last_used_at),
  }));

const picture: Section = async (db, userId) => {
  const row = await readPicture(db, userId);
  return row ? { media_type: row.media_type, content: row.content, created_at: time(row.created_at) } : null;
};

const providerAccounts: Section = async (db, userId) =>
  (await readProviderAccounts(db, userId)).map((row) => ({
    provider_id: row.provider_id,
    issuer: row.issuer,
    subject: row.subject,
    label: row.label,
    created_at: time(row.created_at),
    last_used_at: time(row.last_used_at),
  }));

const credentials: Section = async (db, userId) =>
  (await readCredentials(db, userId)).map((row) => ({
    id: row.id,
    type: row.type,
    project_id: row.project_id,
    created_at: time(row.created_at),
  }));

const applicationCredentials: Section = async (db, userId) =>
  (await readApplicationCredentials(db, userId)).map((row) => ({
    ...row,
    expires_at: time(row.expires_at),
    created_at: time(row.created_at),
  }));

const trusts: Section = async (db, userId) =>
  (await readTrusts(db, userId)).map((row) => ({
    ...row,
    impersonation: row.impersonation === 1,
    expires_at: time(row.expires_at),
    created_at: time(row.created_at),
  }));

const oauth1AccessTokens: Section = async (db, userId) =>
  (await readOAuth1AccessTokens(db, userId)).map((row) => ({
    ...row,
    expires_at: time(row.expires_at),
    created_at: time(row.created_at),
  }));

const applications: Section = async (db, userId) =>
  (await readApplications(db, userId)).map((row) => ({ id: row.id, name: row.name, since: time(Number(row.since)) }));

const issuedCredentials: Section = async (db, userId) =>
  (await readIssuedCredentials(db, userId)).map(({ batch_id: _, roles: said, ...row }) => ({
    ...row,
    roles: said.map(({ target, name }) => ({ target, name })),
    issued_at: time(row.issued_at),
    first_issued_at: time(row.first_issued_at ?? row.issued_at),
    expires_at: time(row.expires_at),
    changed_at: time(row.changed_at),
  }));

const signInRequests: Section = async (db, userId) => {
  const row = await readSignInRequestChoice(db, userId);
  return { allowed_for: row === undefined ? 'all' : row.code === null ? 'none' : 'code' };
};

const links: Section = async (db, userId) =>
  (await readLinks(db, userId)).map((row) => ({
    purpose: row.purpose,
    address: row.address,
    created_at: time(row.created_at),
    expires_at: time(row.expires_at),
  }));

const registration: Section = async (db, userId) => {
  const { registration: row, keys, terms, waiting } = await readRegistration(db, userId);
  return {
    registered_at: time(row?.created_at),
    waits_since: time(waiting?.created_at),
    organizations: row ? [row.project_id, row.cloud_project_id] : [],
    accepted_terms: terms.map(({ version, url, accepted_at }) => ({ version, url, accepted_at: time(accepted_at) })),
    keys: keys.map((key) => ({
      purpose: key.purpose,
      created_at: time(key.created_at),
      expires_at: time(key.expires_at),
      ended_at: time(key.ended_at),
    })),
  };
};

/** An address that nobody proved may be somebody else's. */
async function confirmedAddress(db: Database['read'], userId: string): Promise<string> {
  const user = await readAccount(db, userId);
  return (user && isEmailConfirmed(user) ? user.confirmed_email : null) ?? '';
}

const mails: Section = async (db, userId) =>
  (await readMails(db, await confirmedAddress(db, userId))).map((row) => ({
    mail: row.template,
    to: row.recipient,
    attempts: row.attempts,
    created_at: time(row.created_at),
    expires_at: time(row.expires_at),
    given_up_at: time(row.failed_at),
  }));

const invitations: Section = async (db, userId) => {
  const address = await confirmedAddress(db, userId);
  return (await readInvitations(db, userId, nameKey(address))).map((row) => ({
    ...row,
    created_at: time(row.created_at),
    sent_at: time(row.sent_at),
    expires_at: time(row.expires_at),
    ended_at: time(row.ended_at),
  }));
};

const deletion: Section = async (db, userId) => {
  const row = await readDeletion(db, userId);
  return row ? { requested_at: time(row.requested_at), due_at: time(row.due_at) } : null;
};

const directoryEntry: Section = async (db, userId) => {
  const row = await readDirectoryEntry(db, userId);
  const inSeconds = (ms: number | null) => (ms === null ? null : time(Math.floor(ms / 1000)));
  const times = (found: NonNullable<typeof row>) => ({ seen_at: inSeconds(found.seen_at), gone_at: inSeconds(found.gone_at) });
  return row ? { id: row.local_id, dn: row.dn, unique_id: row.unique_id, ...times(row) } : null;
};

/** Every section but the events, which can be many. */
export const sectionsWith = (sessions: SessionReader): readonly (readonly [name: string, read: Section])[] => [
  ['account', account],
  ['passwords', passwords],
  ['login_failures', loginFailures],
  ['directory_entry', directoryEntry],
  ['groups', readGroups],
  ['roles', roles],
  ['application_roles', applicationRoles],
  ['provisioned_entries', async (db, userId) => (await readGivenEntries(db, userId)).map(({ entry }) => entry)],
  ['two_factor', twoFactor],
  ['passkeys', passkeys],
  ['provider_accounts', providerAccounts],
  ['devices', devices],
  ['credentials', credentials],
  ['application_credentials', applicationCredentials],
  ['trusts', trusts],
  ['oauth1_access_tokens', oauth1AccessTokens],
  [
    'sessions',
    async (_db, userId) =>
      (await sessions.listOfUser(userId, 'Session')).map(({ payload, createdAt }) => ({
        signed_in_at: time(Number(payload.loginTs)),
        created_at: time(createdAt),
        methods: payload.amr ?? [],
      })),
  ],
  ['session_use', sessionUse],
  ['picture', picture],
  ['applications', applications],
  ['issued_credentials', issuedCredentials],
  ['sign_in_requests', signInRequests],
  ['links', links],
  ['registration', registration],
  ['invitations', invitations],
  ['mails', mails],
  ['account_deletion', deletion],
];
