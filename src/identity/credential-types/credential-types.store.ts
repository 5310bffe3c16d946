// Types of credentials in the database.
import type { CredentialTypeRow, Reader } from '../database.ts';
import { type CredentialType, toCredentialType } from './credential-type.ts';

async function withTargets(db: Reader, rows: readonly CredentialTypeRow[]): Promise<CredentialType[]> {
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

export async function readCredentialTypes(db: Reader): Promise<CredentialType[]> {
  return withTargets(db, await db.selectFrom('credential_types').orderBy('id').selectAll().execute());
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
