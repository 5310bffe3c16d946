// Provisioning connections in the database.
import type { Reader, ScimConnectionRow, Tx } from '../../../ground/database/index.ts';

export type ConnectionWithDomain = ScimConnectionRow & { readonly domain_name: string; readonly domain_enabled: number };

const withDomain = (db: Reader) =>
  db
    .selectFrom('scim_connections')
    .innerJoin('projects', 'projects.id', 'scim_connections.domain_id')
    .selectAll('scim_connections')
    .select(['projects.name as domain_name', 'projects.enabled as domain_enabled']);

export function findConnection(db: Reader, tokenHash: string): Promise<ConnectionWithDomain | undefined> {
  return withDomain(db).where('token_hash', '=', tokenHash).executeTakeFirst();
}

export function findConnectionById(db: Reader, id: string): Promise<ScimConnectionRow | undefined> {
  return db.selectFrom('scim_connections').where('id', '=', id).selectAll().executeTakeFirst();
}

export function listConnections(db: Reader): Promise<ConnectionWithDomain[]> {
  return withDomain(db).orderBy('scim_connections.created_at').orderBy('scim_connections.id').execute();
}

export async function insertConnection(tx: Tx, row: ScimConnectionRow): Promise<void> {
  await tx.insertInto('scim_connections').values(row).execute();
}

/** False when it does not exist. */
export async function deleteConnection(tx: Tx, id: string): Promise<boolean> {
  const { numDeletedRows } = await tx.deleteFrom('scim_connections').where('id', '=', id).executeTakeFirst();
  return numDeletedRows > 0n;
}

export async function markUsed(tx: Tx, id: string, at: number): Promise<void> {
  await tx.updateTable('scim_connections').set({ last_used_at: at }).where('id', '=', id).execute();
}
