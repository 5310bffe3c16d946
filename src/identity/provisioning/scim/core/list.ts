// Lists: by an index where the filter allows it, otherwise by scanning a bounded number of rows.
import { type DirectoryGuard, tagOf } from '../../../access/context/index.ts';
import type { Database } from '../../../ground/database/index.ts';
import { fail } from '../../../ground/faults.ts';
import type { Resource } from './attribute.ts';
import { type Position, readCursor, readOffset, writeCursor, writeOffset } from './cursor.ts';
import { type Filter, matches, parseFilter } from './filter.ts';
import {
  filterToSql,
  groupTranslators,
  organizationTranslators,
  type ScimSqlCondition,
  userTranslators,
} from './filter-to-sql.ts';
import type { ResourceHandler, ScimContext } from './handler.ts';
import { findAttributePath } from './lookup.ts';
import { countRows, lookUpUsers, type Rows, readRows, type ScimTable, type Selection, type SortOrder } from './scim.store.ts';
import { sortResources } from './sort.ts';

/** How many rows a request may scan, and how many are read at a time. */
const MAX_SCANNED = 50_000;
const SCANNED_AT_ONCE = 500;

export interface ListRequest {
  readonly filter?: string | undefined;
  /** From 1. */
  readonly startIndex: number;
  readonly count: number;
  /** RFC 9865: pagination by cursor; empty for the first page. */
  readonly cursor?: string | undefined;
  readonly sortBy?: string | undefined;
  readonly descending: boolean;
  /** An additional condition, from Keyrock's own filters. */
  readonly extraCondition?: ScimSqlCondition | undefined;
}

/** One page of rows. */
export interface ScimListPage<T extends ScimTable> {
  readonly rows: readonly Rows[T][];
  /** Undefined when a scan by cursor does not count everything. */
  readonly total: number | undefined;
  readonly nextCursor?: string | undefined;
}

const translators = { users: userTranslators, groups: groupTranslators, projects: organizationTranslators };

const common = { id: 'id', 'meta.lastModified': 'updated_at', 'meta.created': 'created_at' } as const;
const sortColumns: Readonly<Record<ScimTable, Readonly<Record<string, SortOrder['column']>>>> = {
  users: { ...common, userName: 'name_key' },
  groups: common,
  projects: { ...common, name: 'name' },
};

/** The top-level attributes a filter uses. */
function attributesIn(filter: Filter | undefined): string[] {
  if (!filter) return [];
  if ('left' in filter) return [...attributesIn(filter.left), ...attributesIn(filter.right)];
  if ('inner' in filter) return attributesIn(filter.inner);
  return filter.attributePath ? [filter.attributePath.keys[0]!] : [];
}

/** The name in a filter for one user, such as `userName eq "alice"`. */
const userNameIn = (filter: Filter | undefined): string | undefined =>
  filter?.kind === 'compare' &&
  filter.operator === 'eq' &&
  filter.attributePath?.keys.join('.') === 'userName' &&
  typeof filter.value === 'string'
    ? filter.value
    : undefined;

export function createLists(db: Database, refresh: DirectoryGuard['refresh']) {
  const counts = db.cached<{ readonly table: ScimTable; readonly count: number }>({
    name: 'scim_counts',
    limit: 1000,
    tags: ({ table }) => [tagOf.census(table), tagOf.everything],
  });

  /** Counting a table takes as long as reading it: the count is cached until a row is added or removed. */
  async function countAll(selection: Selection): Promise<number> {
    if (selection.condition) return countRows(db.lists, selection);
    const { table, domainId = '' } = selection;
    const read = async () => ({ table, count: await countRows(db.read, selection) });
    return (await counts.getOrLoad(`${table}/${domainId}`, read))!.count;
  }

  /** Rows that meet the condition and the filter, in the default order. */
  async function* scan<T extends ScimTable>(
    handler: ResourceHandler<T>,
    context: ScimContext,
    search: { selection: Selection & { table: T }; filter: Filter | undefined; needs: readonly string[] },
    from: Position | undefined,
  ): AsyncGenerator<{ row: Rows[T]; resource: Resource }> {
    let after = from;
    for (let seen = 0; ; seen += SCANNED_AT_ONCE) {
      if (seen >= MAX_SCANNED) fail('scim.too_many', { limit: MAX_SCANNED });
      const rows = await readRows(db.lists, search.selection, { limit: SCANNED_AT_ONCE, after });
      const resources = await handler.render(context, rows, (key) => search.needs.includes(key));
      for (const [at, resource] of resources.entries()) {
        if (!search.filter || matches(search.filter, resource)) yield { row: rows[at]!, resource };
      }
      if (rows.length < SCANNED_AT_ONCE) return;
      after = rows.at(-1)!;
    }
  }

  type Search<T extends ScimTable> = Parameters<typeof scan<T>>[2];

  async function listByScan<T extends ScimTable>(
    handler: ResourceHandler<T>,
    context: ScimContext,
    search: Search<T>,
    request: ListRequest,
  ): Promise<ScimListPage<T>> {
    const { startIndex, count, sortBy, cursor, descending } = request;
    const first = startIndex - 1;
    const found: { row: Rows[T]; resource: Resource }[] = [];
    let total = 0;
    for await (const match of scan(handler, context, search, cursor === undefined ? undefined : readCursor(cursor))) {
      const inWindow = cursor !== undefined || (total >= first && total < first + count);
      if (sortBy !== undefined || inWindow) found.push(match);
      total++;
      // With a cursor, one row more than the page tells that there is a next page.
      if (cursor !== undefined && total > count) break;
    }
    const rows = found.map(({ row }) => row);
    if (cursor !== undefined) return pageOf<T>(rows, count, undefined);
    if (sortBy === undefined) return { rows, total };

    const rowOf = new Map(found.map(({ row, resource }) => [resource, row]));
    const sorted = sortResources(handler.type, [...rowOf.keys()], sortBy, descending ? 'descending' : 'ascending');
    return { rows: sorted.slice(first, first + count).map((resource) => rowOf.get(resource)!), total };
  }

  /** One page of a list by cursor. `rows` has one more than the page when there is a next page. */
  function pageOf<T extends ScimTable>(rows: readonly Rows[T][], count: number, total: number | undefined): ScimListPage<T> {
    const page = rows.slice(0, count);
    const last = rows.length > count ? page.at(-1) : undefined;
    return { rows: page, total, nextCursor: last && writeCursor(last) };
  }

  async function listByIndex<T extends ScimTable>(
    selection: Selection & { table: T },
    { startIndex, count, cursor }: ListRequest,
    order: SortOrder | undefined,
  ): Promise<ScimListPage<T>> {
    if (cursor !== undefined) return listByIndexAndCursor(selection, count, cursor);
    const offset = startIndex - 1;
    const quick = offset === 0 && !order ? ((await lookUpUsers(db.lists, selection, count)) as Rows[T][] | undefined) : undefined;
    const rows = quick ?? (await readRows(db.lists, selection, { limit: count, offset, order }));
    // A page that is not full tells the total.
    if (rows.length < count && (rows.length > 0 || offset === 0)) return { rows, total: offset + rows.length };
    return { rows, total: await countAll(selection) };
  }

  async function listByIndexAndCursor<T extends ScimTable>(
    selection: Selection & { table: T },
    count: number,
    cursor: string,
  ): Promise<ScimListPage<T>> {
    const rows = await readRows(db.lists, selection, { limit: count + 1, after: readCursor(cursor) });
    return pageOf<T>(rows, count, await countAll(selection));
  }

  /** A list sorted by the client, by cursor: the cursor is an offset. */
  async function listSortedByCursor<T extends ScimTable>(
    handler: ResourceHandler<T>,
    context: ScimContext,
    request: ListRequest,
  ): Promise<ScimListPage<T>> {
    const offset = readOffset(request.cursor ?? '');
    const page = await list(handler, context, { ...request, cursor: undefined, startIndex: offset + 1 });
    const next = offset + request.count;
    // With a count of 0 the next page would be this one again.
    return { ...page, nextCursor: request.count > 0 && next < (page.total ?? 0) ? writeOffset(next) : undefined };
  }

  async function list<T extends ScimTable>(
    handler: ResourceHandler<T>,
    context: ScimContext,
    query: ListRequest,
  ): Promise<ScimListPage<T>> {
    const { table, type } = handler;
    const sortKeys = query.sortBy === undefined ? undefined : findAttributePath(type, query.sortBy)?.keys;
    if (query.cursor !== undefined && sortKeys) return listSortedByCursor(handler, context, query);
    // An unknown sort attribute is ignored.
    const request = sortKeys ? query : { ...query, sortBy: undefined };
    const filter = query.filter === undefined ? undefined : parseFilter(type, query.filter);
    if (table !== 'projects') await refresh(context.domainId, { userName: table === 'users' ? userNameIn(filter) : undefined });
    const { condition, exact } = filter ? filterToSql(filter, translators[table]) : { condition: undefined, exact: true };
    const parts = [condition, query.extraCondition].filter((part) => part !== undefined);
    const selection = {
      table,
      domainId: context.domainId,
      condition: parts.length > 1 ? ({ kind: 'and', parts } as const) : parts[0],
    };
    const column = sortKeys && sortColumns[table][sortKeys.join('.')];
    const order = column ? { column, descending: request.descending } : undefined;
    if (exact && (order || !sortKeys)) return listByIndex(selection, request, order);
    const needs = [...attributesIn(filter), ...(sortKeys?.slice(0, 1) ?? [])];
    return listByScan(handler, context, { selection, filter, needs }, request);
  }

  return list;
}

export type ListResources = ReturnType<typeof createLists>;
