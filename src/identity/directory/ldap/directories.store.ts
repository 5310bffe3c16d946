// Users and groups in a directory, and when it was last synchronized.
import type { Database, DirectoryEntryRow, GroupRow, Reader, Tables, Tx, UserRow } from '../../ground/database/index.ts';

export type UserEntryRow = Tables['directory_users'];
export type UserInDirectory = UserRow & Omit<UserEntryRow, 'user_id' | 'domain_id'>;
export type GroupInDirectory = GroupRow & Pick<DirectoryEntryRow, 'local_id' | 'dn' | 'gone_at'>;

/** Also those who had one of these ids, and have left. */
export function readUsers(db: Reader, domainId: string, localIds: readonly string[]): Promise<UserInDirectory[]> {
  return db
    .selectFrom('users')
    .innerJoin('directory_users as entry', 'entry.user_id', 'users.id')
    .where('entry.domain_id', '=', domainId)
    .where('entry.local_id', 'in', [...localIds])
    .selectAll('users')
    .select(['entry.local_id', 'entry.dn', 'entry.gone_at', 'entry.password_changed', 'entry.seen_at', 'entry.unique_id'])
    .execute();
}

export function readGroups(db: Reader, domainId: string, localIds: readonly string[]): Promise<GroupInDirectory[]> {
  return db
    .selectFrom('groups')
    .innerJoin('directory_groups as entry', 'entry.group_id', 'groups.id')
    .where('entry.domain_id', '=', domainId)
    .where('entry.local_id', 'in', [...localIds])
    .selectAll('groups')
    .select(['entry.local_id', 'entry.dn', 'entry.gone_at'])
    .execute();
}

export interface NameHolder {
  readonly id: string;
  /** Their entry is gone. */
  readonly isGone: boolean;
}

/** Names of users that are in use in a domain. */
export async function userNamesTaken(db: Reader, domainId: string, keys: readonly string[]): Promise<Map<string, NameHolder>> {
  if (keys.length === 0) return new Map();
  const rows = await db
    .selectFrom('users')
    .leftJoin('directory_users as entry', 'entry.user_id', 'users.id')
    .where('users.domain_id', '=', domainId)
    .where('users.name_key', 'in', [...keys])
    .select(['users.name_key', 'users.id', 'entry.gone_at'])
    .execute();
  return new Map(rows.map(({ name_key, id, gone_at }) => [name_key, { id, isGone: gone_at !== null }]));
}

/** Names of groups that are in use in a domain: name to id. */
export async function groupNamesTaken(db: Reader, domainId: string, names: readonly string[]): Promise<Map<string, NameHolder>> {
  if (names.length === 0) return new Map();
  const rows = await db
    .selectFrom('groups')
    .leftJoin('directory_groups as entry', 'entry.group_id', 'groups.id')
    .where('groups.domain_id', '=', domainId)
    .where('groups.name', 'in', [...names])
    .select(['groups.name', 'groups.id', 'entry.gone_at'])
    .execute();
  return new Map(rows.map(({ name, id, gone_at }) => [name, { id, isGone: gone_at !== null }]));
}

/** Stores the entry, and that it exists. */
export async function writeUserEntry(tx: Tx, entry: Omit<UserEntryRow, 'gone_at'>): Promise<void> {
  const { dn, password_changed, seen_at, unique_id } = entry;
  await tx
    .insertInto('directory_users')
    .values({ ...entry, gone_at: null })
    .onConflict((conflict) => conflict.column('user_id').doUpdateSet({ dn, password_changed, seen_at, unique_id, gone_at: null }))
    .execute();
}

export async function writeGroupEntry(tx: Tx, groupId: string, entry: Omit<DirectoryEntryRow, 'gone_at'>): Promise<void> {
  await tx
    .insertInto('directory_groups')
    .values({ group_id: groupId, ...entry, gone_at: null })
    .onConflict((conflict) => conflict.column('group_id').doUpdateSet({ dn: entry.dn, gone_at: null }))
    .execute();
}

export async function writeSeen(tx: Tx, userId: string, at: number): Promise<void> {
  await tx.updateTable('directory_users').set({ seen_at: at }).where('user_id', '=', userId).execute();
}

export async function findUserEntry(db: Reader, userId: string): Promise<UserEntryRow | undefined> {
  return db.selectFrom('directory_users').where('user_id', '=', userId).selectAll().executeTakeFirst();
}

/** With the name of the domain. */
export const userEntryWithDomain = (db: Reader, userId: string) =>
  db
    .selectFrom('directory_users as entry')
    .innerJoin('projects', 'projects.id', 'entry.domain_id')
    .where('entry.user_id', '=', userId)
    .select(['entry.gone_at', 'entry.domain_id', 'projects.name as domain_name'])
    .executeTakeFirst();

export const groupEntryWithDomain = (db: Reader, groupId: string) =>
  db
    .selectFrom('directory_groups as entry')
    .innerJoin('projects', 'projects.id', 'entry.domain_id')
    .where('entry.group_id', '=', groupId)
    .select(['entry.gone_at', 'entry.domain_id', 'projects.name as domain_name'])
    .executeTakeFirst();

/** A page of the entries that exist. */
export function presentUsers(db: Reader, domainId: string, after: string, limit: number) {
  return db
    .selectFrom('directory_users')
    .where('domain_id', '=', domainId)
    .where('gone_at', 'is', null)
    .where('user_id', '>', after)
    .orderBy('user_id')
    .limit(limit)
    .select(['user_id as id', 'local_id', 'dn'])
    .execute();
}

export function presentGroups(db: Reader, domainId: string, after: string, limit: number) {
  return db
    .selectFrom('directory_groups')
    .where('domain_id', '=', domainId)
    .where('gone_at', 'is', null)
    .where('group_id', '>', after)
    .orderBy('group_id')
    .limit(limit)
    .select(['group_id as id', 'local_id', 'dn'])
    .execute();
}

/** Largest difference between the clocks of replicas. Times further ahead were written before a clock was set back. */
const CLOCKS_DIFFER_MS = 60_000;

/** Those of the users whose entries were seen after this time. */
export async function seenSince(db: Reader, domainId: string, at: number, now: number): Promise<Set<string>> {
  const rows = await db
    .selectFrom('directory_users')
    .where('domain_id', '=', domainId)
    .where('seen_at', '>', at)
    .where('seen_at', '<=', now + CLOCKS_DIFFER_MS)
    .select('user_id')
    .execute();
  return new Set(rows.map(({ user_id }) => user_id));
}

/** False when it was marked already, or the entry was seen after `before`. */
export async function markUserGone(tx: Tx, userId: string, at: number, before: number): Promise<boolean> {
  const change = tx
    .updateTable('directory_users')
    .set({ gone_at: at })
    .where('user_id', '=', userId)
    .where('gone_at', 'is', null)
    .where((eb) => eb.or([eb('seen_at', '<=', before), eb('seen_at', '>', at + CLOCKS_DIFFER_MS)]));
  return (await change.executeTakeFirst()).numUpdatedRows > 0n;
}

export async function markGroupGone(tx: Tx, groupId: string, at: number): Promise<boolean> {
  const change = tx
    .updateTable('directory_groups')
    .set({ gone_at: at })
    .where('group_id', '=', groupId)
    .where('gone_at', 'is', null);
  return (await change.executeTakeFirst()).numUpdatedRows > 0n;
}

/** The user's groups that are in the directory. */
export async function directoryGroupIdsOf(db: Reader, domainId: string, userId: string): Promise<string[]> {
  const rows = await db
    .selectFrom('group_members')
    .innerJoin('directory_groups as entry', 'entry.group_id', 'group_members.group_id')
    .where('group_members.user_id', '=', userId)
    .where('entry.domain_id', '=', domainId)
    .select('group_members.group_id')
    .execute();
  return rows.map(({ group_id }) => group_id);
}

export async function lastSync(db: Reader, domainId: string): Promise<number | undefined> {
  const row = await db.selectFrom('directory_syncs').where('domain_id', '=', domainId).select('finished_at').executeTakeFirst();
  return row?.finished_at;
}

/** Of all domains. */
export async function lastSyncs(db: Reader): Promise<ReadonlyMap<string, number>> {
  const rows = await db.selectFrom('directory_syncs').selectAll().execute();
  return new Map(rows.map(({ domain_id, finished_at }) => [domain_id, finished_at]));
}

/** People and groups here whose entries are in the directory. */
export async function countEntries(db: Reader, domainId: string): Promise<{ people: number; groups: number }> {
  const count = async (table: 'directory_users' | 'directory_groups') =>
    db
      .selectFrom(table)
      .where('domain_id', '=', domainId)
      .where('gone_at', 'is', null)
      .select((eb) => eb.fn.countAll<number | string>().as('count'))
      .executeTakeFirstOrThrow();
  return { people: Number((await count('directory_users')).count), groups: Number((await count('directory_groups')).count) };
}

/** The directory is another one: what was read of the former one does not count. */
export async function forgetSync(tx: Tx, domainId: string): Promise<void> {
  await tx.deleteFrom('directory_syncs').where('domain_id', '=', domainId).execute();
}

export const lastReading = (db: Reader, domainId: string): Promise<Tables['directory_readings'] | undefined> =>
  db.selectFrom('directory_readings').where('domain_id', '=', domainId).selectAll().executeTakeFirst();

export async function noteReading(db: Database, row: Tables['directory_readings']): Promise<void> {
  const { domain_id: _, ...values } = row;
  await db.write((tx) =>
    tx
      .insertInto('directory_readings')
      .values(row)
      .onConflict((conflict) => conflict.column('domain_id').doUpdateSet(values))
      .execute(),
  );
}

export async function noteSync(db: Database, domainId: string, at: number): Promise<void> {
  await db.write((tx) =>
    tx
      .insertInto('directory_syncs')
      .values({ domain_id: domainId, finished_at: at })
      .onConflict((conflict) => conflict.column('domain_id').doUpdateSet({ finished_at: at }))
      .execute(),
  );
}
