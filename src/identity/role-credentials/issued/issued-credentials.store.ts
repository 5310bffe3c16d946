// Issued credentials in the database.
import { type SqlBool, sql } from 'kysely';
import { type PageRequest, preparedRows, type RowPage, readPage, type SortOrder } from '../../../platform/database/index.ts';
import { heldAssignments, type RoleSelection } from '../../applications/app-roles/index.ts';
import type {
  CredentialState,
  Database,
  IssuedCredentialRow,
  Reader,
  StatusListRow,
  Tables,
  Tx,
} from '../../ground/database/index.ts';
import { applyCriteria, type Criterion } from '../../ground/resource/index.ts';

/** Databases limit the number of parameters in a statement. */
const AT_ONCE = 500;

export function* chunksOf<T>(all: readonly T[]): Generator<readonly T[]> {
  for (let first = 0; first < all.length; first += AT_ONCE) yield all.slice(first, first + AT_ONCE);
}

/** A role that a user has, as a credential says it. */
export interface HeldRole {
  readonly application_id: string;
  readonly role_id: string;
  readonly name: string;
}

/** The roles that a user has at this time (in seconds). */
export async function heldRolesOf(tx: Tx, userId: string, selection: RoleSelection, now: number): Promise<HeldRole[]> {
  const { rows } = await sql<HeldRole>`select distinct app_user_roles.application_id, app_roles.id as role_id, app_roles.name
    ${heldAssignments(selection, now)} and app_user_roles.user_id = ${userId}
    order by app_roles.name, app_roles.id`.execute(tx);
  return rows;
}

export interface HeldOrganization {
  readonly id: string;
  readonly name: string;
}

/** The organizations in which they have them. */
export async function organizationsOfRoles(
  tx: Tx,
  userId: string,
  selection: RoleSelection,
  now: number,
): Promise<HeldOrganization[]> {
  const { rows } = await sql<HeldOrganization>`select distinct projects.id, projects.name
    ${heldAssignments(selection, now)} and app_user_roles.user_id = ${userId}
    order by projects.name, projects.id`.execute(tx);
  return rows;
}

const anyList = preparedRows<Tables, [], { id: string }>((db) => db.selectFrom('status_lists').select('id').limit(1));

/** Asked by every change that could take a role away. */
export const hasLists = async (tx: Tx): Promise<boolean> => (await anyList(tx)).length > 0;

/**
 * Waits for every transaction that has read the lists, and lets no other read them until this one ends: one that found no list does not look for
 * credentials.
 */
export async function waitForReaders({ dialect }: Pick<Database, 'dialect'>, tx: Tx): Promise<void> {
  if (dialect === 'postgres') await sql`lock table status_lists in access exclusive mode`.execute(tx);
}

export const findOpenList = (tx: Tx): Promise<StatusListRow | undefined> =>
  tx
    .selectFrom('status_lists')
    .where('is_full', '=', 0)
    .orderBy('created_at')
    .orderBy('id')
    .selectAll()
    .limit(1)
    .executeTakeFirst();

export async function insertList(tx: Tx, row: StatusListRow): Promise<void> {
  await tx.insertInto('status_lists').values(row).execute();
}

export async function closeList(tx: Tx, id: string): Promise<void> {
  await tx.updateTable('status_lists').set({ is_full: 1 }).where('id', '=', id).execute();
}

/** Those whose entry of the list was free. */
export async function insertWhereFree(tx: Tx, rows: readonly IssuedCredentialRow[]): Promise<Set<string>> {
  const stored = new Set<string>();
  for (const some of chunksOf(rows)) {
    const inserted = await tx
      .insertInto('issued_credentials')
      .values([...some])
      .onConflict((conflict) => conflict.columns(['list_id', 'list_index']).doNothing())
      .returning('id')
      .execute();
    for (const { id } of inserted) stored.add(id);
  }
  return stored;
}

export async function insertRoles(tx: Tx, batchId: string, roles: readonly (HeldRole & { readonly target: string })[]) {
  for (const some of chunksOf(roles))
    await tx
      .insertInto('issued_credential_roles')
      .values(
        some.map(({ application_id, role_id, target, name }) => ({ batch_id: batchId, application_id, role_id, target, name })),
      )
      .execute();
}

export async function insertTags(tx: Tx, batchId: string, tags: readonly string[]): Promise<void> {
  for (const some of chunksOf(tags))
    await tx
      .insertInto('issued_credential_tags')
      .values(some.map((tag) => ({ tag, batch_id: batchId })))
      .execute();
}

export type Revocable = Pick<IssuedCredentialRow, 'id' | 'list_id' | 'user_id' | 'application_id' | 'type_id'>;

export interface SeriesQuery {
  readonly userId: string;
  readonly typeId: string;
  readonly format: string;
  readonly authorizationId: string | null;
  readonly keyThumbprints: readonly string[];
}

/** What the same wallet got of this before: by the same authorization, or for one of the same keys. */
export async function findSeries(
  tx: Tx,
  { userId, typeId, format, authorizationId, keyThumbprints }: SeriesQuery,
): Promise<Pick<IssuedCredentialRow, 'series_id' | 'first_issued_at'> | undefined> {
  const ofUser = tx
    .selectFrom('issued_credentials')
    .where('user_id', '=', userId)
    .where('type_id', '=', typeId)
    .where('format', '=', format)
    .where('series_id', 'is not', null)
    .select(['series_id', 'first_issued_at'])
    .limit(1);
  const byAuthorization =
    authorizationId === null ? undefined : await ofUser.where('authorization_id', '=', authorizationId).executeTakeFirst();
  return byAuthorization ?? (await ofUser.where('key_thumbprint', 'in', [...keyThumbprints]).executeTakeFirst());
}

/** The others of its series that are in one of these states, and have not expired. */
export const othersOfSeries = (
  tx: Tx,
  { id, series_id }: Pick<IssuedCredentialRow, 'id' | 'series_id'>,
  states: readonly CredentialState[],
  now: number,
): Promise<Revocable[]> =>
  tx
    .selectFrom('issued_credentials')
    .where('series_id', '=', series_id)
    .where('state', 'in', [...states])
    .where('expires_at', '>', now)
    .where('id', '<>', id)
    .select(['id', 'list_id', 'user_id', 'application_id', 'type_id'])
    .execute();

/** When a wallet last got one of these series. */
export async function lastOfSeries(db: Reader, seriesIds: readonly string[]): Promise<ReadonlyMap<string, number>> {
  const all = new Map<string, number>();
  for (const some of chunksOf([...new Set(seriesIds)])) {
    const rows = await db
      .selectFrom('issued_credentials')
      .where('series_id', 'in', [...some])
      .groupBy('series_id')
      .select(({ fn }) => ['series_id', fn.max('issued_at').as('last')])
      .execute();
    for (const { series_id, last } of rows) all.set(series_id!, Number(last));
  }
  return all;
}

/** Counts a change of a list, and locks the list until the transaction ends: versions are visible in the order of their numbers. */
export async function nextVersion(tx: Tx, listId: string): Promise<number> {
  const { version } = await tx
    .updateTable('status_lists')
    .set((eb) => ({ version: eb('version', '+', 1) }))
    .where('id', '=', listId)
    .returning('version')
    .executeTakeFirstOrThrow();
  return version;
}

export interface NewState {
  readonly state: CredentialState;
  readonly reason: string | null;
  readonly at: number;
  readonly listState: number;
  readonly listVersion: number;
}

/** Returns the ids of those that had one of the states before. */
export async function updateStates(
  tx: Tx,
  ids: readonly string[],
  from: readonly CredentialState[],
  { state, reason, at, listState, listVersion }: NewState,
): Promise<string[]> {
  const changed: string[] = [];
  for (const some of chunksOf(ids)) {
    const rows = await tx
      .updateTable('issued_credentials')
      .set({ state, reason, changed_at: at, list_state: listState, list_version: listVersion })
      .where('id', 'in', [...some])
      .where('state', 'in', [...from])
      .returning('id')
      .execute();
    for (const { id } of rows) changed.push(id);
  }
  return changed;
}

export const findIssued = (db: Reader, id: string): Promise<IssuedCredentialRow | undefined> =>
  db.selectFrom('issued_credentials').where('id', '=', id).selectAll().executeTakeFirst();

export const findByEntry = (db: Reader, listId: string, index: number): Promise<IssuedCredentialRow | undefined> =>
  db
    .selectFrom('issued_credentials')
    .where('list_id', '=', listId)
    .where('list_index', '=', index)
    .selectAll()
    .executeTakeFirst();

export const issuedTo = (db: Reader, userId: string): Promise<IssuedCredentialRow[]> =>
  db
    .selectFrom('issued_credentials')
    .where('user_id', '=', userId)
    .orderBy('issued_at', 'desc')
    .orderBy('id')
    .selectAll()
    .execute();

/** Of those of a series that are in the same state. */
const isNewestOfSeries = sql<SqlBool>`not exists (
  select 1 from issued_credentials as newer where newer.series_id = issued_credentials.series_id and newer.state = issued_credentials.state
    and (newer.issued_at, newer.id) > (issued_credentials.issued_at, issued_credentials.id))`;

export interface IssuedQuery {
  /** What the caller may list. */
  readonly limits: readonly Criterion[];
  readonly criteria: readonly Criterion[];
  /** Only the newest of what a wallet got. */
  readonly isNewest: boolean;
  readonly sort: SortOrder<'issued_at'> | undefined;
}

export function listIssued(
  db: Database,
  page: PageRequest,
  { limits, criteria, isNewest, sort }: IssuedQuery,
): Promise<RowPage<IssuedCredentialRow> | undefined> {
  const visible = applyCriteria(db.lists.selectFrom('issued_credentials').selectAll('issued_credentials'), db.dialect, limits);
  const filtered = applyCriteria(visible, db.dialect, criteria);
  const query = isNewest ? filtered.where(isNewestOfSeries) : filtered;
  return readPage(query, { table: 'issued_credentials', ...sort }, page, visible);
}

export interface SaidRole {
  readonly batch_id: string;
  readonly application_id: string;
  readonly target: string;
  readonly name: string;
}

/** What credentials of these batches say. */
export async function rolesOfBatches(db: Reader, batchIds: readonly string[]): Promise<SaidRole[]> {
  const all: SaidRole[] = [];
  for (const some of chunksOf([...new Set(batchIds)])) {
    const rows = await db
      .selectFrom('issued_credential_roles')
      .where('batch_id', 'in', [...some])
      .orderBy('application_id')
      .orderBy('name')
      .select(['batch_id', 'application_id', 'target', 'name'])
      .execute();
    all.push(...rows);
  }
  return all;
}
