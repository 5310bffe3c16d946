// A row for each process that uses this database. On SQLite there is one process, and no row. Times are those of the database server,
// because the clocks of the machines may differ.
import { sql } from 'kysely';
import type { Reader, ReplicaRow, Tx } from '../../ground/database/index.ts';

/** Three rows are missing, and some more: it was killed, hangs, or does not reach the database. */
const SILENT_SECONDS = 35;
const KEPT_SECONDS = 3600;
/** More processes than a PostgreSQL has connections for. */
const MAX_REPLICAS = 1000;

const NOW = sql<number>`extract(epoch from clock_timestamp())::bigint`;

export type Beat = Pick<ReplicaRow, 'id' | 'host' | 'worker' | 'version' | 'lag_ms' | 'is_live'> & {
  /** How long it has run, in seconds. */
  readonly uptime: number;
};

export type SeenReplica = ReplicaRow & { readonly is_silent: boolean };

/** No cache holds these, so nobody is told. */
export async function writeBeat(tx: Tx, { uptime, ...row }: Beat): Promise<void> {
  const { lag_ms, is_live } = row;
  await tx
    .insertInto('replicas')
    .values({ ...row, started_at: sql<number>`${NOW} - ${uptime}::bigint`, seen_at: NOW })
    .onConflict((conflict) => conflict.column('id').doUpdateSet({ lag_ms, is_live, seen_at: NOW }))
    .execute();
}

export async function deleteReplica(tx: Tx, id: string): Promise<void> {
  await tx.deleteFrom('replicas').where('id', '=', id).execute();
}

export async function deleteLongSilent(tx: Tx): Promise<number> {
  const { numDeletedRows } = await tx
    .deleteFrom('replicas')
    .where('seen_at', '<', sql<number>`${NOW} - ${KEPT_SECONDS}`)
    .executeTakeFirst();
  return Number(numDeletedRows);
}

/** Those seen last come first. */
export function readReplicas(db: Reader): Promise<SeenReplica[]> {
  return db
    .selectFrom('replicas')
    .selectAll()
    .select(sql<boolean>`${NOW} - seen_at > ${SILENT_SECONDS}`.as('is_silent'))
    .orderBy('seen_at', 'desc')
    .limit(MAX_REPLICAS)
    .execute();
}
