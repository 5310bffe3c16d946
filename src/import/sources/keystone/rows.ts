// What the tables of Keystone have in common: attributes in a column of JSON, and options by codes in a table beside.
import { Unreadable } from '../../source.ts';
import { flag, jsonOf, pages, type Row, type SqlSource, textOf } from '../../sql/index.ts';

/** The project above all domains, which nobody sees. */
export const ROOT = '<<keystone.domain.root>>';
/** Where a column cannot be null. */
export const NONE = '<<null>>';

const marks = (values: readonly unknown[]): string => values.map(() => '?').join(', ');

/** The rows of another table that belong to these, by a column. */
export async function rowsOf(
  source: SqlSource,
  table: string,
  column: string,
  ids: readonly unknown[],
  order?: readonly string[],
): Promise<Map<string, Row[]>> {
  if (ids.length === 0) return new Map();
  const sorted = order ? ` order by ${order.map(source.quoted).join(', ')}` : '';
  const rows = await source.query(
    `select * from ${source.quoted(table)} where ${source.quoted(column)} in (${marks(ids)})${sorted}`,
    ids,
  );
  return Map.groupBy(rows, (row) => String(row[column]));
}

/** Values are JSON. One that is null is not set. */
export function optionsOf(rows: readonly Row[] = [], names: Readonly<Record<string, string>>): Record<string, unknown> {
  const options: Record<string, unknown> = {};
  for (const { option_id, option_value } of rows) {
    const name = names[String(option_id)];
    const text = textOf(option_value);
    if (name === undefined || text === undefined) continue;
    try {
      const value: unknown = JSON.parse(text);
      if (value !== null) options[name] = value;
    } catch {
      // No option can be read from this; the thing without it is better than none.
    }
  }
  return options;
}

export const IMMUTABLE = { IMMU: 'immutable' };

/** Undefined if the attributes of a row are damaged. */
export const extraOf = ({ extra }: Row): Record<string, unknown> | undefined => jsonOf(extra);

export const damaged = (kind: string, id: unknown): Unreadable =>
  new Unreadable(`${kind} ${textOf(id) ?? ''}`, 'its attributes (the column extra) are no JSON object');

/** Null means that nobody said that it is disabled. */
export const isEnabled = (value: unknown): boolean => value === null || value === undefined || flag(value);

/** Each row of a table, with what goes with the rows of its page. */
export async function* eachRow<Beside, Item>(
  source: SqlSource,
  options: Parameters<typeof pages>[1],
  beside: (rows: readonly Row[]) => Promise<Beside>,
  make: (row: Row, beside: Beside) => Item,
): AsyncGenerator<Item> {
  for await (const rows of pages(source, options)) {
    const more = await beside(rows);
    for (const row of rows) yield make(row, more);
  }
}

export const nothingBeside = async (): Promise<void> => {};
