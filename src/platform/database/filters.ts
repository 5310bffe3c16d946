// List filters as SQL conditions: equality, and Keystone's inexact text comparisons (`name__contains`).
import { type RawBuilder, type SqlBool, sql } from 'kysely';
import type { Dialect } from './database.ts';

/** A condition that one store creates and another applies. */
export type SqlCondition = RawBuilder<SqlBool>;

export const INEXACT_COMPARISONS = ['contains', 'icontains', 'startswith', 'istartswith', 'endswith', 'iendswith'] as const;
export type FilterComparison = 'equals' | (typeof INEXACT_COMPARISONS)[number];

/** Same as `lower` in both databases with our collation: only A to Z. */
export const foldAscii = (text: string): string => text.replace(/[A-Z]+/g, (letters) => letters.toLowerCase());

/** LIKE ignores case in one database but not in the other, so inexact comparisons use string functions instead. */
export function filterCondition(
  dialect: Dialect,
  column: string,
  comparison: FilterComparison,
  value: string | number,
): SqlCondition {
  if (comparison === 'equals') return sql<SqlBool>`${sql.ref(column)} = ${value}`;
  const folded = comparison.startsWith('i');
  const left = folded ? sql`lower(${sql.ref(column)})` : sql`${sql.ref(column)}`;
  const right = folded ? foldAscii(String(value)) : String(value);
  // Databases count characters, JavaScript counts UTF-16 code units.
  const length = [...right].length;
  const kind = folded ? comparison.slice(1) : comparison;
  if (kind === 'startswith') return sql<SqlBool>`substr(${left}, 1, ${length}) = ${right}`;
  if (kind === 'endswith') {
    const tail = dialect === 'sqlite' ? sql`substr(${left}, ${-length})` : sql`right(${left}, ${length})`;
    return right === '' ? sql<SqlBool>`1 = 1` : sql<SqlBool>`${tail} = ${right}`;
  }
  return dialect === 'sqlite' ? sql<SqlBool>`instr(${left}, ${right}) > 0` : sql<SqlBool>`strpos(${left}, ${right}) > 0`;
}

/** `column in (values)` with one parameter, so that the statement is the same for any number of values. */
export const isOneOf = (dialect: Dialect, column: string, values: readonly string[]): SqlCondition =>
  dialect === 'sqlite'
    ? sql<SqlBool>`${sql.ref(column)} in (select value from json_each(${JSON.stringify(values)}))`
    : sql<SqlBool>`${sql.ref(column)} = any(${values}::text[])`;

/** `column in (values)`. PostgreSQL rejects an empty list, so that becomes a condition that is never true. */
export function isIn(column: string, values: readonly string[]): SqlCondition {
  return values.length === 0 ? sql<SqlBool>`1 = 0` : sql<SqlBool>`${sql.ref(column)} in (${sql.join(values)})`;
}
