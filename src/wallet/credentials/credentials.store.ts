// Credentials in the database. Every statement filters by owner.
import type { CredentialRow, Reader, Tx } from '../ground/database.ts';
import type { ListPage } from '../resource/index.ts';

export interface CredentialFilter {
  readonly type?: string | undefined;
  readonly format?: string | undefined;
  readonly issuer?: string | undefined;
  readonly status?: string | undefined;
  readonly keyId?: string | undefined;
}

/** Reads one row more than the page size. Expiry is computed from `now`, not stored. */
export function listCredentials(
  db: Reader,
  owner: string,
  { type, format, issuer, status, keyId }: CredentialFilter,
  { limit, after }: ListPage,
  now: number,
): Promise<CredentialRow[]> {
  let query = db.selectFrom('credentials').where('owner', '=', owner);
  if (type) query = query.where('type', '=', type);
  if (format) query = query.where('format', '=', format);
  if (issuer) query = query.where('issuer', '=', issuer);
  if (status === 'expired') query = query.where('valid_until', '<=', now);
  else if (status)
    query = query.where('status', '=', status).where((eb) => eb.or([eb('valid_until', 'is', null), eb('valid_until', '>', now)]));
  if (keyId)
    query = query.where('id', 'in', (eb) =>
      eb.selectFrom('credential_instances').where('owner', '=', owner).where('key_id', '=', keyId).select('credential_id'),
    );
  if (after) query = query.where('id', '>', after);
  return query
    .orderBy('id')
    .limit(limit + 1)
    .selectAll()
    .execute();
}

/** True if it existed. */
export async function deleteCredential(tx: Tx, owner: string, id: string): Promise<boolean> {
  const { numDeletedRows } = await tx
    .deleteFrom('credentials')
    .where('owner', '=', owner)
    .where('id', '=', id)
    .executeTakeFirst();
  return numDeletedRows > 0n;
}

export async function insertCredential(tx: Tx, row: CredentialRow): Promise<void> {
  await tx.insertInto('credentials').values(row).execute();
}

export async function countCredentials(db: Reader): Promise<Record<string, number>> {
  const rows = await db
    .selectFrom('credentials')
    .groupBy('format')
    .select((eb) => ['format', eb.fn.countAll<number>().as('count')])
    .execute();
  return Object.fromEntries(rows.map(({ format, count }) => [format, Number(count)]));
}

/** States of the keys that credentials are bound to. */
export async function keyStates(db: Reader, owner: string, ids: readonly string[]): Promise<Map<string, string>> {
  if (ids.length === 0) return new Map();
  const rows = await db.selectFrom('keys').where('owner', '=', owner).where('id', 'in', ids).select(['id', 'state']).execute();
  return new Map(rows.map(({ id, state }) => [id, state]));
}

export async function didsByIds(db: Reader, owner: string, ids: readonly string[]): Promise<Map<string, string>> {
  if (ids.length === 0) return new Map();
  const rows = await db.selectFrom('dids').where('owner', '=', owner).where('id', 'in', ids).select(['id', 'did']).execute();
  return new Map(rows.map(({ id, did }) => [id, did]));
}

export interface CandidateFilter {
  readonly format: string;
  /** Any type when undefined. */
  readonly types?: readonly string[] | undefined;
  /** Only these credentials. */
  readonly only?: readonly string[] | undefined;
}

/** Newest first, in small chunks: most queries are matched by the first rows. */
export function candidateRows(
  db: Reader,
  owner: string,
  { format, types, only }: CandidateFilter,
  before: string | undefined,
  limit: number,
): Promise<CredentialRow[]> {
  // PostgreSQL does not accept an empty list.
  if (types?.length === 0 || only?.length === 0) return Promise.resolve([]);
  let query = db.selectFrom('credentials').where('owner', '=', owner).where('format', '=', format);
  if (types) query = query.where('type', 'in', types);
  if (only) query = query.where('id', 'in', only);
  if (before) query = query.where('id', '<', before);
  return query.orderBy('id', 'desc').limit(limit).selectAll().execute();
}

export function credentialsByIds(db: Reader, owner: string, ids: readonly string[]): Promise<CredentialRow[]> {
  if (ids.length === 0) return Promise.resolve([]);
  return db.selectFrom('credentials').where('owner', '=', owner).where('id', 'in', ids).orderBy('id').selectAll().execute();
}

/** The status must be fetched again. */
export async function forgetStatus(tx: Tx, owner: string, id: string): Promise<void> {
  await tx.updateTable('credentials').set({ status_checked_at: null }).where('owner', '=', owner).where('id', '=', id).execute();
}

export async function writeStatus(tx: Tx, owner: string, id: string, status: string, at: number): Promise<void> {
  await tx
    .updateTable('credentials')
    .set({ status, status_checked_at: at })
    .where('owner', '=', owner)
    .where('id', '=', id)
    .execute();
}
