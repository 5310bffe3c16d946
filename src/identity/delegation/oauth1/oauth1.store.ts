// Consumers, request tokens and access tokens of OAuth1 in the database.
import { lockRow, type PageRequest, type RowPage, readPage } from '../../../platform/database/index.ts';
import type {
  Database,
  OAuth1AccessTokenRow,
  OAuth1ConsumerRow,
  OAuth1RequestTokenRow,
  Reader,
  RoleRow,
  Tx,
} from '../../ground/database/index.ts';

export interface AccessToken {
  readonly row: OAuth1AccessTokenRow;
  readonly roles: readonly RoleRow[];
}

export const findConsumer = (db: Reader, id: string): Promise<OAuth1ConsumerRow | undefined> =>
  db.selectFrom('oauth1_consumers').where('id', '=', id).selectAll().executeTakeFirst();

export function listConsumers(db: Database, page: PageRequest): Promise<RowPage<OAuth1ConsumerRow> | undefined> {
  const all = db.lists.selectFrom('oauth1_consumers').selectAll('oauth1_consumers');
  return readPage(all, { table: 'oauth1_consumers' }, page, all);
}

export async function insertConsumer(tx: Tx, row: OAuth1ConsumerRow): Promise<void> {
  await tx.insertInto('oauth1_consumers').values(row).execute();
}

export async function updateConsumer(
  tx: Tx,
  id: string,
  values: Pick<OAuth1ConsumerRow, 'description' | 'extra'>,
): Promise<void> {
  await tx.updateTable('oauth1_consumers').set(values).where('id', '=', id).execute();
}

/** `share`: for a transaction that only depends on it. */
export const lockConsumer = (
  db: Pick<Database, 'dialect'>,
  tx: Tx,
  id: string,
  mode: 'update' | 'share' = 'update',
): Promise<OAuth1ConsumerRow | undefined> => lockRow(db, tx, 'oauth1_consumers', id, mode);

/**
 * With its tokens. Returns the ids of its access tokens; undefined when there is no such consumer. It is locked first: a token that is being made
 * is waited for, so that it is among them, and none is made afterwards.
 */
export async function deleteConsumer(db: Pick<Database, 'dialect'>, tx: Tx, id: string): Promise<string[] | undefined> {
  if (!(await lockConsumer(db, tx, id))) return undefined;
  const tokens = await tx.selectFrom('oauth1_access_tokens').where('consumer_id', '=', id).select('id').execute();
  await tx.deleteFrom('oauth1_consumers').where('id', '=', id).execute();
  return tokens.map((token) => token.id);
}

export const findRequestToken = (db: Reader, id: string): Promise<OAuth1RequestTokenRow | undefined> =>
  db.selectFrom('oauth1_request_tokens').where('id', '=', id).selectAll().executeTakeFirst();

/** Those that have not ended, and were not changed for an access token. */
export async function countRequestTokens(tx: Tx, consumerId: string, now: number): Promise<number> {
  const { count } = await tx
    .selectFrom('oauth1_request_tokens')
    .where('consumer_id', '=', consumerId)
    .where((eb) => eb.or([eb('expires_at', 'is', null), eb('expires_at', '>', now)]))
    .select((eb) => eb.fn.countAll().as('count'))
    .executeTakeFirstOrThrow();
  return Number(count);
}

export async function insertRequestToken(tx: Tx, row: OAuth1RequestTokenRow): Promise<void> {
  await tx.insertInto('oauth1_request_tokens').values(row).execute();
}

/** False when it is not there, or somebody has authorized it already. */
export async function authorizeRequestToken(
  tx: Tx,
  id: string,
  values: Pick<OAuth1RequestTokenRow, 'user_id' | 'verifier_hash' | 'role_ids'>,
): Promise<boolean> {
  const { numUpdatedRows } = await tx
    .updateTable('oauth1_request_tokens')
    .set(values)
    .where('id', '=', id)
    .where((eb) => eb.or([eb('user_id', 'is', null), eb('user_id', '=', values.user_id)]))
    .executeTakeFirst();
  return numUpdatedRows > 0n;
}

/** Each becomes one access token: of two requests at the same time, only one gets it. */
export async function takeRequestToken(tx: Tx, { id, verifier_hash }: OAuth1RequestTokenRow): Promise<boolean> {
  const { numDeletedRows } = await tx
    .deleteFrom('oauth1_request_tokens')
    .where('id', '=', id)
    .where('verifier_hash', '=', verifier_hash)
    .executeTakeFirst();
  return numDeletedRows > 0n;
}

export async function findAccessToken(db: Reader, id: string): Promise<AccessToken | undefined> {
  const row = await db.selectFrom('oauth1_access_tokens').where('id', '=', id).selectAll().executeTakeFirst();
  if (!row) return undefined;
  const roles = await db
    .selectFrom('oauth1_access_token_roles as given')
    .innerJoin('roles', 'roles.id', 'given.role_id')
    .where('given.access_token_id', '=', id)
    .orderBy('roles.name')
    .orderBy('roles.id')
    .selectAll('roles')
    .execute();
  return { row, roles };
}

export const accessTokensOf = (db: Reader, userId: string): Promise<OAuth1AccessTokenRow[]> =>
  db.selectFrom('oauth1_access_tokens').where('user_id', '=', userId).orderBy('id').selectAll().execute();

export async function consumerNames(db: Reader, ids: readonly string[]): Promise<Map<string, string>> {
  if (ids.length === 0) return new Map();
  const rows = await db.selectFrom('oauth1_consumers').where('id', 'in', ids).select(['id', 'description']).execute();
  return new Map(rows.map(({ id, description }) => [id, description || id]));
}

export async function insertAccessToken(tx: Tx, row: OAuth1AccessTokenRow, roleIds: readonly string[]): Promise<void> {
  await tx.insertInto('oauth1_access_tokens').values(row).execute();
  await tx
    .insertInto('oauth1_access_token_roles')
    .values(roleIds.map((role_id) => ({ access_token_id: row.id, role_id })))
    .execute();
}

/** What the user authorized and nobody took yet. */
export async function deleteAuthorizedRequests(tx: Tx, userId: string): Promise<void> {
  await tx.deleteFrom('oauth1_request_tokens').where('user_id', '=', userId).execute();
}

/** All, and what the user authorized and nobody took yet; or one of them. Returns the ids of the access tokens. */
export async function deleteAccessTokensOf(tx: Tx, userId: string, only?: string): Promise<string[]> {
  if (only === undefined) await deleteAuthorizedRequests(tx, userId);
  const all = tx.deleteFrom('oauth1_access_tokens').where('user_id', '=', userId);
  const rows = await (only === undefined ? all : all.where('id', '=', only)).returning('id').execute();
  return rows.map(({ id }) => id);
}

export async function deleteAccessToken(tx: Tx, id: string): Promise<boolean> {
  const { numDeletedRows } = await tx.deleteFrom('oauth1_access_tokens').where('id', '=', id).executeTakeFirst();
  return numDeletedRows > 0n;
}

/** False when it was there: the request was sent before. */
export async function insertNonce(tx: Tx, hash: string, expires_at: number): Promise<boolean> {
  const { numInsertedOrUpdatedRows } = await tx
    .insertInto('oauth1_nonces')
    .values({ hash, expires_at })
    .onConflict((conflict) => conflict.doNothing())
    .executeTakeFirst();
  return (numInsertedOrUpdatedRows ?? 0n) > 0n;
}

const SWEEP_BATCH = 500;

/** In small batches, so that other writers do not wait long. */
async function inBatches(db: Database, remove: (tx: Tx) => Promise<{ readonly numDeletedRows: bigint }>): Promise<number> {
  for (let swept = 0; ; ) {
    const { numDeletedRows } = await db.write(remove);
    swept += Number(numDeletedRows);
    if (numDeletedRows < SWEEP_BATCH) return swept;
  }
}

/** What has expired. */
export async function sweepOAuth1(db: Database, now: number): Promise<number> {
  const nonces = await inBatches(db, (tx) =>
    tx
      .deleteFrom('oauth1_nonces')
      .where('hash', 'in', (eb) =>
        eb.selectFrom('oauth1_nonces').where('expires_at', '<=', now).select('hash').limit(SWEEP_BATCH),
      )
      .executeTakeFirst(),
  );
  let tokens = 0;
  for (const table of ['oauth1_request_tokens', 'oauth1_access_tokens'] as const)
    tokens += await inBatches(db, (tx) =>
      tx
        .deleteFrom(table)
        .where('id', 'in', (eb) => eb.selectFrom(table).where('expires_at', '<=', now).select('id').limit(SWEEP_BATCH))
        .executeTakeFirst(),
    );
  return nonces + tokens;
}
