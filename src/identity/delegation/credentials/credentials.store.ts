// Credentials in the database.
import { lockRow, type PageRequest, type RowPage, readPage } from '../../../platform/database/index.ts';
import { STEPS_SET_BACK } from '../../directory/two-factor/index.ts';
import type { CredentialRow, Database, Reader, Tx } from '../../ground/database/index.ts';
import { applyCriteria, type Criterion } from '../../ground/resource/index.ts';

export const findCredential = (db: Reader, id: string): Promise<CredentialRow | undefined> =>
  db.selectFrom('credentials').where('id', '=', id).selectAll().executeTakeFirst();

/** Which credentials a list may show: those of one owner, or all but those of a type that others have. */
export interface VisibleCredentials {
  readonly owner?: string;
  readonly withoutTypeOfOthers?: string;
  readonly reader?: string;
}

/** A marker of what the caller does not see is treated as unknown. */
export function listCredentials(
  db: Database,
  page: PageRequest,
  criteria: readonly Criterion[],
  { owner, withoutTypeOfOthers: hidden, reader = '' }: VisibleCredentials,
): Promise<RowPage<CredentialRow> | undefined> {
  let visible = db.lists.selectFrom('credentials').selectAll('credentials');
  if (owner !== undefined) visible = visible.where('credentials.user_id', '=', owner);
  if (hidden !== undefined)
    visible = visible.where((eb) => eb.or([eb('credentials.type', '!=', hidden), eb('credentials.user_id', '=', reader)]));
  return readPage(applyCriteria(visible, db.dialect, criteria), { table: 'credentials' }, page, visible);
}

export async function countCredentials(db: Reader, userId: string): Promise<number> {
  const { count } = await db
    .selectFrom('credentials')
    .where('user_id', '=', userId)
    .select((eb) => eb.fn.countAll().as('count'))
    .executeTakeFirstOrThrow();
  return Number(count);
}

export const credentialsOf = (db: Reader, userId: string, type: string): Promise<CredentialRow[]> =>
  db.selectFrom('credentials').where('user_id', '=', userId).where('type', '=', type).orderBy('created_at').selectAll().execute();

export async function insertCredential(tx: Tx, row: CredentialRow): Promise<void> {
  await tx.insertInto('credentials').values(row).execute();
}

export const lockCredential = (db: Pick<Database, 'dialect'>, tx: Tx, id: string): Promise<CredentialRow | undefined> =>
  lockRow(db, tx, 'credentials', id);

export async function updateCredential(tx: Tx, id: string, values: Partial<CredentialRow>): Promise<void> {
  await tx.updateTable('credentials').set(values).where('id', '=', id).execute();
}

/** The rows of these types that were deleted: all of a user, or one. */
export async function deleteCredentialsOf(
  tx: Tx,
  userId: string,
  types: readonly string[],
  only?: string,
): Promise<CredentialRow[]> {
  const all = tx.deleteFrom('credentials').where('user_id', '=', userId).where('type', 'in', types);
  return (only === undefined ? all : all.where('id', '=', only)).returningAll().execute();
}

export async function deleteCredential(tx: Tx, id: string): Promise<void> {
  await tx.deleteFrom('credentials').where('id', '=', id).execute();
}

/** Compare and set: of two requests with the same code, only one succeeds. */
export async function acceptCredentialStep(tx: Tx, id: string, step: number): Promise<boolean> {
  const result = await tx
    .updateTable('credentials')
    .set({ last_step: step })
    .where('id', '=', id)
    .where((eb) => eb.or([eb('last_step', '<', step), eb('last_step', '>', step + STEPS_SET_BACK)]))
    .executeTakeFirst();
  return result.numUpdatedRows > 0n;
}
