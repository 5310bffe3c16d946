// Finds the credentials that a change has made untrue, and revokes them: by one statement for each type and list, however many there are.
import { type RawBuilder, type SqlBool, sql } from 'kysely';
import { preparedRows } from '../../../platform/database/index.ts';
import { heldAssignments, type RoleSelection } from '../../applications/app-roles/index.ts';
import type { Tables, Tx } from '../../ground/database/index.ts';
import { chunksOf, type HeldOrganization, type NewState, type Revocable } from './issued-credentials.store.ts';

/** What a change invalidated, as far as credentials depend on it. */
export interface Invalidation {
  readonly everything: boolean;
  readonly users: readonly string[];
  readonly types: readonly string[];
  /** Applications, organizations, domains and groups. */
  readonly tags: readonly string[];
}

/** Separate lookups, each by its index. */
function idsOf({ users, types, tags }: Invalidation): RawBuilder<unknown> {
  const parts = [
    ...(users.length > 0 ? [sql`select id from issued_credentials where user_id in (${sql.join(users)})`] : []),
    ...(types.length > 0 ? [sql`select id from issued_credentials where type_id in (${sql.join(types)})`] : []),
    ...(tags.length > 0
      ? [
          sql`select issued_credentials.id from issued_credential_tags
            join issued_credentials on issued_credentials.batch_id = issued_credential_tags.batch_id
            where issued_credential_tags.tag in (${sql.join(tags)})`,
        ]
      : []),
  ];
  return sql.join(parts, sql` union `);
}

/**
 * `from ... where ...`: those that are valid or suspended, and have not expired. SQLite reads tables that are cross-joined in this order; by itself, it
 * would go through all credentials of a type.
 */
const alive = (affected: Invalidation, now: number): RawBuilder<unknown> =>
  sql`from ${
    affected.everything
      ? sql`issued_credentials as issued where`
      : sql`(${idsOf(affected)}) as affected cross join issued_credentials as issued where issued.id = affected.id and`
  } issued.state <> 'revoked' and issued.expires_at > ${now}`;

const typesOfUser = preparedRows<Tables, [user: string, now: number], { type_id: string }>((db, user, now) =>
  db
    .selectFrom('issued_credentials')
    .where('user_id', '=', user)
    .where('state', '<>', 'revoked')
    .where('expires_at', '>', now)
    .select('type_id')
    .distinct(),
);

/** The types of credentials that are concerned. */
export async function typesOf(tx: Tx, affected: Invalidation, now: number): Promise<string[]> {
  const { everything, users, types, tags } = affected;
  // Most changes are about one user, who has no credential.
  if (users.length === 1 && !everything && types.length + tags.length === 0)
    return (await typesOfUser(tx, users[0]!, now)).map(({ type_id }) => type_id).sort();
  const { rows } = await sql<{
    type_id: string;
  }>`select distinct issued.type_id ${alive(affected, now)} order by issued.type_id`.execute(tx);
  return rows.map(({ type_id }) => type_id);
}

/** Credentials that are valid or suspended, as a part of statements: `from ... where ...`, each as `issued`. */
export type Selection = RawBuilder<unknown>;

/** All of a type. */
export const aliveOf = (affected: Invalidation, typeId: string, now: number): Selection =>
  sql`${alive(affected, now)} and issued.type_id = ${typeId}`;

/** Those of a type in other formats than these. */
export const inOtherFormats = (affected: Invalidation, typeId: string, formats: readonly string[], now: number): Selection =>
  formats.length === 0
    ? aliveOf(affected, typeId, now)
    : sql`${aliveOf(affected, typeId, now)} and issued.format not in (${sql.join([...formats])})`;

/** What a credential says of organizations is stored as a tag of its batch, too. */
const SAID_ORGANIZATION = 'said-organization:';
export const saidOrganization = ({ id }: HeldOrganization): string => SAID_ORGANIZATION + id;

/**
 * Those of a type that say a role which their user does not have any more, by this name and in what it calls the application; or an organization in
 * which they have none.
 */
export const untrueOf = (affected: Invalidation, typeId: string, selection: RoleSelection, now: number): Selection =>
  sql`${aliveOf(affected, typeId, now)} and (exists (
      select 1 from issued_credential_roles as said where said.batch_id = issued.batch_id and not exists (
        select 1 ${heldAssignments(selection, now)} and app_user_roles.user_id = issued.user_id
          and app_user_roles.application_id = said.application_id and app_roles.id = said.role_id and app_roles.name = said.name
          and said.target = coalesce((select did from application_dids where application_id = said.application_id), said.application_id)))
      or exists (
        select 1 from issued_credential_tags as told where told.batch_id = issued.batch_id and told.tag like ${`${SAID_ORGANIZATION}%`}
          and not exists (select 1 ${heldAssignments(selection, now)} and app_user_roles.user_id = issued.user_id
            and told.tag = ${SAID_ORGANIZATION} || projects.id)))`;

/** The lists with entries of these credentials, in the order of their ids. */
export async function listsOf(tx: Tx, selection: Selection): Promise<string[]> {
  const { rows } = await sql<{ list_id: string }>`select distinct issued.list_id ${selection} order by issued.list_id`.execute(
    tx,
  );
  return rows.map(({ list_id }) => list_id);
}

/** Whether the user of a credential is there and enabled. */
const HAS_USABLE_USER = sql<SqlBool>`exists (select 1 from users join projects as domain on domain.id = users.domain_id and domain.enabled = 1
  where users.id = issued_credentials.user_id and users.enabled = 1)`;

/** Why credentials are revoked: for one reason, or for another one where the user is gone or disabled. */
export interface RevocationReason {
  readonly reason: string;
  readonly withoutUser?: string;
}

export interface RevokedCredential extends Revocable {
  readonly reason: string;
}

/** Revokes those that have entries in a list, in one statement. */
export async function revokeSelected(
  tx: Tx,
  selection: Selection,
  listId: string,
  { reason, withoutUser = reason }: RevocationReason,
  { at, listState, listVersion }: Pick<NewState, 'at' | 'listState' | 'listVersion'>,
): Promise<RevokedCredential[]> {
  const { rows } =
    await sql<RevokedCredential>`update issued_credentials set state = 'revoked', changed_at = ${at}, list_state = ${listState},
      reason = case when ${HAS_USABLE_USER} then ${reason} else ${withoutUser} end,
      list_version = ${listVersion}
    where id in (select issued.id ${selection} and issued.list_id = ${listId}) and state <> 'revoked'
    returning id, list_id, user_id, application_id, type_id, reason`.execute(tx);
  return rows;
}

/** Further groups and organizations on which credentials of these users depend from now on. */
export async function addTagsOf(tx: Tx, userIds: readonly string[], now: number): Promise<void> {
  for (const some of chunksOf(userIds)) {
    const alive = sql`issued.user_id in (${sql.join(some)}) and issued.state <> 'revoked' and issued.expires_at > ${now}`;
    await sql`insert into issued_credential_tags (tag, batch_id)
      select distinct 'group:' || group_members.group_id, issued.batch_id from issued_credentials as issued
        join group_members on group_members.user_id = issued.user_id where ${alive}
      union
      select distinct 'project:' || app_user_roles.organization_id, issued.batch_id from issued_credentials as issued
        join app_user_roles on app_user_roles.user_id = issued.user_id where ${alive}
      on conflict do nothing`.execute(tx);
  }
}
