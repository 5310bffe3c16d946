// Types of credentials in the database.
import { isIn, lockRow, type PageRequest, type RowPage, readPage } from '../../../platform/database/index.ts';
import type { CredentialTypeRow, Database, Reader, Tx } from '../../ground/database/index.ts';
import { applyCriteria, type Criterion } from '../../ground/resource/index.ts';
import { type CredentialType, toCredentialType } from './credential-type.ts';

export async function withTargets(db: Reader, rows: readonly CredentialTypeRow[]): Promise<CredentialType[]> {
  if (rows.length === 0) return [];
  const targets = await db
    .selectFrom('credential_type_targets')
    .where(
      'type_id',
      'in',
      rows.map(({ id }) => id),
    )
    .orderBy('application_id')
    .selectAll()
    .execute();
  const byType = Map.groupBy(targets, ({ type_id }) => type_id);
  return rows.map((row) =>
    toCredentialType(
      row,
      (byType.get(row.id) ?? []).map(({ application_id }) => application_id),
    ),
  );
}

export async function findCredentialType(db: Reader, id: string): Promise<CredentialType | undefined> {
  const row = await db.selectFrom('credential_types').where('id', '=', id).selectAll().executeTakeFirst();
  return row && (await withTargets(db, [row]))[0];
}

/** Locked until the transaction ends. */
export async function lockCredentialType(db: Pick<Database, 'dialect'>, tx: Tx, id: string): Promise<CredentialType | undefined> {
  const row = await lockRow(db, tx, 'credential_types', id);
  return row && (await withTargets(tx, [row]))[0];
}

export async function readCredentialTypes(db: Reader): Promise<CredentialType[]> {
  return withTargets(db, await db.selectFrom('credential_types').orderBy('id').selectAll().execute());
}

/** Those of the applications in `within`; undefined: of all. */
export function listCredentialTypes(
  db: Database,
  page: PageRequest,
  criteria: readonly Criterion[],
  within: readonly string[] | undefined,
): Promise<RowPage<CredentialTypeRow> | undefined> {
  const all = db.lists.selectFrom('credential_types').selectAll('credential_types');
  const visible = within ? all.where(isIn('credential_types.application_id', within)) : all;
  return readPage(applyCriteria(visible, db.dialect, criteria), { table: 'credential_types', by: 'name' }, page, visible);
}

export async function insertCredentialType(tx: Tx, row: CredentialTypeRow): Promise<void> {
  await tx.insertInto('credential_types').values(row).execute();
}

export async function updateCredentialType(tx: Tx, id: string, values: Partial<CredentialTypeRow>): Promise<void> {
  await tx.updateTable('credential_types').set(values).where('id', '=', id).execute();
}

/** Whether it was there. */
export async function deleteCredentialType(tx: Tx, id: string): Promise<boolean> {
  const { numDeletedRows } = await tx.deleteFrom('credential_types').where('id', '=', id).executeTakeFirst();
  return numDeletedRows > 0n;
}

export async function replaceTargets(tx: Tx, typeId: string, applicationIds: readonly string[]): Promise<void> {
  await tx.deleteFrom('credential_type_targets').where('type_id', '=', typeId).execute();
  if (applicationIds.length > 0)
    await tx
      .insertInto('credential_type_targets')
      .values(applicationIds.map((application_id) => ({ type_id: typeId, application_id })))
      .execute();
}

/** How many there are, of an application and of all. */
export async function countCredentialTypes(tx: Tx, applicationId: string): Promise<{ own: number; all: number }> {
  const { all } = await tx
    .selectFrom('credential_types')
    .select((eb) => eb.fn.countAll<number | string>().as('all'))
    .executeTakeFirstOrThrow();
  const { own } = await tx
    .selectFrom('credential_types')
    .where('application_id', '=', applicationId)
    .select((eb) => eb.fn.countAll<number | string>().as('own'))
    .executeTakeFirstOrThrow();
  return { own: Number(own), all: Number(all) };
}

/** Whether another application has a type of this name. */
export async function isTypeNameTaken(tx: Tx, typeName: string, applicationId: string): Promise<boolean> {
  const row = await tx
    .selectFrom('credential_types')
    .where('type_name', '=', typeName)
    .where('application_id', '!=', applicationId)
    .select('id')
    .executeTakeFirst();
  return row !== undefined;
}

/** Whether credentials of a type of this id were issued that another application had. */
export async function isTypeIdOfAnother(tx: Tx, id: string, applicationId: string): Promise<boolean> {
  const row = await tx
    .selectFrom('issued_credentials')
    .where('type_id', '=', id)
    .where('application_id', '!=', applicationId)
    .select('id')
    .limit(1)
    .executeTakeFirst();
  return row !== undefined;
}

/** Of these roles, those of the applications that are not internal. */
export async function usableRoles(tx: Tx, roleIds: readonly string[], applicationIds: readonly string[]): Promise<Set<string>> {
  if (roleIds.length === 0) return new Set();
  const rows = await tx
    .selectFrom('app_roles')
    .where('id', 'in', [...roleIds])
    .where('application_id', 'in', [...applicationIds])
    .where('is_internal', '=', 0)
    .select('id')
    .execute();
  return new Set(rows.map(({ id }) => id));
}

/** What credentials call these applications, where that is not their id. */
export async function readDids(db: Reader, applicationIds: readonly string[]): Promise<Map<string, string>> {
  if (applicationIds.length === 0) return new Map();
  const rows = await db
    .selectFrom('application_dids')
    .where('application_id', 'in', [...applicationIds])
    .selectAll()
    .execute();
  return new Map(rows.map(({ application_id, did }) => [application_id, did]));
}

export async function deleteDid(tx: Tx, applicationId: string): Promise<boolean> {
  const { numDeletedRows } = await tx
    .deleteFrom('application_dids')
    .where('application_id', '=', applicationId)
    .executeTakeFirst();
  return numDeletedRows > 0n;
}

export async function putDid(tx: Tx, row: { application_id: string; did: string }): Promise<void> {
  await tx
    .insertInto('application_dids')
    .values(row)
    .onConflict((conflict) => conflict.column('application_id').doUpdateSet({ did: row.did }))
    .execute();
}
