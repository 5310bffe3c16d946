// Users and groups in a directory, and when it was last synchronized.
import type { Database, DirectoryEntryRow, GroupRow, Reader, Tx, UserRow } from '../database.ts';

export type KnownUser = UserRow & Pick<DirectoryEntryRow, 'local_id' | 'dn' | 'gone_at'>;
export type KnownGroup = GroupRow & Pick<DirectoryEntryRow, 'local_id' | 'dn' | 'gone_at'>;

export function readUsers(db: Reader, domainId: string, localIds: readonly string[]): Promise<KnownUser[]> {
  return db
    .selectFrom('users')
    .innerJoin('directory_users as entry', 'entry.user_id', 'users.id')
    .where('entry.domain_id', '=', domainId)
    .where('entry.local_id', 'in', [...localIds])
    .selectAll('users')
    .select(['entry.local_id', 'entry.dn', 'entry.gone_at'])
    .execute();
}

export function readGroups(db: Reader, domainId: string, localIds: readonly string[]): Promise<KnownGroup[]> {
  return db
    .selectFrom('groups')
    .innerJoin('directory_groups as entry', 'entry.group_id', 'groups.id')
    .where('entry.domain_id', '=', domainId)
    .where('entry.local_id', 'in', [...localIds])
    .selectAll('groups')
    .select(['entry.local_id', 'entry.dn', 'entry.gone_at'])
    .execute();
}

/** Names that are in use in a domain: name to id. */
export async function namesTaken(
  db: Reader,
  domainId: string,
  { users = [], groups = [] }: { readonly users?: readonly string[]; readonly groups?: readonly string[] },
): Promise<Map<string, string>> {
  const taken = new Map<string, string>();
  if (users.length > 0) {
    const rows = db
      .selectFrom('users')
      .where('domain_id', '=', domainId)
      .where('name_key', 'in', [...users]);
    for (const { name_key, id } of await rows.select(['name_key', 'id']).execute()) taken.set(name_key, id);
  }
  if (groups.length > 0) {
    const rows = db
      .selectFrom('groups')
      .where('domain_id', '=', domainId)
      .where('name', 'in', [...groups]);
    for (const { name, id } of await rows.select(['name', 'id']).execute()) taken.set(name, id);
  }
  return taken;
}

type Entry = Omit<DirectoryEntryRow, 'gone_at'>;

/** Stores the DN, and that the entry exists. */
export async function writeUserEntry(tx: Tx, userId: string, entry: Entry): Promise<void> {
  await tx
    .insertInto('directory_users')
    .values({ user_id: userId, ...entry, gone_at: null })
    .onConflict((conflict) => conflict.column('user_id').doUpdateSet({ dn: entry.dn, gone_at: null }))
    .execute();
}

export async function writeGroupEntry(tx: Tx, groupId: string, entry: Entry): Promise<void> {
  await tx
    .insertInto('directory_groups')
    .values({ group_id: groupId, ...entry, gone_at: null })
    .onConflict((conflict) => conflict.column('group_id').doUpdateSet({ dn: entry.dn, gone_at: null }))
    .execute();
}

export async function findUserEntry(db: Reader, userId: string): Promise<DirectoryEntryRow | undefined> {
  return db.selectFrom('directory_users').where('user_id', '=', userId).selectAll().executeTakeFirst();
}

export async function findGroupEntry(db: Reader, groupId: string): Promise<DirectoryEntryRow | undefined> {
  return db.selectFrom('directory_groups').where('group_id', '=', groupId).selectAll().executeTakeFirst();
}

/** A page of the entries that exist. */
export function presentUsers(db: Reader, domainId: string, after: string, limit: number) {
  return db
    .selectFrom('directory_users')
    .where('domain_id', '=', domainId)
    .where('gone_at', 'is', null)
    .where('user_id', '>', after)
    .orderBy('user_id')
    .limit(limit)
    .select(['user_id as id', 'local_id'])
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
    .select(['group_id as id', 'local_id'])
    .execute();
}

/** False when it was marked already. */
export async function markUserGone(tx: Tx, userId: string, at: number): Promise<boolean> {
  const change = tx
    .updateTable('directory_users')
    .set({ gone_at: at })
    .where('user_id', '=', userId)
    .where('gone_at', 'is', null);
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

export async function noteSync(db: Database, domainId: string, at: number): Promise<void> {
  await db.write((tx) =>
    tx
      .insertInto('directory_syncs')
      .values({ domain_id: domainId, finished_at: at })
      .onConflict((conflict) => conflict.column('domain_id').doUpdateSet({ finished_at: at }))
      .execute(),
  );
}
