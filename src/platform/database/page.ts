// Keyset pagination: the cost of a page does not grow with the table.
import { type RawBuilder, type SelectQueryBuilder, type SqlBool, sql } from 'kysely';
import { foldAscii } from './filters.ts';

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

/** How a list is sorted. Needs an index of these columns, with the id as its last. */
export interface SortOrder<Column extends string = string> {
  readonly by: Column;
  /** Sorts by `lower(column)`. */
  readonly lowerCase?: boolean;
  readonly descending?: boolean;
}

export interface PageOrder<Row extends RowWithId> extends Partial<SortOrder<keyof Row & string>> {
  /** The table of the columns to sort by. Without `by` the id alone decides. */
  readonly table: string;
  /** Its column with the id of the row, if that is not `id`. */
  readonly idColumn?: string;
}

/**
 * `visible` is everything the caller may list, `query` the part that was requested. The marker is looked up in `visible`: a row that
 * no longer matches the filter still has a position, and a row the caller may not list counts as missing.
 * Returns undefined if the marker names no such row.
 */
export async function readPage<S, T extends keyof S, Row extends RowWithId>(
  query: SelectQueryBuilder<S, T, Row>,
  { table, by, lowerCase, descending = false, idColumn = 'id' }: PageOrder<Row>,
  { limit, marker }: PageRequest,
  visible: SelectQueryBuilder<S, T, Row>,
): Promise<RowPage<Row> | undefined> {
  const id = sql.ref(`${table}.${idColumn}`);
  const columnOf = (name: string) => (lowerCase ? sql`lower(${sql.ref(`${table}.${name}`)})` : sql.ref(`${table}.${name}`));
  const partOf = (row: Row, name: keyof Row) => (lowerCase ? foldAscii(String(row[name])) : row[name]);
  const columns = by ? [columnOf(by), id] : [id];
  const key = (row: Row): RawBuilder<unknown> => sql`(${sql.join(by ? [partOf(row, by), row.id] : [row.id])})`;
  const columnKey = sql`(${sql.join(columns)})`;
  const [forward, backward] = descending ? (['desc', 'asc'] as const) : (['asc', 'desc'] as const);
  const [after, upTo] = descending ? [sql`<`, sql`>=`] : [sql`>`, sql`<=`];
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
  const rest = last ? sorted(forward).where(sql<SqlBool>`${columnKey} ${after} ${key(last)}`) : sorted(forward);
  const rows = (await rest.execute()) as Row[];
  const items = rows.slice(0, limit);
  const next = rows.length > limit ? items[items.length - 1]!.id : null;
  if (!last) return { items, next, previous: null };

  // The previous page starts after the row that is `limit` rows before the marker.
  const before = (await sorted(backward)
    .where(sql<SqlBool>`${columnKey} ${upTo} ${key(last)}`)
    .execute()) as Row[];
  const previous = before.length > limit ? before[limit]!.id : before.length > 0 ? '' : null;
  return { items, next, previous };
}
