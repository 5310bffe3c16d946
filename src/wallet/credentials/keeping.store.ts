// Copies of credentials, and credentials as verifiers ask for them. Every statement names the owner.
import type { CredentialInstanceRow, CredentialRow, KeyRow, Reader, Tx } from '../database.ts';

export async function insertInstances(tx: Tx, rows: readonly CredentialInstanceRow[]): Promise<void> {
  await tx
    .insertInto('credential_instances')
    .values([...rows])
    .execute();
}

/** Copies of credentials, in the order they came. */
export function instancesOf(db: Reader, owner: string, credentialIds: readonly string[]): Promise<CredentialInstanceRow[]> {
  if (credentialIds.length === 0) return Promise.resolve([]);
  return db
    .selectFrom('credential_instances')
    .where('owner', '=', owner)
    .where('credential_id', 'in', credentialIds)
    .orderBy('credential_id')
    .orderBy('id')
    .selectAll()
    .execute();
}

export type SigningKey = Pick<KeyRow, 'id' | 'kid' | 'algorithm' | 'public_jwk' | 'state'>;

/** Keys that copies are bound to. */
export async function signingKeys(db: Reader, owner: string, ids: readonly string[]): Promise<Map<string, SigningKey>> {
  if (ids.length === 0) return new Map();
  const rows = await db
    .selectFrom('keys')
    .where('owner', '=', owner)
    .where('id', 'in', ids)
    .select(['id', 'kid', 'algorithm', 'public_jwk', 'state'])
    .execute();
  return new Map(rows.map((row) => [row.id, row]));
}

export async function deleteInstance(tx: Tx, owner: string, id: string): Promise<void> {
  await tx.deleteFrom('credential_instances').where('owner', '=', owner).where('id', '=', id).execute();
}

export interface CandidateFilter {
  readonly format: string;
  /** Any type when undefined. */
  readonly types?: readonly string[] | undefined;
  /** Only these credentials. */
  readonly only?: readonly string[] | undefined;
}

/** By index, newest first, a few at a time: most questions are answered by the first. */
export function candidateRows(
  db: Reader,
  owner: string,
  { format, types, only }: CandidateFilter,
  before: string | undefined,
  limit: number,
): Promise<CredentialRow[]> {
  // PostgreSQL has no word for a list of nothing.
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

/** It is to be looked up again. */
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
