// Shared by all lists of the API: limit and marker, filters, and the links of the envelope.
import type { SelectQueryBuilder } from 'kysely';
import {
  type Dialect,
  type FilterComparison,
  filterCondition,
  INEXACT_COMPARISONS,
  type PageRequest,
  type SortOrder,
} from '../../../platform/database/index.ts';
import { Answer, type Call, type Documentation, type Query, t } from '../../../platform/http/index.ts';
import { fail } from '../faults.ts';

export const MAX_PAGE = 1000;

export const Links = t.object({ self: t.string() });
export const ListLinks = t.object({ self: t.string(), previous: t.nullable(t.string()), next: t.nullable(t.string()) });

/** Documentation of every paged list. */
export const PAGE_DOCUMENTATION = {
  query: {
    limit: `Items per page; ${MAX_PAGE} at most and by default.`,
    marker: 'Id of the last item of the previous page.',
  },
} as const satisfies Documentation;

/** Documentation of a list with filters: text fields and flags as in `Filters`, and the list's own parameters. */
export function filterDocumentation(
  texts: readonly string[],
  flags: readonly string[] = [],
  own: Readonly<Record<string, string>> = {},
): Documentation {
  const exactly = (name: string): string =>
    `Only items with exactly this value. To match a part: ${name}__contains, ${name}__startswith, ${name}__endswith; with an i to ignore case, as in ${name}__icontains.`;
  return {
    query: {
      ...PAGE_DOCUMENTATION.query,
      ...Object.fromEntries(texts.map((name) => [name, exactly(name)])),
      ...Object.fromEntries(flags.map((name) => [name, 'Only items with this value: true or false.'])),
      ...own,
    },
  };
}

/** The documentation of a list, with its parameters `search` and `sort`. `found`: what a search compares. */
export const searchDocumentation = (documentation: Documentation, found: string, sorts: SortColumns): Documentation => ({
  ...documentation,
  query: {
    ...documentation.query,
    search: `Only items whose ${found} begins with this text, ignoring case; or the item with this id. Sorted by what was found; not together with sort.`,
    sort: `${Object.keys(sorts).join(' or ')}; with a minus in descending order, as in -name.`,
  },
});

/** Users are listed by more than one module. */
export const USER_LIST_DOCUMENTATION = filterDocumentation(['name', 'domain_id', 'default_project_id'], ['enabled'], {
  idp_id: 'Only users who sign in through this identity provider.',
  protocol_id: 'Only users who sign in by this protocol: `openid`.',
  unique_id: 'Only users who are known by this subject at an identity provider.',
  password_expires_at:
    'Only users whose password expires at, before or after this time, as in lt:2026-12-08T22:02:00Z. Operators: lt, lte, gt, gte, eq, neq.',
});

/** The value of a query parameter. A repeated one is refused, since it is not clear which value counts. */
export function single(query: Query, name: string): string | undefined {
  const value = query[name];
  if (typeof value === 'object') fail('request.bad_value', { field: name, why: 'it is given more than once' });
  return value;
}

/** true, false, 1, 0 and Keystone's other words, ignoring case. A bare `?enabled` means true. */
export function readFlag(query: Query, name: string): boolean | undefined {
  const value = single(query, name);
  if (value === undefined) return undefined;
  if (/^(true|t|1|yes|y|on|)$/i.test(value)) return true;
  if (/^(false|f|0|no|n|off)$/i.test(value)) return false;
  fail('request.bad_value', { field: name, why: 'it must be true or false' });
}

export function pageOf(query: Query): PageRequest {
  const limit = single(query, 'limit');
  if (limit !== undefined && (!/^\d{1,9}$/.test(limit) || Number(limit) < 1)) {
    fail('request.bad_value', { field: 'limit', why: `it must be a number from 1 to ${MAX_PAGE}` });
  }
  return { limit: Math.min(Number(limit ?? MAX_PAGE), MAX_PAGE), marker: single(query, 'marker') };
}

/** Values of `sort`, and what they sort by. Each needs an index. */
export type SortColumns<Column extends string = string> = Readonly<Record<string, SortOrder<Column>>>;

/** `lower`, so that names are sorted as people expect it. */
export const NAME_AND_CREATION = {
  name: { by: 'name', lowerCase: true },
  created_at: { by: 'created_at' },
} as const satisfies SortColumns;

const MAX_SEARCH = 255;

/** The parameters `search` and `sort` of a list. What is searched for has an order of its own, that of the index. */
export function searchOf<Column extends string>(
  query: Query,
  sorts: SortColumns<Column>,
): { readonly search?: string | undefined; readonly sort?: SortOrder<Column> | undefined } {
  const search = single(query, 'search')?.trim();
  const sort = single(query, 'sort');
  if (search !== undefined && search.length > MAX_SEARCH)
    fail('request.bad_value', { field: 'search', why: `it must have at most ${MAX_SEARCH} characters` });
  if (search && sort !== undefined)
    fail('request.bad_value', { field: 'sort', why: 'it cannot be combined with search, which has its own order' });
  if (sort === undefined) return { search: search || undefined };
  const order = Object.hasOwn(sorts, sort.replace(/^-/, '')) ? sorts[sort.replace(/^-/, '')] : undefined;
  if (!order) fail('request.bad_value', { field: 'sort', why: `it must be ${Object.keys(sorts).join(' or ')}, or with a minus` });
  return { sort: { ...order, descending: sort.startsWith('-') } };
}

/** Fields a list can be filtered by: query parameter to column. */
export type Filters = Readonly<Record<string, { readonly column: string; readonly kind: 'text' | 'flag' }>>;

export interface Criterion {
  readonly column: string;
  readonly comparison: FilterComparison;
  readonly value: string | number;
}

/** The filters of a request, and the limits of what the caller may see. */
export interface ListQuery {
  readonly criteria: readonly Criterion[];
  readonly visible: readonly Criterion[];
  readonly search?: string | undefined;
  readonly sort?: SortOrder | undefined;
}

/** Only rows with this value; all rows when it is undefined. */
export const whereEquals = (column: string, value: string | undefined): Criterion[] =>
  value === undefined ? [] : [{ column, comparison: 'equals', value }];

/** More values for one text filter than any client needs, and fewer than a database could not combine. */
const MOST_VALUES = 10;

/** The values of a text filter. As in Keystone, all of them must hold: a value more shows less. */
function valuesOf(query: Query, name: string): readonly string[] {
  const values = [query[name] ?? []].flat();
  if (values.length > MOST_VALUES) fail('request.bad_value', { field: name, why: `it is given more than ${MOST_VALUES} times` });
  return values;
}

export function criteriaOf(query: Query, filters: Filters): Criterion[] {
  const criteria: Criterion[] = [];
  for (const [name, { column, kind }] of Object.entries(filters)) {
    if (kind === 'flag') {
      const value = readFlag(query, name);
      if (value !== undefined) criteria.push({ column, comparison: 'equals', value: value ? 1 : 0 });
      continue;
    }
    for (const value of valuesOf(query, name)) criteria.push({ column, comparison: 'equals', value });
    for (const comparison of INEXACT_COMPARISONS)
      for (const value of valuesOf(query, `${name}__${comparison}`)) criteria.push({ column, comparison, value });
  }
  return criteria;
}

export function applyCriteria<S, T extends keyof S, O>(
  query: SelectQueryBuilder<S, T, O>,
  dialect: Dialect,
  criteria: readonly Criterion[],
): SelectQueryBuilder<S, T, O> {
  return criteria.reduce(
    (filtered, { column, comparison, value }) => filtered.where(filterCondition(dialect, column, comparison, value)),
    query,
  );
}

type ListCall = Pick<Call<unknown>, 'base' | 'path' | 'query'>;

function linkTo({ base, path, query }: ListCall, changes: Readonly<Record<string, string | undefined>>): string {
  const parameters = new URLSearchParams();
  for (const [name, value] of Object.entries({ ...(query as Query), ...changes })) {
    for (const one of [value ?? []].flat()) parameters.append(name, one as string);
  }
  const text = parameters.toString();
  return `${base}${path}${text ? `?${text}` : ''}`;
}

interface Page<Item> {
  readonly items: readonly Item[];
  readonly next: string | null;
  readonly previous: string | null;
}

/** The page that was asked for. There is none if no item has the marker. */
export const foundPage = <P>(query: Query, page: P | undefined): P =>
  page ?? fail('list.marker_not_found', { marker: single(query, 'marker') ?? '' });

/** `{ links, users: [...] }` for a page. */
export function listOf<K extends string, Item, Shown = Item>(
  call: ListCall,
  key: K,
  page: Page<Item>,
  render?: (base: string, item: Item) => Shown,
): { links: { self: string; previous: string | null; next: string | null } } & { [P in K]: readonly Shown[] } {
  const limit = String(pageOf(call.query as Query).limit);
  return {
    links: {
      self: linkTo(call, {}),
      previous: page.previous === null ? null : linkTo(call, { limit, marker: page.previous || undefined }),
      next: page.next === null ? null : linkTo(call, { limit, marker: page.next }),
    },
    [key]: render ? page.items.map((item) => render(call.base, item)) : page.items,
  } as never;
}

/** The same as an answer, from items that are JSON texts already. */
export function listAnswer(call: ListCall, key: string, page: Page<string>): Answer {
  const { links } = listOf(call, key, { ...page, items: [] });
  return new Answer({ text: `{"links":${JSON.stringify(links)},${JSON.stringify(key)}:[${page.items.join(',')}]}` });
}

/** A list without pages (the roles of one grant, the devices of one user). */
export const wholeList = <K extends string, Item, Shown = Item>(
  call: ListCall,
  key: K,
  items: readonly Item[],
  render?: (base: string, item: Item) => Shown,
) => listOf(call, key, { items, next: null, previous: null }, render);

t.name({ Links, ListLinks });
