// Records of the OpenID provider in the database.
import type { SelectQueryBuilder } from 'kysely';
import { insertRows, isIn, isOneOf, preparedRows } from '../../../platform/database/index.ts';
import type { Database, OpenidRecordRow, Reader, Tables, Tx } from '../../ground/database/index.ts';

/** The most values in one statement. */
const AT_ONCE = 5000;

type RecordKey = 'id' | 'uid' | 'user_code';

/** A record, with the state of its user and grant from the same query. */
export interface RecordWithOwners extends OpenidRecordRow {
  /** Generation of its user; null without a user. */
  user_generation: number | null;
  /** Of its user. */
  domain_id: string | null;
  domain_name: string | null;
  /** Null when it has no grant, or the grant was deleted. */
  grant: string | null;
}

const withOwners = (db: Reader) =>
  db
    .selectFrom('openid_records')
    .leftJoin('users', 'users.id', 'openid_records.user_id')
    .leftJoin('projects as domain', 'domain.id', 'users.domain_id')
    .leftJoin('openid_records as its_grant', 'its_grant.id', 'openid_records.grant_id')
    .selectAll('openid_records')
    .select((eb) => [eb('users.epoch', '+', eb.ref('domain.epoch')).as('user_generation'), 'its_grant.id as grant'])
    .select(['domain.id as domain_id', 'domain.name as domain_name']);

const byKey = (key: RecordKey) =>
  preparedRows<Tables, [hash: string], RecordWithOwners>(
    (db, hash) => withOwners(db).where(`openid_records.${key}`, '=', hash) as SelectQueryBuilder<Tables, never, RecordWithOwners>,
  );
const by = { id: byKey('id'), uid: byKey('uid'), user_code: byKey('user_code') };

export const findRecord = async (db: Reader, key: RecordKey, hash: string): Promise<RecordWithOwners | undefined> =>
  (await by[key](db, hash))[0];

/** The grant of a token, from the same query as the token. */
export interface RecordWithGrant extends RecordWithOwners {
  grant_model: string | null;
  grant_payload: string | null;
  grant_user_id: string | null;
  grant_generation: number | null;
  grant_created_at: number | null;
  grant_expires_at: number | null;
}

const withGrant = (db: Reader) =>
  withOwners(db).select([
    'its_grant.model as grant_model',
    'its_grant.payload as grant_payload',
    'its_grant.user_id as grant_user_id',
    'its_grant.generation as grant_generation',
    'its_grant.created_at as grant_created_at',
    'its_grant.expires_at as grant_expires_at',
  ]);

type QueryWithGrant = SelectQueryBuilder<Tables, never, RecordWithGrant>;
const oneWithGrant = preparedRows<Tables, [hash: string], RecordWithGrant>(
  (db, hash) => withGrant(db).where('openid_records.id', '=', hash) as QueryWithGrant,
);
/** On PostgreSQL. */
const someWithGrant = preparedRows<Tables, [hashes: readonly string[]], RecordWithGrant>(
  (db, hashes) => withGrant(db).where(isOneOf('postgres', 'openid_records.id', hashes)) as QueryWithGrant,
);

export const findRecordWithGrant = async (db: Reader, hash: string): Promise<RecordWithGrant | undefined> =>
  (await oneWithGrant(db, hash))[0];

export const findRecordsWithGrant = async (db: Reader, hashes: readonly string[]): Promise<RecordWithGrant[]> =>
  someWithGrant(db, hashes);

export async function hasRecord(db: Reader, id: string): Promise<boolean> {
  return (await db.selectFrom('openid_records').where('id', '=', id).select('id').executeTakeFirst()) !== undefined;
}

export async function insertRecord(tx: Tx, row: OpenidRecordRow): Promise<void> {
  const { id: _, created_at: __, ...changes } = row;
  await tx
    .insertInto('openid_records')
    .values(row)
    .onConflict((conflict) => conflict.column('id').doUpdateSet(changes))
    .execute();
}

/** Whose ids are new. */
export const insertNewRecords = (tx: Tx, rows: readonly OpenidRecordRow[]): Promise<void> =>
  insertRows(tx, { openid_records: rows });

/** False when it exists already. */
export async function insertNewRecord(tx: Tx, row: OpenidRecordRow): Promise<boolean> {
  const { numInsertedOrUpdatedRows = 0n } = await tx
    .insertInto('openid_records')
    .values(row)
    .onConflict((conflict) => conflict.column('id').doNothing())
    .executeTakeFirst();
  return numInsertedOrUpdatedRows > 0n;
}

/** Does nothing when the record was deleted in the meantime. */
export async function replaceRecord(tx: Tx, { id, created_at: _, ...changes }: OpenidRecordRow): Promise<void> {
  await tx.updateTable('openid_records').set(changes).where('id', '=', id).execute();
}

const generationOfUser = preparedRows<Tables, [id: string], { generation: number }>((db, id) =>
  db
    .selectFrom('users')
    .innerJoin('projects as domain', 'domain.id', 'users.domain_id')
    .where('users.id', '=', id)
    .select((eb) => eb('users.epoch', '+', eb.ref('domain.epoch')).as('generation')),
);

/** The generation of a user: changes when their tokens are revoked. */
export const generationOf = async (db: Reader, userId: string): Promise<number | null> =>
  (await generationOfUser(db, userId))[0]?.generation ?? null;

/** False when it was consumed or deleted: only one of several concurrent callers succeeds. */
export async function consumeRecord(tx: Tx, id: string, at: number): Promise<boolean> {
  const { numUpdatedRows } = await tx
    .updateTable('openid_records')
    .set({ consumed_at: at })
    .where('id', '=', id)
    .where('consumed_at', 'is', null)
    .executeTakeFirst();
  return numUpdatedRows > 0n;
}

/** Returns those that were not consumed before. In one order, so that several statements do not wait for each other in a circle. */
export async function consumeRecords(
  { dialect }: Pick<Database, 'dialect'>,
  tx: Tx,
  ids: readonly string[],
  at: number,
): Promise<string[]> {
  const rows = await tx
    .updateTable('openid_records')
    .set({ consumed_at: at })
    .where(isOneOf(dialect, 'id', [...new Set(ids)].sort()))
    .where('consumed_at', 'is', null)
    .returning('id')
    .execute();
  return rows.map(({ id }) => id);
}

/** False when there is none. */
export async function deleteRecord(tx: Tx, id: string): Promise<boolean> {
  const { numDeletedRows } = await tx.deleteFrom('openid_records').where('id', '=', id).executeTakeFirst();
  return numDeletedRows > 0n;
}

/** Also deletes the refresh tokens of the grant: they could be used to get a new token. False when the user has no such record. */
export async function deleteRecordOf(tx: Tx, userId: string, model: string, id: string): Promise<boolean> {
  const gone = await tx
    .deleteFrom('openid_records')
    .where('id', '=', id)
    .where('user_id', '=', userId)
    .where('model', '=', model)
    .returning('grant_id')
    .executeTakeFirst();
  if (gone?.grant_id)
    await tx.deleteFrom('openid_records').where('grant_id', '=', gone.grant_id).where('model', '=', 'RefreshToken').execute();
  return gone !== undefined;
}

/**
 * Not the interactions: they name the grant of the former session. When somebody signs in with another account, that grant is revoked,
 * and the interaction goes on.
 */
export async function deleteRecordsOfGrant(tx: Tx, grantId: string): Promise<void> {
  await tx.deleteFrom('openid_records').where('grant_id', '=', grantId).where('model', '<>', 'Interaction').execute();
}

/** Grants of a user, with their tokens. */
export async function deleteGrants(tx: Tx, userId: string, ids: readonly string[]): Promise<void> {
  const own = tx.deleteFrom('openid_records').where('user_id', '=', userId);
  for (let from = 0; from < ids.length; from += AT_ONCE) {
    const some = ids.slice(from, from + AT_ONCE);
    await own.where(isIn('grant_id', some)).execute();
    await own.where(isIn('id', some)).execute();
  }
}

/** The session of a user, by the hash of its uid. */
export function findSession(db: Reader, userId: string, uid: string): Promise<OpenidRecordRow | undefined> {
  return db
    .selectFrom('openid_records')
    .where('uid', '=', uid)
    .where('user_id', '=', userId)
    .where('model', '=', 'Session')
    .selectAll()
    .executeTakeFirst();
}

/** By the hashes of their uids. */
export async function deleteSessions(tx: Tx, hashes: readonly string[]): Promise<void> {
  for (let from = 0; from < hashes.length; from += AT_ONCE)
    await tx
      .deleteFrom('openid_records')
      .where(isIn('uid', hashes.slice(from, from + AT_ONCE)))
      .where('model', '=', 'Session')
      .execute();
}

export async function deleteRecordsOfUser(tx: Tx, userId: string): Promise<void> {
  await tx.deleteFrom('openid_records').where('user_id', '=', userId).execute();
}

/** The hashes of the uids of a user's sessions, without the session with the id `exceptId`. */
export async function sessionHashes(db: Reader, userId: string, exceptId = ''): Promise<string[]> {
  const rows = await db
    .selectFrom('openid_records')
    .where('user_id', '=', userId)
    .where('model', '=', 'Session')
    .where('id', '<>', exceptId)
    .where('uid', 'is not', null)
    .select('uid')
    .execute();
  return rows.map(({ uid }) => uid!);
}

export async function deleteConsents(tx: Tx, userId: string, consumerId: string): Promise<void> {
  await tx.deleteFrom('openid_records').where('user_id', '=', userId).where('consumer_id', '=', consumerId).execute();
}

export interface RecordSelection {
  readonly exceptId?: string | undefined;
  /** Limits to these applications. */
  readonly consumerIds?: readonly string[];
}

/** Records of these models that are not consumed and not expired, newest first. */
export function usableRecords(
  db: Reader,
  userId: string,
  models: readonly string[],
  { exceptId = '', consumerIds, now, limit }: RecordSelection & { readonly now: number; readonly limit: number },
): Promise<OpenidRecordRow[]> {
  let query = db
    .selectFrom('openid_records')
    .where('user_id', '=', userId)
    .where('model', 'in', models)
    .where('id', '<>', exceptId)
    .where('consumed_at', 'is', null)
    .where((eb) => eb.or([eb('expires_at', 'is', null), eb('expires_at', '>', now)]));
  if (consumerIds) query = query.where('consumer_id', 'in', consumerIds);
  return query.orderBy('created_at', 'desc').limit(limit).selectAll().execute();
}

/** Applications that have records of this user; with `only`, at most that one. */
export async function consumersOfUser(db: Reader, userId: string, only?: string): Promise<string[]> {
  let query = db.selectFrom('openid_records').where('user_id', '=', userId).where('consumer_id', 'is not', null);
  if (only !== undefined) query = query.where('consumer_id', '=', only);
  const rows = await query.select('consumer_id').distinct().execute();
  return rows.map((row) => row.consumer_id!);
}

export function recordsOfUser(db: Reader, userId: string, model: string): Promise<RecordWithOwners[]> {
  return withOwners(db)
    .where('openid_records.user_id', '=', userId)
    .where('openid_records.model', '=', model)
    .orderBy('openid_records.created_at', 'desc')
    .execute() as Promise<RecordWithOwners[]>;
}

/** Expired, or made before the clock was set back: then it would be valid for as long as the clock was wrong. */
export const isOver = ({ created_at: from, expires_at: end }: OpenidRecordRow, now: number): boolean =>
  end !== null && (end <= now || from > now + (end - from));

/** What gives something. Others are there so that something is done once: without them a proof of that time would be good again. */
const GIVING_MODELS = [
  'Interaction',
  'Session',
  'Grant',
  'AccessToken',
  'ApiToken',
  'RefreshToken',
  'ClientCredentials',
  'AuthorizationCode',
  'DeviceCode',
  'BackchannelAuthenticationRequest',
  'PreAuthorizedCode',
  'OldAuthorization',
];

/** Deletes up to `limit` records that are over (`isOver`) because they lie ahead: when their time comes, they would be valid. Reads all. */
export async function deleteRecordsAhead(tx: Tx, now: number, limit: number): Promise<number> {
  const { numDeletedRows } = await tx
    .deleteFrom('openid_records')
    .where('id', 'in', (eb) =>
      eb
        .selectFrom('openid_records')
        .where('model', 'in', GIVING_MODELS)
        .where('created_at', '>', now)
        .where((row) => row(row('created_at', '+', row.ref('created_at')), '>', row(row.val(now), '+', row.ref('expires_at'))))
        .limit(limit)
        .select('id'),
    )
    .executeTakeFirst();
  return Number(numDeletedRows);
}

/** Deletes up to `limit` expired records. Returns their number. */
export async function deleteEndedRecords(tx: Tx, before: number, limit: number): Promise<number> {
  const { numDeletedRows } = await tx
    .deleteFrom('openid_records')
    .where('id', 'in', (eb) => eb.selectFrom('openid_records').where('expires_at', '<', before).limit(limit).select('id'))
    .executeTakeFirst();
  return Number(numDeletedRows);
}
