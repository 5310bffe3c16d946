// Keyset pagination: the cost of a page does not grow with the table.
import { type RawBuilder, type SelectQueryBuilder, type SqlBool, sql } from 'kysely';

export interface PageRequest {
  readonly limit: number;
  /** Id of the last item of the previous page; undefined for the first page. */
  readonly marker: string | undefined;
}

export interface RowPage<Row> {
  readonly items: Row[];
  /** Marker of the next page; null if this is the last. */
  readonly next: string | null;
  /** Marker of the previous page: '' for the first page, null if this is the first. */
  readonly previous: string | null;
}

interface RowWithId {
  readonly id: string;
}

export interface PageOrder<Row extends RowWithId> {
  /** Column to sort by before the id. Without it the id alone decides. */
  readonly by?: keyof Row & string;
  readonly table: string;
}

/**
 * `visible` is everything the caller may list, `query` the part that was requested. The marker is looked up in `visible`: a row that
 * no longer matches the filter still has a position, and a row the caller may not list counts as missing.
 * Returns undefined if the marker names no such row.
 */
export async function readPage<S, T extends keyof S, Row extends RowWithId>(
  query: SelectQueryBuilder<S, T, Row>,
  order: PageOrder<Row>,
  { limit, marker }: PageRequest,
  visible: SelectQueryBuilder<S, T, Row>,
): Promise<RowPage<Row> | undefined> {
  const id = sql.ref(`${order.table}.id`);
  const columns = order.by ? [sql.ref(`${order.table}.${order.by}`), id] : [id];
  const key = (row: Row): RawBuilder<unknown> => sql`(${sql.join(order.by ? [row[order.by], row.id] : [row.id])})`;
  const columnKey = sql`(${sql.join(columns)})`;
  const sorted = (direction: 'asc' | 'desc') => {
    let ordered = query;
    for (const column of columns) ordered = ordered.orderBy(column, direction);
    return ordered.limit(limit + 1);
  };

  const last =
    marker === undefined
      ? undefined
      : ((await visible.where(sql<SqlBool>`${id} = ${marker}`).executeTakeFirst()) as Row | undefined);
  if (marker !== undefined && !last) return undefined;
  const rows = (await (last ? sorted('asc').where(sql<SqlBool>`${columnKey} > ${key(last)}`) : sorted('asc')).execute()) as Row[];
  const items = rows.slice(0, limit);
  const next = rows.length > limit ? items[items.length - 1]!.id : null;
  if (!last) return { items, next, previous: null };

  // The previous page starts after the row that is `limit` rows before the marker.
  const before = (await sorted('desc')
    .where(sql<SqlBool>`${columnKey} <= ${key(last)}`)
    .execute()) as Row[];
  const previous = before.length > limit ? before[limit]!.id : before.length > 0 ? '' : null;
  return { items, next, previous };
}
