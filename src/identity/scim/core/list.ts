// Lists: by an index where the filter allows it, else by looking at rows in bounded pages.
import { tagOf } from '../../access/index.ts';
import type { Database } from '../../database.ts';
import { fail } from '../../faults.ts';
import type { Resource } from './attribute.ts';
import { type Position, readCursor, readOffset, writeCursor, writeOffset } from './cursor.ts';
import { type Filter, matches, parseFilter } from './filter.ts';
import { type Condition, filterToSql, groupReadings, organizationReadings, userReadings } from './filter-to-sql.ts';
import type { Context, Handler } from './handler.ts';
import { findPlace } from './lookup.ts';
import { countRows, lookUpUsers, type Order, type Rows, readRows, type Selection, type Table } from './scim.store.ts';
import { sortResources } from './sort.ts';

/** Rows a request may look at beyond what an index finds, and how many at a time. */
const MAX_SCANNED = 50_000;
const SCANNED_AT_ONCE = 500;

export interface ListRequest {
  readonly filter?: string | undefined;
  /** From 1. */
  readonly startIndex: number;
  readonly count: number;
  /** RFC 9865: pages by cursor; empty for the first. */
  readonly cursor?: string | undefined;
  readonly sortBy?: string | undefined;
  readonly descending: boolean;
  /** What else the rows must be, as Keyrock's own filters say. */
  readonly also?: Condition | undefined;
}

/** Rows, for either API to show. */
export interface Listed<T extends Table> {
  readonly rows: readonly Rows[T][];
  /** Undefined where a cursor makes counting everything pointless. */
  readonly total: number | undefined;
  readonly nextCursor?: string | undefined;
}

const readings = { users: userReadings, groups: groupReadings, projects: organizationReadings };

const common = { id: 'id', 'meta.lastModified': 'updated_at', 'meta.created': 'created_at' } as const;
const sortColumns: Readonly<Record<Table, Readonly<Record<string, Order['column']>>>> = {
  users: { ...common, userName: 'name_key' },
  groups: common,
  projects: { ...common, name: 'name' },
};

/** The attributes a filter looks at, by their first key. */
function lookedAt(filter: Filter | undefined): string[] {
  if (!filter) return [];
  if ('left' in filter) return [...lookedAt(filter.left), ...lookedAt(filter.right)];
  if ('inner' in filter) return lookedAt(filter.inner);
  return filter.place ? [filter.place.keys[0]!] : [];
}

export function createLists(db: Database) {
  const counts = db.cached<{ readonly table: Table; readonly count: number }>({
    name: 'scim_counts',
    limit: 1000,
    tags: ({ table }) => [tagOf.census(table), tagOf.everything],
  });

  /** Counting a whole table takes as long as reading it: the number is cached until one comes or goes. */
  async function countAll(selection: Selection): Promise<number> {
    if (selection.condition) return countRows(db.read, selection);
    const { table, domainId = '' } = selection;
    const read = async () => ({ table, count: await countRows(db.read, selection) });
    return (await counts.getOrLoad(`${table}/${domainId}`, read))!.count;
  }

  /** Rows that meet the condition and the filter, in the default order. */
  async function* scan<T extends Table>(
    handler: Handler<T>,
    context: Context,
    search: { selection: Selection & { table: T }; filter: Filter | undefined; needs: readonly string[] },
    from: Position | undefined,
  ): AsyncGenerator<{ row: Rows[T]; resource: Resource }> {
    let after = from;
    for (let seen = 0; ; seen += SCANNED_AT_ONCE) {
      if (seen >= MAX_SCANNED) fail('scim.too_many', { limit: MAX_SCANNED });
      const rows = await readRows(db.read, search.selection, { limit: SCANNED_AT_ONCE, after });
      const resources = await handler.render(context, rows, (key) => search.needs.includes(key));
      for (const [at, resource] of resources.entries()) {
        if (!search.filter || matches(search.filter, resource)) yield { row: rows[at]!, resource };
      }
      if (rows.length < SCANNED_AT_ONCE) return;
      after = rows.at(-1)!;
    }
  }

  type Search<T extends Table> = Parameters<typeof scan<T>>[2];

  async function scanned<T extends Table>(
    handler: Handler<T>,
    context: Context,
    search: Search<T>,
    request: ListRequest,
  ): Promise<Listed<T>> {
    const { startIndex, count, sortBy, cursor, descending } = request;
    const first = startIndex - 1;
    const found: { row: Rows[T]; resource: Resource }[] = [];
    let total = 0;
    for await (const match of scan(handler, context, search, cursor === undefined ? undefined : readCursor(cursor))) {
      const inWindow = cursor !== undefined || (total >= first && total < first + count);
      if (sortBy !== undefined || inWindow) found.push(match);
      total++;
      // By cursor one more than the page is enough to know that there is another.
      if (cursor !== undefined && total > count) break;
    }
    const rows = found.map(({ row }) => row);
    if (cursor !== undefined) return pageOf<T>(rows, count, undefined);
    if (sortBy === undefined) return { rows, total };

    const rowOf = new Map(found.map(({ row, resource }) => [resource, row]));
    const sorted = sortResources(handler.type, [...rowOf.keys()], sortBy, descending ? 'descending' : 'ascending');
    return { rows: sorted.slice(first, first + count).map((resource) => rowOf.get(resource)!), total };
  }

  /** One page of a list by cursor, from rows that hold one more than the page when there is another. */
  function pageOf<T extends Table>(rows: readonly Rows[T][], count: number, total: number | undefined): Listed<T> {
    const page = rows.slice(0, count);
    const last = rows.length > count ? page.at(-1) : undefined;
    return { rows: page, total, nextCursor: last && writeCursor(last) };
  }

  async function indexed<T extends Table>(
    selection: Selection & { table: T },
    { startIndex, count, cursor }: ListRequest,
    order: Order | undefined,
  ): Promise<Listed<T>> {
    if (cursor !== undefined) return indexedByCursor(selection, count, cursor);
    const offset = startIndex - 1;
    const quick = offset === 0 && !order ? ((await lookUpUsers(db.read, selection, count)) as Rows[T][] | undefined) : undefined;
    const rows = quick ?? (await readRows(db.read, selection, { limit: count, offset, order }));
    // A page that is not full says how many there are.
    if (rows.length < count && (rows.length > 0 || offset === 0)) return { rows, total: offset + rows.length };
    return { rows, total: await countAll(selection) };
  }

  async function indexedByCursor<T extends Table>(
    selection: Selection & { table: T },
    count: number,
    cursor: string,
  ): Promise<Listed<T>> {
    const rows = await readRows(db.read, selection, { limit: count + 1, after: readCursor(cursor) });
    return pageOf<T>(rows, count, await countAll(selection));
  }

  /** A list in an order of the client's own, by cursor: the pages are those of the same list by number. */
  async function sortedByCursor<T extends Table>(
    handler: Handler<T>,
    context: Context,
    request: ListRequest,
  ): Promise<Listed<T>> {
    const offset = readOffset(request.cursor ?? '');
    const page = await list(handler, context, { ...request, cursor: undefined, startIndex: offset + 1 });
    const next = offset + request.count;
    // Without a count the next page would be this one.
    return { ...page, nextCursor: request.count > 0 && next < (page.total ?? 0) ? writeOffset(next) : undefined };
  }

  async function list<T extends Table>(handler: Handler<T>, context: Context, asked: ListRequest): Promise<Listed<T>> {
    const { table, type } = handler;
    const sortKeys = asked.sortBy === undefined ? undefined : findPlace(type, asked.sortBy)?.keys;
    if (asked.cursor !== undefined && sortKeys) return sortedByCursor(handler, context, asked);
    // What cannot be sorted by changes nothing.
    const request = sortKeys ? asked : { ...asked, sortBy: undefined };
    const filter = asked.filter === undefined ? undefined : parseFilter(type, asked.filter);
    const { condition, exact } = filter ? filterToSql(filter, readings[table]) : { condition: undefined, exact: true };
    const parts = [condition, asked.also].filter((part) => part !== undefined);
    const selection = {
      table,
      domainId: context.domainId,
      condition: parts.length > 1 ? ({ kind: 'and', parts } as const) : parts[0],
    };
    const column = sortKeys && sortColumns[table][sortKeys.join('.')];
    const order = column ? { column, descending: request.descending } : undefined;
    if (exact && (order || !sortKeys)) return indexed(selection, request, order);
    const needs = [...lookedAt(filter), ...(sortKeys?.slice(0, 1) ?? [])];
    return scanned(handler, context, { selection, filter, needs }, request);
  }

  return list;
}

export type List = ReturnType<typeof createLists>;
