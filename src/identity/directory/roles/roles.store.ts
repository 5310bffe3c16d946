// Base roles and their implications in the database.
import { sql } from 'kysely';
import { lockRow, type PageRequest, type RowPage, takeAdvisoryLock } from '../../../platform/database/index.ts';
import type { Database, Reader, RoleRow, Tx } from '../../ground/database/index.ts';
import { applyCriteria, type ListQuery, readNamedPage } from '../../ground/resource/index.ts';

export function findRole(db: Reader, id: string): Promise<RoleRow | undefined> {
  return db.selectFrom('roles').where('id', '=', id).selectAll().executeTakeFirst();
}

/** Finds a global role. */
export function findRoleByName(db: Reader, name: string): Promise<RoleRow | undefined> {
  return db.selectFrom('roles').where('name', '=', name).where('domain_id', 'is', null).selectAll().executeTakeFirst();
}

/** Roles with this name: a global one, and those of domains. */
export const rolesNamed = (db: Reader, name: string): Promise<{ id: string }[]> =>
  db.selectFrom('roles').where('name', '=', name).select('id').limit(2).execute();

/** The roles of a domain; without a domain, the global roles. */
export function listRoles(
  db: Database,
  page: PageRequest,
  { criteria, ...order }: Omit<ListQuery, 'visible'>,
  domainId: string | undefined,
): Promise<RowPage<RoleRow> | undefined> {
  const all = db.lists.selectFrom('roles').selectAll('roles');
  const visible = domainId === undefined ? all.where('roles.domain_id', 'is', null) : all.where('roles.domain_id', '=', domainId);
  return readNamedPage(applyCriteria(visible, db.dialect, criteria), 'roles', page, visible, order);
}

/** Of a domain, or the global ones. Nobody else adds one until the end of the transaction. */
export async function lockRoleNames(db: Database, tx: Tx, domainId: string | null): Promise<Pick<RoleRow, 'id' | 'name'>[]> {
  await takeAdvisoryLock(db, tx, `role names ${domainId ?? ''}`);
  const all = tx.selectFrom('roles').select(['id', 'name']);
  return (domainId === null ? all.where('domain_id', 'is', null) : all.where('domain_id', '=', domainId)).execute();
}

export function readRoles(db: Reader, ids: readonly string[]): Promise<RoleRow[]> {
  return ids.length === 0
    ? Promise.resolve([])
    : db
        .selectFrom('roles')
        .where('id', 'in', [...ids])
        .orderBy('name')
        .orderBy('id')
        .selectAll()
        .execute();
}

export async function insertRole(tx: Tx, row: RoleRow): Promise<void> {
  await tx.insertInto('roles').values(row).execute();
}

/** False when the role does not exist. */
export async function updateRole(tx: Tx, id: string, values: Partial<RoleRow>): Promise<boolean> {
  const { numUpdatedRows } = await tx.updateTable('roles').set(values).where('id', '=', id).executeTakeFirst();
  return numUpdatedRows > 0n;
}

/** All that refers to the role refers to the new id. The key of a grant has the id, too. */
export async function moveRole(tx: Tx, row: RoleRow, newId: string): Promise<void> {
  const { id, name } = row;
  // Both are there for a moment, and names are unique.
  await updateRole(tx, id, { name: `${name} ${newId}` });
  await insertRole(tx, { ...row, id: newId });
  const values = { role_id: newId };
  await tx
    .updateTable('grants')
    .set({ ...values, id: sql<string>`replace(id, ${`:${id}:`}, ${`:${newId}:`})` })
    .where('role_id', '=', id)
    .execute();
  await tx.updateTable('trust_roles').set(values).where('role_id', '=', id).execute();
  await tx.updateTable('application_credential_roles').set(values).where('role_id', '=', id).execute();
  await tx.updateTable('oauth1_access_token_roles').set(values).where('role_id', '=', id).execute();
  await tx.updateTable('implied_roles').set({ prior_role_id: newId }).where('prior_role_id', '=', id).execute();
  await tx.updateTable('implied_roles').set({ implied_role_id: newId }).where('implied_role_id', '=', id).execute();
  await deleteRole(tx, id);
}

/** Whether somebody has it. */
export async function isGranted(tx: Tx, id: string): Promise<boolean> {
  const row = await tx.selectFrom('grants').where('role_id', '=', id).select('id').limit(1).executeTakeFirst();
  return row !== undefined;
}

export async function deleteRole(tx: Tx, id: string): Promise<void> {
  await tx.deleteFrom('roles').where('id', '=', id).execute();
}

export interface Implication {
  prior_role_id: string;
  implied_role_id: string;
}

export const readImplications = (db: Reader): Promise<Implication[]> => db.selectFrom('implied_roles').selectAll().execute();

export async function insertImplication(tx: Tx, row: Implication): Promise<void> {
  await tx
    .insertInto('implied_roles')
    .values(row)
    .onConflict((conflict) => conflict.doNothing())
    .execute();
}

export async function deleteImplication(tx: Tx, { prior_role_id, implied_role_id }: Implication): Promise<boolean> {
  const result = await tx
    .deleteFrom('implied_roles')
    .where('prior_role_id', '=', prior_role_id)
    .where('implied_role_id', '=', implied_role_id)
    .executeTakeFirst();
  return result.numDeletedRows > 0n;
}

/** The row is locked so that concurrent updates do not overwrite each other. */
export const lockRole = (db: Database, tx: Tx, id: string): Promise<RoleRow | undefined> => lockRow(db, tx, 'roles', id);
