// Reads a table by pages of its key, so that memory does not grow with it.
import type { Row, SqlSource } from './sql.ts';

export interface PageOptions {
  readonly table: string;
  readonly columns: readonly string[];
  /** By which it is ordered; unique together. */
  readonly key: readonly string[];
  /** A condition of ours, with `?` for each value. */
  readonly where?: string;
  readonly values?: readonly unknown[];
  /** Joins before the condition. */
  readonly join?: string;
  readonly size?: number;
}

const SIZE = 500;

/** `(a, b) > (x, y)` in a way that every database finds by an index. */
function after(columns: readonly string[], values: readonly unknown[]): { text: string; values: unknown[] } {
  const [first, ...others] = columns;
  const [value, ...rest] = values;
  if (others.length === 0) return { text: `${first} > ?`, values: [value] };
  const more = after(others, rest);
  return { text: `(${first} >= ? and (${first} > ? or ${more.text}))`, values: [value, value, ...more.values] };
}

export async function* pages(source: SqlSource, options: PageOptions): AsyncGenerator<Row[]> {
  const { table, columns, key, where, values = [], join = '', size = SIZE } = options;
  const named = (column: string): string => `${source.quoted(table)}.${source.quoted(column)}`;
  const selected = [...new Set([...key, ...columns])].map((column) => `${named(column)} as ${source.quoted(column)}`);
  const order = key.map(named);
  for (let last: readonly unknown[] | undefined; ; ) {
    const beyond = last && after(order, last);
    const conditions = [where && `(${where})`, beyond?.text].filter(Boolean).join(' and ');
    const rows = await source.query(
      `select ${selected.join(', ')} from ${source.quoted(table)} ${join}${conditions ? ` where ${conditions}` : ''} order by ${order.join(', ')} limit ${size}`,
      [...values, ...(beyond?.values ?? [])],
    );
    if (rows.length > 0) yield rows;
    if (rows.length < size) return;
    last = key.map((column) => rows.at(-1)![column]);
  }
}
