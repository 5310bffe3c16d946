// Lookalike forms of user names in the database.
import { sql } from 'kysely';
import { isIn, withNext } from '../../../platform/database/index.ts';
import type { Database, Reader, Tx } from '../../ground/database/index.ts';

export interface NamedUser {
  readonly id: string;
  readonly domain_id: string;
  readonly name: string;
}

/** ASCII names take a shared lock, others an exclusive one, so that two lookalikes created at the same time see each other. */
export async function lockForms({ dialect }: Pick<Database, 'dialect'>, tx: Tx, domainId: string, plain: boolean): Promise<void> {
  if (dialect !== 'postgres') return;
  const key = sql`hashtext(${`gatehouse names of ${domainId}`})`;
  const lock = sql.raw(plain ? 'pg_advisory_xact_lock_shared' : 'pg_advisory_xact_lock');
  await sql`${withNext}select ${lock}(${key})`.execute(tx);
}

export const usersOfForms = (db: Reader, domainId: string, forms: readonly string[]): Promise<NamedUser[]> =>
  db
    .selectFrom('user_name_forms')
    .innerJoin('users', 'users.id', 'user_name_forms.user_id')
    .where('user_name_forms.domain_id', '=', domainId)
    .where(isIn('user_name_forms.form', forms))
    .select(['users.id', 'users.domain_id', 'users.name'])
    .execute();

export async function writeForm(tx: Tx, userId: string, domainId: string, form: string): Promise<void> {
  await tx
    .insertInto('user_name_forms')
    .values({ user_id: userId, domain_id: domainId, form })
    .onConflict((conflict) => conflict.column('user_id').doUpdateSet({ form }))
    .execute();
}

/** Only if there is none, and the user still exists with this name: users are renamed and deleted meanwhile. */
export async function writeMissingForm(tx: Tx, { id, name }: NamedUser, form: string): Promise<void> {
  await tx
    .insertInto('user_name_forms')
    .columns(['user_id', 'domain_id', 'form'])
    .expression((eb) =>
      eb
        .selectFrom('users')
        .where('id', '=', id)
        .where('name', '=', name)
        .select(['id', 'domain_id', sql<string>`cast(${form} as text)`.as('form')]),
    )
    .onConflict((conflict) => conflict.column('user_id').doNothing())
    .execute();
}

/** A page of all users by id, with their forms. Reads a bounded number of rows, however many have a form already. */
export const usersWithForms = (
  db: Reader,
  { after, limit }: { after: string; limit: number },
): Promise<(NamedUser & { readonly form: string | null })[]> =>
  db
    .selectFrom('users')
    .leftJoin('user_name_forms', 'user_name_forms.user_id', 'users.id')
    .where('users.id', '>', after)
    .orderBy('users.id')
    .select(['users.id', 'users.domain_id', 'users.name', 'user_name_forms.form'])
    .limit(limit)
    .execute();
