// Pages of lists that can be searched by name and sorted.
import type { SelectQueryBuilder } from 'kysely';
import { type PageRequest, type RowPage, readPage, readSearchPage, type SortOrder } from '../../../platform/database/index.ts';

/** By name, unless the request says otherwise. */
export function readNamedPage<S, T extends keyof S, Row extends { readonly id: string; readonly name: string }>(
  query: SelectQueryBuilder<S, T, Row>,
  table: string,
  page: PageRequest,
  visible: SelectQueryBuilder<S, T, Row>,
  { search, sort }: { readonly search?: string | undefined; readonly sort?: SortOrder | undefined },
): Promise<RowPage<Row> | undefined> {
  if (search !== undefined) return readSearchPage(query, { table, by: 'name' }, page, visible, search);
  const order = (sort ?? { by: 'name' }) as SortOrder<keyof Row & string>;
  return readPage(query, { table, ...order }, page, visible);
}
