// DIDs in the database. Every statement filters by owner, except for the names of hosted documents, which are global.
import type { DidMethod, DidRow, DidState, Reader, Tx } from '../ground/database.ts';
import type { ListPage } from '../resource/index.ts';

export interface DidFilter {
  readonly state?: DidState | undefined;
  readonly method?: DidMethod | undefined;
}

/** Reads one row more than the page size. */
export function listDids(db: Reader, owner: string, { state, method }: DidFilter, { limit, after }: ListPage): Promise<DidRow[]> {
  let query = db.selectFrom('dids').where('owner', '=', owner);
  if (state) query = query.where('state', '=', state);
  if (method) query = query.where('method', '=', method);
  if (after) query = query.where('id', '>', after);
  return query
    .orderBy('id')
    .limit(limit + 1)
    .selectAll()
    .execute();
}

/** By its id, or by the DID itself. */
export function findDid(db: Reader, owner: string, idOrDid: string): Promise<DidRow | undefined> {
  const column = idOrDid.startsWith('did:') ? 'did' : 'id';
  return db.selectFrom('dids').where('owner', '=', owner).where(column, '=', idOrDid).selectAll().executeTakeFirst();
}

export async function hasAlias(db: Reader, owner: string, alias: string): Promise<boolean> {
  const found = db.selectFrom('dids').where('owner', '=', owner).where('alias', '=', alias).select('id');
  return (await found.executeTakeFirst()) !== undefined;
}

export async function hasDids(db: Reader, owner: string): Promise<boolean> {
  return (await db.selectFrom('dids').where('owner', '=', owner).select('id').limit(1).execute()).length > 0;
}

/** How many DIDs and names an owner has. */
export async function countDidsOf(db: Reader, owner: string): Promise<{ dids: number; names: number }> {
  const of = (table: 'dids' | 'did_names') =>
    db
      .selectFrom(table)
      .where('owner', '=', owner)
      .select((eb) => eb.fn.countAll<number>().as('count'))
      .executeTakeFirstOrThrow();
  return { dids: Number((await of('dids')).count), names: Number((await of('did_names')).count) };
}

/** False if the name belongs to another owner. */
export async function takeName(tx: Tx, owner: string, name: string): Promise<boolean> {
  await tx
    .insertInto('did_names')
    .values({ name, owner })
    .onConflict((conflict) => conflict.column('name').doNothing())
    .execute();
  const row = await tx.selectFrom('did_names').where('name', '=', name).select('owner').executeTakeFirst();
  return row?.owner === owner;
}

export async function insertDid(tx: Tx, row: DidRow): Promise<void> {
  await tx.insertInto('dids').values(row).execute();
}

export async function deleteDid(tx: Tx, { owner, id }: DidRow): Promise<void> {
  await tx.deleteFrom('dids').where('owner', '=', owner).where('id', '=', id).execute();
}

export async function hasCredentials(db: Reader, owner: string, didId: string): Promise<boolean> {
  const found = db.selectFrom('credentials').where('owner', '=', owner).where('did_id', '=', didId).select('id').limit(1);
  return (await found.execute()).length > 0;
}

export async function countDids(db: Reader): Promise<Record<string, number>> {
  const rows = await db
    .selectFrom('dids')
    .groupBy('state')
    .select((eb) => ['state', eb.fn.countAll<number>().as('count')])
    .execute();
  return Object.fromEntries(rows.map(({ state, count }) => [state, Number(count)]));
}

export async function clearDefault(tx: Tx, owner: string): Promise<void> {
  await tx.updateTable('dids').set({ is_default: 0 }).where('owner', '=', owner).where('is_default', '=', 1).execute();
}

/** If the default DID is deleted, the newest one becomes the default. */
export async function makeNewestDefault(tx: Tx, owner: string): Promise<void> {
  await tx
    .updateTable('dids')
    .set({ is_default: 1 })
    .where('owner', '=', owner)
    .where('id', '=', (eb) =>
      eb
        .selectFrom('dids')
        .where('owner', '=', owner)
        .select((e) => e.fn.max('id').as('id')),
    )
    .execute();
}
