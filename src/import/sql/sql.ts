// A database of a source, as its readers see it.

export type SqlDialect = 'sqlite' | 'postgres' | 'mysql';
/** As the driver gives it; columns.ts makes values of it. */
export type Row = Readonly<Record<string, unknown>>;

export interface SqlSource {
  readonly dialect: SqlDialect;
  /** With `?` for each value. */
  query(text: string, values?: readonly unknown[]): Promise<Row[]>;
  /** A name of a table or a column. */
  quoted(name: string): string;
  /** The columns of a table; empty if there is none. */
  columnsOf(table: string): Promise<ReadonlySet<string>>;
  close(): Promise<void>;
}

/** Names of tables and columns are ours, never a client's. */
export const quotedBy =
  (sign: string) =>
  (name: string): string =>
    `${sign}${name}${sign}`;
