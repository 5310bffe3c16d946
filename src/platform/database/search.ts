// Search by the beginning of a text. An ordinary index finds beginnings at any size of the table. Parts in the middle of a text would need
// indexes of trigrams: PostgreSQL has them in an extension, SQLite in tables of their own.
import { type RawBuilder, type SelectQueryBuilder, type SqlBool, sql } from 'kysely';
import { foldAscii, type SqlCondition } from './filters.ts';
import { type PageRequest, type RowPage, readPage } from './page.ts';

const LAST_CHARACTER = 0x10ffff;
const [FIRST_SURROGATE, LAST_SURROGATE] = [0xd800, 0xdfff];

/** The first text, in the order of the database, after all that begin with this one; undefined if there is none. */
export function endOfPrefix(prefix: string): string | undefined {
  const characters = Array.from(prefix, (character) => character.codePointAt(0)!);
  for (let last = characters.pop(); last !== undefined; last = characters.pop()) {
    if (last === LAST_CHARACTER) continue;
    const next = last + 1 === FIRST_SURROGATE ? LAST_SURROGATE + 1 : last + 1;
    return String.fromCodePoint(...characters, next);
  }
  return undefined;
}

/** As a range, which an index of the expression serves. */
export function beginsWith(expression: RawBuilder<unknown>, prefix: string): SqlCondition {
  const end = endOfPrefix(prefix);
  return end === undefined
    ? sql<SqlBool>`${expression} >= ${prefix}`
    : sql<SqlBool>`(${expression} >= ${prefix} and ${expression} < ${end})`;
}

/** `lower` of the databases knows A to Z only. Of other letters both cases are searched for, at the beginning of the text. */
function spellings(text: string): string[] {
  const lower = text.toLowerCase();
  const capital = [...text].slice(0, 1).join('').toUpperCase() + lower.slice([...lower].slice(0, 1).join('').length);
  return [...new Set([text, lower, capital, text.toUpperCase()].map(foldAscii))];
}

export interface SearchedColumn<Row> {
  readonly table: string;
  readonly by: keyof Row & string;
  /** If the column holds normalized texts: how they are made. */
  readonly keyOf?: (text: string) => string;
}

/**
 * A page of the rows whose column begins with the text, ignoring case, in the order of this column; or the one row that has the text as
 * its id. Needs an index of `lower(column)` and the id; of the column itself, if its texts are normalized.
 */
export async function readSearchPage<S, T extends keyof S, Row extends { readonly id: string }>(
  query: SelectQueryBuilder<S, T, Row>,
  { table, by, keyOf }: SearchedColumn<Row>,
  page: PageRequest,
  visible: SelectQueryBuilder<S, T, Row>,
  text: string,
): Promise<RowPage<Row> | undefined> {
  const byId = query.where(sql<SqlBool>`${sql.ref(`${table}.id`)} = ${text}`);
  const exact = page.marker === undefined ? ((await byId.executeTakeFirst()) as Row | undefined) : undefined;
  if (exact) return { items: [exact], next: null, previous: null };
  const lowerCase = keyOf === undefined;
  const column = sql.ref(`${table}.${by}`);
  const searched = lowerCase ? sql`lower(${column})` : column;
  const conditions = (keyOf ? [keyOf(text)] : spellings(text)).map((spelling) => beginsWith(searched, spelling));
  const matching = query.where(sql<SqlBool>`(${sql.join(conditions, sql` or `)})`);
  return readPage(matching, { table, by, lowerCase }, page, visible);
}
