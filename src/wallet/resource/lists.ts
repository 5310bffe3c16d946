// Lists: plain arrays with `limit`, `cursor`, and a Link header for the next page.
import { Answer, type Call, t } from '../../platform/http/index.ts';
import { fail } from '../ground/faults.ts';

const MAX_PAGE = 200;
const DEFAULT_PAGE = 50;

export interface ListPage {
  readonly limit: number;
  /** The last id of the previous page. Ids sort by age. */
  readonly after: string | undefined;
}

export const pageQuery = {
  limit: t.string({ description: `Page size: 1 to ${MAX_PAGE}; the default is ${DEFAULT_PAGE}.` }),
  cursor: t.string({ maxLength: 100, description: 'Where the previous page ended, from its Link header.' }),
};

/** OpenAPI documentation of lists. */
export const PAGED = { replyHeaders: { Link: 'The next page (rel="next"), if there is one.' } } as const;

export function pageOf({ limit, cursor }: { limit?: string | undefined; cursor?: string | undefined }): ListPage {
  if (limit !== undefined && (!/^\d{1,3}$/.test(limit) || Number(limit) < 1 || Number(limit) > MAX_PAGE))
    fail('invalid-request', { why: `limit must be a number from 1 to ${MAX_PAGE}` });
  if (cursor !== undefined && !/^[a-z]+_[0-9A-Z]{26}$/.test(cursor)) fail('invalid-request', { why: 'cursor is not valid' });
  return { limit: Number(limit ?? DEFAULT_PAGE), after: cursor };
}

/** Stores read one row more than the page size, to know whether there is a next page. */
export function pageAnswer<Row extends { id: string }>(
  call: Pick<Call<unknown, unknown, Readonly<Record<string, string | undefined>>>, 'base' | 'path' | 'query'>,
  rows: readonly Row[],
  { limit }: ListPage,
  render: (row: Row) => unknown,
): Answer {
  const items = rows.slice(0, limit);
  const body = items.map(render);
  if (rows.length <= limit) return new Answer({ body });
  const next = new URLSearchParams();
  for (const [name, value] of Object.entries(call.query)) if (value !== undefined) next.set(name, value);
  next.set('cursor', items.at(-1)!.id);
  return new Answer({ body, headers: { Link: `<${call.base}${call.path}?${next}>; rel="next"` } });
}
