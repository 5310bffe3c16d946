// Consumers in the database.
import { isIn, isOneOf, lockRow, type PageRequest, preparedRows, type RowPage } from '../../../platform/database/index.ts';
import { gather } from '../../../platform/gather.ts';
import type { ConsumerRow, Database, Reader, Tables, Tx } from '../../ground/database/index.ts';
import { applyCriteria, type ListQuery, readNamedPage } from '../../ground/resource/index.ts';

const byId = preparedRows<Tables, [id: string], ConsumerRow>((db, id) =>
  db.selectFrom('consumers').where('id', '=', id).selectAll(),
);

export const findConsumer = async (db: Reader, id: string): Promise<ConsumerRow | undefined> => (await byId(db, id))[0];

/** On PostgreSQL. */
const byIds = preparedRows<Tables, [ids: readonly string[]], ConsumerRow>((db, ids) =>
  db
    .selectFrom('consumers')
    .where(isOneOf('postgres', 'id', ids))
    .selectAll(),
);

/** For concurrent requests in one statement. SQLite answers at once. */
export function consumerFinder({ dialect, read }: Database): (id: string) => Promise<ConsumerRow | undefined> {
  if (dialect === 'sqlite') return (id) => findConsumer(read, id);
  const find = gather(async (ids: readonly string[]) => {
    const found = new Map((await byIds(read, [...new Set(ids)])).map((row) => [row.id, row]));
    return ids.map((id) => found.get(id));
  });
  // No text in PostgreSQL has this character, and strangers say the id: the statement would fail, with what others ask.
  return async (id) => (id.includes('\0') ? undefined : find(id));
}

/** The names of those that exist, by id. */
export async function namesOfConsumers(db: Reader, ids: readonly string[]): Promise<Map<string, string>> {
  const rows =
    ids.length === 0
      ? []
      : await db
          .selectFrom('consumers')
          .where('id', 'in', [...ids])
          .select(['id', 'name'])
          .execute();
  return new Map(rows.map(({ id, name }) => [id, name]));
}

/** All consumers, or only those in `within`. */
export function listConsumers(
  db: Database,
  page: PageRequest,
  { criteria, ...order }: Omit<ListQuery, 'visible'>,
  within: readonly string[] | undefined,
): Promise<RowPage<ConsumerRow> | undefined> {
  const all = db.lists.selectFrom('consumers').selectAll('consumers');
  const visible = within ? all.where(isIn('consumers.id', within)) : all;
  return readNamedPage(applyCriteria(visible, db.dialect, criteria), 'consumers', page, visible, order);
}

export async function insertConsumer(tx: Tx, row: ConsumerRow): Promise<void> {
  await tx.insertInto('consumers').values(row).execute();
}

export async function updateConsumer(tx: Tx, id: string, values: Partial<ConsumerRow>): Promise<void> {
  await tx.updateTable('consumers').set(values).where('id', '=', id).execute();
}

/** Its roles, permissions, links and assignments are deleted too. */
export async function deleteConsumer(tx: Tx, id: string): Promise<void> {
  await tx.deleteFrom('consumers').where('id', '=', id).execute();
}

/** Deletes its codes, grants, tokens and consents. What a request stores for the access that it has read is not stored any more. */
export async function endGrants(tx: Tx, id: string): Promise<void> {
  await tx
    .updateTable('consumers')
    .set((eb) => ({ access_epoch: eb('access_epoch', '+', 1) }))
    .where('id', '=', id)
    .execute();
  await tx.deleteFrom('openid_records').where('consumer_id', '=', id).execute();
}

/** Removes previous secrets that do not work any more. Returns the ids of their consumers. */
export async function clearPreviousSecrets(tx: Tx, before: number, limit: number): Promise<string[]> {
  const rows = await tx
    .updateTable('consumers')
    .set({ previous_secret: null, previous_secret_until: null })
    .where('id', 'in', (eb) =>
      eb.selectFrom('consumers').where('previous_secret_until', '<=', before).select('id').orderBy('id').limit(limit),
    )
    .where('previous_secret_until', '<=', before)
    .returning('id')
    .execute();
  return rows.map(({ id }) => id);
}

/** The row is locked so that concurrent updates do not overwrite each other. */
export const lockConsumer = (db: Database, tx: Tx, id: string): Promise<ConsumerRow | undefined> =>
  lockRow(db, tx, 'consumers', id);
