// Trusts in the database.
import { type ExpressionBuilder, sql } from 'kysely';
import { type PageRequest, type RowPage, readPage } from '../../../platform/database/index.ts';
import type { Database, Reader, RoleRow, Tables, TrustRow, Tx } from '../../ground/database/index.ts';
import { applyCriteria, type Criterion } from '../../ground/resource/index.ts';

/** A trust with its roles. */
export interface Trust {
  readonly row: TrustRow;
  readonly roles: readonly RoleRow[];
}

export async function findTrust(db: Reader, id: string): Promise<Trust | undefined> {
  const row = await db.selectFrom('trusts').where('id', '=', id).selectAll().executeTakeFirst();
  if (!row) return undefined;
  const roles = await db
    .selectFrom('trust_roles')
    .innerJoin('roles', 'roles.id', 'trust_roles.role_id')
    .where('trust_roles.trust_id', '=', id)
    .orderBy('roles.name')
    .orderBy('roles.id')
    .selectAll('roles')
    .execute();
  return { row, roles };
}

/** The trust and those it was passed on from, nearest first. Undefined if one of them is being deleted. */
export async function chainOf(db: Reader, row: TrustRow): Promise<TrustRow[] | undefined> {
  const chain = [row];
  // As many steps as a trust may be passed on, which is a handful.
  for (let id = row.redelegated_trust_id; id !== null; id = chain.at(-1)!.redelegated_trust_id) {
    const above = await db.selectFrom('trusts').where('id', '=', id).selectAll().executeTakeFirst();
    if (!above) return undefined;
    chain.push(above);
  }
  return chain;
}

/** The ids of a trust and of all that were passed on from it. */
async function idsBelow(db: Reader, id: string): Promise<string[]> {
  const { rows } = await sql<{ id: string }>`
    with recursive below (id) as (
      select id from trusts where id = ${id}
      union all
      select trusts.id from trusts join below on trusts.redelegated_trust_id = below.id
    )
    select id from below`.execute(db);
  return rows.map((row) => row.id);
}

export function listTrusts(
  db: Database,
  page: PageRequest,
  criteria: readonly Criterion[],
): Promise<RowPage<TrustRow> | undefined> {
  const visible = applyCriteria(db.lists.selectFrom('trusts').selectAll('trusts'), db.dialect, criteria);
  return readPage(visible, { table: 'trusts' }, page, visible);
}

/** Without those that are used up, which give nothing more. */
export async function countTrusts(db: Reader, trustorId: string): Promise<number> {
  const { count } = await db
    .selectFrom('trusts')
    .where('trustor_user_id', '=', trustorId)
    .where((eb) => eb.or([eb('remaining_uses', 'is', null), eb('remaining_uses', '>', 0)]))
    .select((eb) => eb.fn.countAll().as('count'))
    .executeTakeFirstOrThrow();
  return Number(count);
}

export async function insertTrust(tx: Tx, row: TrustRow, roleIds: readonly string[]): Promise<void> {
  await tx.insertInto('trusts').values(row).execute();
  if (roleIds.length === 0) return;
  await tx
    .insertInto('trust_roles')
    .values(roleIds.map((role_id) => ({ trust_id: row.id, role_id })))
    .execute();
}

export async function updateEnds(tx: Tx, id: string, ends: Pick<TrustRow, 'expires_at' | 'remaining_uses'>): Promise<void> {
  await tx.updateTable('trusts').set(ends).where('id', '=', id).execute();
}

/** Counts a login. False when none is left: of two logins at the same time, only one gets the last use. */
export async function takeUse(tx: Tx, id: string): Promise<boolean> {
  const { numUpdatedRows } = await tx
    .updateTable('trusts')
    .set((eb) => ({ remaining_uses: eb('remaining_uses', '-', 1) }))
    .where('id', '=', id)
    .where('remaining_uses', '>', 0)
    .executeTakeFirst();
  return numUpdatedRows > 0n;
}

/** The ids of those that a user gave, or of one of them. */
export async function trustsOf(db: Reader, trustorId: string, only?: string): Promise<string[]> {
  const all = db.selectFrom('trusts').where('trustor_user_id', '=', trustorId).select('id');
  const rows = await (only === undefined ? all : all.where('id', '=', only)).execute();
  return rows.map(({ id }) => id);
}

/** Of those that a user gave: the newest that did not expire, and were not found to be used up before `usedUpAfter`. */
export function standingTrusts(
  db: Reader,
  trustorId: string,
  { now, usedUpAfter, limit }: { readonly now: number; readonly usedUpAfter: number; readonly limit: number },
): Promise<TrustRow[]> {
  return db
    .selectFrom('trusts')
    .where('trustor_user_id', '=', trustorId)
    .where((eb) => eb.or([eb('expires_at', 'is', null), eb('expires_at', '>', now)]))
    .where((eb) =>
      eb.or([
        eb('remaining_uses', 'is', null),
        eb('remaining_uses', '>', 0),
        // The job did not come by yet.
        eb('used_up_at', 'is', null),
        eb('used_up_at', '>', usedUpAfter),
      ]),
    )
    .orderBy('created_at', 'desc')
    .orderBy('id')
    .limit(limit)
    .selectAll()
    .execute();
}

/** With all that were passed on from it. Returns their ids. */
export async function deleteTrust(tx: Tx, id: string): Promise<string[]> {
  const ids = await idsBelow(tx, id);
  await tx.deleteFrom('trusts').where('id', '=', id).execute();
  return ids;
}

const SWEEP_BATCH = 200;

/** In small batches, so that other writers do not wait long. */
async function inBatches(db: Database, step: (tx: Tx) => Promise<bigint>): Promise<number> {
  for (let done = 0; ; ) {
    const count = await db.write(step);
    done += Number(count);
    if (count < SWEEP_BATCH) return done;
  }
}

/** Notes the time at trusts without a use that is left. A job does it, because earlier versions do not. */
export const markUsedUp = (db: Database, now: number): Promise<number> =>
  inBatches(db, async (tx) => {
    const { numUpdatedRows } = await tx
      .updateTable('trusts')
      .set({ used_up_at: now })
      .where('id', 'in', (eb) =>
        eb.selectFrom('trusts').where('remaining_uses', '<=', 0).where('used_up_at', 'is', null).select('id').limit(SWEEP_BATCH),
      )
      .executeTakeFirst();
    return numUpdatedRows;
  });

/** Those that expired, or were found to be used up, before these times. */
export async function sweepTrusts(
  db: Database,
  { expiredBefore, usedUpBefore }: { readonly expiredBefore: number; readonly usedUpBefore: number },
): Promise<number> {
  const expired = (eb: ExpressionBuilder<Tables, 'trusts'>) => eb('expires_at', '<=', expiredBefore);
  const usedUp = (eb: ExpressionBuilder<Tables, 'trusts'>) =>
    eb.and([eb('remaining_uses', '<=', 0), eb('used_up_at', '<=', usedUpBefore)]);
  let swept = 0;
  for (const isOver of [expired, usedUp])
    swept += await inBatches(db, async (tx) => {
      const { numDeletedRows } = await tx
        .deleteFrom('trusts')
        .where('id', 'in', (eb) => eb.selectFrom('trusts').where(isOver).select('id').limit(SWEEP_BATCH))
        .executeTakeFirst();
      return numDeletedRows;
    });
  return swept;
}
