// The last requests of provisioning connections in the database.
import { sql } from 'kysely';
import { type PageRequest, type RowPage, readPage } from '../../../../platform/database/index.ts';
import type { Reader, ScimRequestRow, Tx } from '../../../ground/database/index.ts';

/** From this status on a request has failed. */
export const FAILED = 400;

export type Outcome = 'success' | 'failure';

/** Rows in one statement: databases limit the number of its values. */
const ROWS_AT_ONCE = 500;

/** Rows of connections that were deleted meanwhile are left out. After an outage there are as many as all connections keep. */
export async function insertRequests(tx: Tx, rows: readonly ScimRequestRow[]): Promise<void> {
  const ids = [...new Set(rows.map(({ connection_id }) => connection_id))];
  const found = await tx.selectFrom('scim_connections').where('id', 'in', ids).select('id').execute();
  const known = new Set(found.map(({ id }) => id));
  const kept = rows.filter(({ connection_id }) => known.has(connection_id));
  for (let from = 0; from < kept.length; from += ROWS_AT_ONCE)
    await tx
      .insertInto('scim_requests')
      .values(kept.slice(from, from + ROWS_AT_ONCE))
      .execute();
}

/** Of each of these connections: the last failures and the last of the others stay. */
export async function deleteExcess(
  tx: Tx,
  connectionIds: readonly string[],
  keep: Readonly<Record<Outcome, number>>,
): Promise<void> {
  await sql`
    delete from scim_requests where id in (
      select id from (
        select id, status, row_number() over (
          partition by connection_id, case when status >= ${FAILED} then 1 else 0 end order by id desc
        ) as place
        from scim_requests where connection_id in (${sql.join([...connectionIds])})
      ) as ranked
      where place > case when status >= ${FAILED} then cast(${keep.failure} as integer) else cast(${keep.success} as integer) end
    )`.execute(tx);
}

/** The table is small: its size is limited for each connection. */
export async function deleteRequestsBefore(tx: Tx, at: number): Promise<void> {
  await tx.deleteFrom('scim_requests').where('at', '<', at).execute();
}

/** The newest first. Undefined if the marker names none. */
export function readRequests(
  db: Reader,
  connectionId: string,
  page: PageRequest,
  outcome: Outcome | undefined,
): Promise<RowPage<ScimRequestRow> | undefined> {
  const all = db.selectFrom('scim_requests').where('connection_id', '=', connectionId).selectAll('scim_requests');
  const wanted = outcome ? all.where('status', outcome === 'failure' ? '>=' : '<', FAILED) : all;
  return readPage(wanted, { table: 'scim_requests', descending: true }, page, all);
}

/** How many stored requests failed since a time, by connection. */
export async function countFailures(db: Reader, since: number): Promise<Map<string, number>> {
  const rows = await db
    .selectFrom('scim_requests')
    .where('at', '>=', since)
    .where('status', '>=', FAILED)
    .groupBy('connection_id')
    .select((eb) => ['connection_id', eb.fn.countAll<number | string>().as('count')])
    .execute();
  return new Map(rows.map(({ connection_id, count }) => [connection_id, Number(count)]));
}
