// Users in the database.
import { type ExpressionBuilder, type RawBuilder, type SqlBool, sql } from 'kysely';
import {
  insertRows,
  isIn,
  lockRow,
  type PageRequest,
  preparedRow,
  type RowPage,
  readPage,
  type SortOrder,
} from '../../../platform/database/index.ts';
import type { KeptToken } from '../../access/context/index.ts';
import type { Database, Reader, Tables, Tx, UserRow } from '../../ground/database/index.ts';
import { applyCriteria, type Criterion, endedAt, type ListQuery, parseJson } from '../../ground/resource/index.ts';
import type { LockOutFilter } from '../passwords/index.ts';
import { exactNameKey, nameKey } from './name-key.ts';
import { writeForm } from './names.store.ts';
import { lookalikeForm } from './names.ts';
import { emailKeys } from './profile.ts';
import { rarestFirst, refreshWords, usersWithWords, wordRowsOf } from './words.store.ts';
import { searchedWords } from './words.ts';

export type UserWithExpiry = UserRow & { password_expires_at: number | null };

/** What lists show of a user. To read the other columns, such as the profile, would take longer than these together. */
const LISTED = [
  'users.id',
  'users.domain_id',
  'users.name',
  'users.name_key',
  'users.enabled',
  'users.default_project_id',
  'users.options',
  'users.extra',
  'users.last_active_at',
  'users.created_at',
] as const;
type ListedColumn = (typeof LISTED)[number] extends `users.${infer Column}` ? Column : never;
export type ListedUser = Pick<UserWithExpiry, ListedColumn | 'password_expires_at'>;
/** They are sorted by these. */
export type UserSort = SortOrder<'name' | 'name_key' | 'created_at'>;

/** Users can have the address of others. So many are looked at. */
const MAX_SAME_EMAIL = 100;

const expiry = (eb: ExpressionBuilder<Tables, 'users'>) =>
  eb
    .selectFrom('passwords')
    .whereRef('passwords.user_id', '=', 'users.id')
    .orderBy('passwords.serial', 'desc')
    .limit(1)
    .select('passwords.expires_at')
    .as('password_expires_at');

export const findUser = preparedRow<Tables, [id: string], UserWithExpiry>((db, id) =>
  db.selectFrom('users').where('users.id', '=', id).selectAll('users').select(expiry),
);
const byName = preparedRow<Tables, [domain: string, key: string, exact: string], UserWithExpiry>((db, domain, key, exact) =>
  db
    .selectFrom('users')
    .where('users.domain_id', '=', domain)
    .where('users.name_key', 'in', [key, exact])
    // The exact one is longer.
    .orderBy(sql`length(users.name_key)`, 'desc')
    .limit(1)
    .selectAll('users')
    .select(expiry),
);

/** In no particular order. */
export function findUsers(db: Reader, ids: readonly string[]): Promise<UserRow[]> {
  return db.selectFrom('users').where('id', 'in', ids).selectAll().execute();
}

export const findUserByName = async (db: Reader, domainId: string, name: string): Promise<UserWithExpiry | undefined> =>
  byName(db, domainId, nameKey(name), exactNameKey(name));

/** In every domain. */
export function findUsersByName(db: Reader, name: string): Promise<UserRow[]> {
  const keys = [nameKey(name), exactNameKey(name)];
  return db.selectFrom('users').where('name_key', 'in', keys).limit(10).selectAll().execute();
}

const KEYS_AT_ONCE = 500;

/** Those of these keys of names that are taken. */
export async function keysAmong(db: Reader, domainId: string, keys: readonly string[]): Promise<Set<string>> {
  const taken = new Set<string>();
  for (let at = 0; at < keys.length; at += KEYS_AT_ONCE) {
    const rows = await db
      .selectFrom('users')
      .where('domain_id', '=', domainId)
      .where(isIn('name_key', keys.slice(at, at + KEYS_AT_ONCE)))
      .select('name_key')
      .execute();
    for (const { name_key } of rows) taken.add(name_key);
  }
  return taken;
}

/** A user to be stored. */
export type NewUserRow = Omit<UserRow, 'words_version'>;

/** With what they are found by. In the order of these rows: whoever stores the same names in the same order waits for nobody who waits for them. */
export function insertUsers(tx: Tx, rows: readonly UserRow[]): Promise<void> {
  return insertRows(tx, {
    users: rows,
    user_words: rows.flatMap(wordRowsOf),
    user_name_forms: rows.map(({ id, domain_id, name }) => ({ user_id: id, domain_id, form: lookalikeForm(name) })),
    user_emails: rows.flatMap(({ id, profile }) =>
      emailKeys(parseJson(profile)).map((value_key) => ({ user_id: id, value_key })),
    ),
  });
}

/**
 * Every change increases the version. What the user is found by follows the name and the profile. If the words were those of the last version, they
 * are also those of this one.
 */
export async function updateUser(tx: Tx, id: string, values: Partial<NewUserRow> & { updated_at: number }): Promise<void> {
  const { name, profile } = values;
  await tx
    .updateTable('users')
    .set((eb) => ({ ...values, version: eb('version', '+', 1), words_version: eb('words_version', '+', 1) }))
    .where('id', '=', id)
    .execute();
  if (name === undefined && profile === undefined) return;
  const user = await refreshWords(tx, id);
  if (user && name !== undefined) await writeForm(tx, id, user.domain_id, lookalikeForm(name));
  if (user && profile !== undefined) {
    const stored = await tx.selectFrom('user_emails').where('user_id', '=', id).select('value_key').execute();
    await writeEmails(
      tx,
      id,
      profile,
      stored.map(({ value_key }) => value_key),
    );
  }
}

/** A login is not a change: the version stays. */
export async function writeLastActive(tx: Tx, id: string, at: number): Promise<void> {
  await tx.updateTable('users').set({ last_active_at: at }).where('id', '=', id).execute();
}

/** Part of creating the user: the version stays. */
export async function setDefaultProject(tx: Tx, id: string, projectId: string): Promise<void> {
  await tx.updateTable('users').set({ default_project_id: projectId }).where('id', '=', id).execute();
}

/** Writes only what differs. */
async function writeEmails(tx: Tx, id: string, profile: string, stored: readonly string[]): Promise<void> {
  const keys = new Set(emailKeys(parseJson(profile)));
  const gone = stored.filter((key) => !keys.delete(key));
  if (gone.length > 0) await tx.deleteFrom('user_emails').where('user_id', '=', id).where('value_key', 'in', gone).execute();
  if (keys.size > 0)
    await tx
      .insertInto('user_emails')
      .values([...keys].map((value_key) => ({ user_id: id, value_key })))
      .execute();
}

/** Users with this address among theirs, by its normalized form: of one domain, or of all. */
export function usersByEmail(db: Reader, domainId: string | undefined, key: string): Promise<UserRow[]> {
  const found = db
    .selectFrom('users')
    .innerJoin('user_emails', 'user_emails.user_id', 'users.id')
    .where('user_emails.value_key', '=', key);
  const here = domainId === undefined ? found : found.where('users.domain_id', '=', domainId);
  return here.orderBy('users.id').limit(MAX_SAME_EMAIL).selectAll('users').execute();
}

/** Revokes all tokens of the user, which contain the epoch, or were issued before. False when the user does not exist. */
export async function revokeTokensOfUser(tx: Tx, id: string, now: number): Promise<boolean> {
  const { numUpdatedRows } = await tx
    .updateTable('users')
    .set((eb) => ({ epoch: eb('epoch', '+', 1), tokens_ended_at: endedAt(now) }))
    .where('id', '=', id)
    .executeTakeFirst();
  return numUpdatedRows > 0n;
}

/** Ends those that another service issued until then. */
export async function endUserTokensIssuedBefore(tx: Tx, id: string, at: number): Promise<boolean> {
  const { numUpdatedRows } = await tx
    .updateTable('users')
    .set({ tokens_ended_at: endedAt(at) })
    .where('id', '=', id)
    .executeTakeFirst();
  return numUpdatedRows > 0n;
}

/** After the change that ended all tokens of the user. */
export async function keepToken(tx: Tx, userId: string, { auditId, lag }: KeptToken): Promise<void> {
  const { epoch } = await tx.selectFrom('users').where('id', '=', userId).select('epoch').executeTakeFirstOrThrow();
  const values = { audit_id: auditId, epoch, lag };
  await tx
    .insertInto('kept_tokens')
    .values({ user_id: userId, ...values })
    .onConflict((conflict) => conflict.column('user_id').doUpdateSet(values))
    .execute();
}

/** Rows about the user go with it. An accepted invitation has the person's address, and no reference. */
export async function deleteUser(tx: Tx, id: string): Promise<void> {
  await tx.deleteFrom('invitations').where('user_id', '=', id).execute();
  await tx.deleteFrom('users').where('id', '=', id).execute();
}

/** An account at another provider that a user signs in by. */
export interface AccountAtProvider {
  readonly idp_id: string;
  readonly protocol_id: string;
  readonly unique_id: string;
}

export const accountsAtProviders = (db: Reader, userId: string): Promise<AccountAtProvider[]> =>
  db
    .selectFrom('provider_links')
    .where('user_id', '=', userId)
    .orderBy('provider_id')
    .orderBy('subject')
    .select(['provider_id as idp_id', 'protocol_id', 'subject as unique_id'])
    .execute();

/** Whether the user may have come through a provider. Whoever did stays by a passkey when they disconnect it. */
export async function mayBeFromProvider(db: Reader, userId: string): Promise<boolean> {
  if ((await accountsAtProviders(db, userId)).length > 0) return true;
  const passkeys = db.selectFrom('passkeys').where('user_id', '=', userId).where('removed_at', 'is', null);
  return (await passkeys.select('id').limit(1).executeTakeFirst()) !== undefined;
}

/** People with such an account. */
export interface ProviderCriterion {
  readonly idpId: string | undefined;
  readonly protocolId: string | undefined;
  readonly uniqueId: string | undefined;
}

export interface ExpiryCriterion {
  readonly comparison: '<' | '<=' | '>' | '>=' | '=' | '<>';
  readonly at: number;
}

/** Of the present password. */
const expiresAs = ({ comparison, at }: ExpiryCriterion): RawBuilder<SqlBool> => sql`(
    select expires_at from passwords where user_id = users.id order by serial desc limit 1
  ) ${sql.raw(comparison)} ${at}`;

/** People who are locked out: by so many wrong passwords, if these lock anybody, or by wrong codes. Times in seconds. */
export interface LockCriterion {
  readonly passwords: LockOutFilter | undefined;
  readonly codes: { readonly least: number; readonly from: number };
}

/** Options are stored as `JSON.stringify` writes them. */
const lockedBy = ({ passwords, codes }: LockCriterion): RawBuilder<SqlBool> => {
  const byCodes = sql<SqlBool>`users.id in (
    select user_id from factor_attempts where attempts >= ${codes.least} and last_at >= ${codes.from}
  )`;
  if (!passwords) return byCodes;
  const { own, others } = passwords;
  const failed = (failures: LockOutFilter['others']): RawBuilder<SqlBool> =>
    failures
      ? sql`users.id in (
          select user_id from login_failures where failures >= ${failures.least} and last_at > ${failures.after}
        )`
      : sql`1 = 0`;
  const inOwn = own.map(({ domainIds, failures }) => sql`(${isIn('users.domain_id', domainIds)} and ${failed(failures)})`);
  const elsewhere = own.flatMap(({ domainIds }) => domainIds);
  const inOthers =
    elsewhere.length === 0 ? failed(others) : sql`(not ${isIn('users.domain_id', elsewhere)} and ${failed(others)})`;
  return sql<SqlBool>`(${byCodes} or (
    users.options not like '%"ignore_lockout_failure_attempts":true%' and (${sql.join([inOthers, ...inOwn], sql` or `)})
  ))`;
};

const linkedAs = ({ idpId, protocolId, uniqueId }: ProviderCriterion) => sql<SqlBool>`users.id in (
    select provider_links.user_id from provider_links where ${idpId === undefined ? sql`1 = 1` : sql`provider_links.provider_id = ${idpId}`}
    and ${protocolId === undefined ? sql`1 = 1` : sql`provider_links.protocol_id = ${protocolId}`}
    and ${uniqueId === undefined ? sql`1 = 1` : sql`provider_links.subject = ${uniqueId}`}
  )`;

/** The words have the domain of their user, in an index. */
const inWords = (criteria: readonly Criterion[]): Criterion[] =>
  criteria.map((one) => (one.column === 'users.domain_id' ? { ...one, column: 'user_words.domain_id' } : one));

const NOTHING = { items: [], next: null, previous: null };

/** Users by the beginnings of their words, in the order of these; or the one user with this id. */
async function searchUsers(
  db: Database,
  page: PageRequest,
  { visible, criteria }: ListQuery,
  text: string,
  conditions: readonly RawBuilder<SqlBool>[],
): Promise<RowPage<ListedUser> | undefined> {
  const all = db.lists.selectFrom('users').where('users.id', '=', text).select(LISTED).select(expiry);
  const limited = conditions.reduce((query, condition) => query.where(condition), all);
  const exact = applyCriteria(limited, db.dialect, [...visible, ...criteria]);
  const byId = page.marker === undefined ? await exact.executeTakeFirst() : undefined;
  if (byId) return { ...NOTHING, items: [byId] };
  const words = searchedWords(text);
  if (words.length === 0) return NOTHING;
  const found = usersWithWords(db.lists, await rarestFirst(db.lists, words))
    .select(LISTED)
    .select('user_words.word')
    .select(expiry);
  const shown = applyCriteria(found, db.dialect, inWords(visible));
  const order = { table: 'user_words', by: 'word', idColumn: 'user_id' } as const;
  const asked = conditions.reduce((query, condition) => query.where(condition), shown);
  return readPage(applyCriteria(asked, db.dialect, inWords(criteria)), order, page, shown);
}

/** The members of a group at this time, in seconds. */
export interface MembersOf {
  readonly groupId: string;
  readonly now: number;
  /** From so many members on they are read in the order of people. Tests say fewer than are usual. */
  readonly many?: number;
}

interface UserListOptions {
  readonly group?: MembersOf | undefined;
  readonly expires?: ExpiryCriterion | undefined;
  readonly provider?: ProviderCriterion | undefined;
  readonly locked?: LockCriterion | undefined;
  readonly search?: string | undefined;
  readonly sort?: UserSort | undefined;
}

/** Sorting so many members costs a tenth of a second (bench/README.md). */
const MANY_MEMBERS = 20_000;

const countUpTo = async (db: Reader, rows: RawBuilder<unknown>, limit: number): Promise<number> => {
  const counted = sql<{ count: number }>`select count(*) as count from (select 1 from ${rows} limit ${limit}) as some`;
  return (await counted.execute(db)).rows[0]!.count;
};

/**
 * SQLite does not know how many members a group has. It either sorts them all for each page, or reads people in their order until the page is
 * full: all people, if the members lie together at the end. That is for groups of half of the people, where it is never slower, and for those
 * that take long to sort. Members whose time has come are counted, too: they are removed soon, and an index has only who is a member.
 */
async function isSorted(db: Reader, { groupId, many = MANY_MEMBERS }: MembersOf): Promise<boolean> {
  const members = await countUpTo(db, sql`group_members where group_id = ${groupId}`, many);
  return members < many && (await countUpTo(db, sql`users`, 2 * members + 1)) > 2 * members;
}

/** PostgreSQL chooses by itself. */
async function memberOf({ read, dialect }: Database, group: MembersOf): Promise<RawBuilder<SqlBool>> {
  const present = sql`group_members.group_id = ${group.groupId}
    and (group_members.expires_at is null or group_members.expires_at > ${group.now})`;
  if (dialect === 'postgres' || (await isSorted(read, group)))
    return sql`users.id in (select user_id from group_members where ${present})`;
  return sql`exists (select 1 from group_members where user_id = users.id and ${present})`;
}

/** All users, or only the members of one group. */
export async function listUsers(
  db: Database,
  page: PageRequest,
  listQuery: ListQuery,
  { group, expires, provider, locked, search, sort = { by: 'name' } }: UserListOptions = {},
): Promise<RowPage<ListedUser> | undefined> {
  const conditions = [
    ...(expires ? [expiresAs(expires)] : []),
    ...(provider ? [linkedAs(provider)] : []),
    ...(locked ? [lockedBy(locked)] : []),
  ];
  if (search !== undefined) return searchUsers(db, page, listQuery, search, conditions);
  const visible = applyCriteria(db.lists.selectFrom('users').select(LISTED).select(expiry), db.dialect, listQuery.visible);
  let query = applyCriteria(visible, db.dialect, listQuery.criteria);
  if (group !== undefined) query = query.where(await memberOf(db, group));
  for (const condition of conditions) query = query.where(condition);
  return readPage(query, { table: 'users', ...sort }, page, visible);
}

/** The row is locked so that concurrent updates do not overwrite each other. */
export const lockUser = (db: Database, tx: Tx, id: string): Promise<UserRow | undefined> => lockRow(db, tx, 'users', id);
