// Applications that registered themselves, and the tokens for it, in the database.
import { type PageRequest, type RowPage, readPage } from '../../../platform/database/index.ts';
import type { ConsumerRow, Database, Reader, RegistrationTokenRow, Tx } from '../../ground/database/index.ts';

export async function insertToken(tx: Tx, row: RegistrationTokenRow): Promise<void> {
  await tx.insertInto('registration_tokens').values(row).execute();
}

export const findToken = (db: Reader, id: string): Promise<RegistrationTokenRow | undefined> =>
  db.selectFrom('registration_tokens').where('id', '=', id).selectAll().executeTakeFirst();

export const findTokenByHash = (db: Reader, hash: string): Promise<RegistrationTokenRow | undefined> =>
  db.selectFrom('registration_tokens').where('token_hash', '=', hash).selectAll().executeTakeFirst();

export const listTokens = (db: Reader, domainId: string | undefined): Promise<RegistrationTokenRow[]> => {
  const all = db.selectFrom('registration_tokens').selectAll().orderBy('created_at').orderBy('id');
  return (domainId === undefined ? all : all.where('domain_id', '=', domainId)).execute();
};

export async function countTokens(db: Reader, domainId: string, now: number): Promise<number> {
  const { total } = await db
    .selectFrom('registration_tokens')
    .where('domain_id', '=', domainId)
    .where('expires_at', '>', now)
    .select((eb) => eb.fn.countAll<number>().as('total'))
    .executeTakeFirstOrThrow();
  return Number(total);
}

/** Takes one of its uses. Undefined if none is left. */
export const takeUse = (tx: Tx, hash: string, now: number): Promise<RegistrationTokenRow | undefined> =>
  tx
    .updateTable('registration_tokens')
    .set((eb) => ({ uses_left: eb('uses_left', '-', 1), last_used_at: now }))
    .where('token_hash', '=', hash)
    .where('uses_left', '>', 0)
    .where('expires_at', '>', now)
    .returningAll()
    .executeTakeFirst();

export async function deleteToken(tx: Tx, id: string): Promise<boolean> {
  const { numDeletedRows } = await tx.deleteFrom('registration_tokens').where('id', '=', id).executeTakeFirst();
  return numDeletedRows > 0n;
}

export async function deleteExpiredTokens(tx: Tx, before: number, limit: number): Promise<number> {
  const { numDeletedRows } = await tx
    .deleteFrom('registration_tokens')
    .where('id', 'in', (eb) => eb.selectFrom('registration_tokens').where('expires_at', '<=', before).select('id').limit(limit))
    .executeTakeFirst();
  return Number(numDeletedRows);
}

/** How many of a domain, or of none, nobody has kept. With documents or without. */
export async function countStrangers(db: Reader, domainId: string | null, ofDocuments: boolean): Promise<number> {
  const { total } = await db
    .selectFrom('consumers')
    .where('registered_by', ofDocuments ? '=' : '<>', 'document')
    .where('registration_expires_at', 'is not', null)
    .where('registration_domain_id', domainId === null ? 'is' : '=', domainId)
    .select((eb) => eb.fn.countAll<number>().as('total'))
    .executeTakeFirstOrThrow();
  return Number(total);
}

/** The names of those that somebody registered or kept. */
export async function knownNames(db: Reader): Promise<string[]> {
  const rows = await db.selectFrom('consumers').where('registration_expires_at', 'is', null).select('name').execute();
  return rows.map(({ name }) => name);
}

export const expiredStrangers = (db: Reader, before: number, limit: number): Promise<Pick<ConsumerRow, 'id'>[]> =>
  db
    .selectFrom('consumers')
    .where('registration_expires_at', '<=', before)
    .select('id')
    .orderBy('registration_expires_at')
    .limit(limit)
    .execute();

/** The newest first. `domainId`: only those of this domain. */
export function listRegistered(
  db: Database,
  page: PageRequest,
  { domainId, origin, kept }: { domainId?: string | undefined; origin?: string | undefined; kept?: boolean | undefined },
): Promise<RowPage<ConsumerRow> | undefined> {
  const all = db.lists.selectFrom('consumers').where('registered_by', 'is not', null).selectAll('consumers');
  const visible = domainId === undefined ? all : all.where('registration_domain_id', '=', domainId);
  let wanted = visible;
  if (origin !== undefined) wanted = wanted.where('registered_by', '=', origin as NonNullable<ConsumerRow['registered_by']>);
  if (kept !== undefined) wanted = wanted.where('registration_expires_at', kept ? 'is' : 'is not', null);
  return readPage(wanted, { table: 'consumers', by: 'created_at', descending: true }, page, visible);
}
